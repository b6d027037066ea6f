import ClientSupport
import HTTPClient
import HTTPClientReports
import HTTPTestServer
import SocketTransport
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTPCountersTests {
    @Test func `a duration is counted in the first bucket that includes it`() {
        #expect(HTTPCounters.Histogram.upperBounds.first == .microseconds(250))
        #expect(HTTPCounters.Histogram.upperBounds.last == .milliseconds(131_072))
        var histogram = HTTPCounters.Histogram()
        #expect(histogram.mean == nil && histogram.upperBound(atQuantile: 0.5) == nil)
        for micros in [0, 250, 251, 500, 131_072_000, 131_072_001] {
            histogram.add(.microseconds(micros))
        }
        #expect(histogram.counts == [2, 2] + [Int](repeating: 0, count: 17) + [1, 1])
        #expect(histogram.count == 6 && histogram.sum == .microseconds(262_145_002))
        #expect(histogram.upperBound(atQuantile: 0) == .microseconds(250))
        #expect(histogram.upperBound(atQuantile: 0.34) == .microseconds(500))
        #expect(histogram.upperBound(atQuantile: 0.67) == .milliseconds(131_072))
        #expect(histogram.upperBound(atQuantile: 1) == nil)
    }

    @Test func `counters match the calls made`() async throws {
        let asked = Locked(0)
        let server = try await HTTPTestServer.start { request in
            switch request.path {
            case "/old": .status(.found, headers: [.location: "/new"])
            case "/busy":
                asked.withLock {
                    $0 += 1
                    return $0
                } < 2 ? .status(.serviceUnavailable) : .text("free")
            default: .text("new")
            }
        }
        let counters = HTTPCounters()
        var validator = HTTPDefaultValidator()
        validator.strategy = .immediate
        let client = HTTPClient().with {
            $0.observers = [counters]
            $0.validators = [validator]
        }
        let url = server.url
        var sent = try await client.send(HTTPRequest(url + "/old")).metrics.bytesSent
        sent += try await client.send(HTTPRequest(url + "/busy")).metrics.bytesSent
        let streamed = try await client.stream(HTTPRequest(url + "/new"))
        #expect(counters.snapshot.calls == 3 && counters.snapshot.activeCalls == 1)
        #expect(try await streamed.body.collect() == Array("new".utf8))
        sent += streamed.metrics.bytesSent
        let port = try UnreachablePorts.refusing()
        _ = await failure {
            try await client.send(HTTPRequest("http://127.0.0.1:\(port)").maxRetries(1))
        }
        let figures = counters.snapshot
        #expect(figures.calls == 4 && figures.activeCalls == 0)
        #expect(figures.attempts == 7 && figures.connectionReuses == 4)
        #expect(figures.redirects == 1 && figures.retries == 2)
        #expect(figures.failures == ["connectFailed": 1] && figures.statuses == [2: 3])
        #expect(figures.bytesSent == sent && figures.bytesReceived > 0)
        #expect(figures.firstByte.count == 3 && figures.total.count == 4)
    }
    @Test func `a streamed call counts the bytes of all attempts once`() async throws {
        let asked = Locked(0)
        let server = try await HTTPTestServer.start { request in
            switch request.path {
            case "/old": return .text("moved", status: .found).header(.location, "/new")
            case "/new":
                let number = asked.withLock {
                    $0 += 1
                    return $0
                }
                return number == 1 ? .reset : .text("found")
            default: return .text("no", status: .internalServerError)
            }
        }
        let counters = HTTPCounters()
        var validator = HTTPDefaultValidator(accepting: .successful)
        validator.strategy = .immediate
        let client = HTTPClient().with {
            $0.observers = [counters]
            $0.validators = [validator]
            $0.connectionReuse = .off
        }
        // The first attempt fails before a response is received.
        let early = try await client.stream(HTTPRequest(server.url + "/new"))
        _ = try await early.body.collect()
        #expect(early.metrics.attempts.count == 2)
        #expect(counters.snapshot.bytesSent == early.metrics.bytesSent)
        #expect(counters.snapshot.bytesReceived == early.metrics.bytesReceived)
        asked.withLock { $0 = 0 }
        let before = counters.snapshot
        let response = try await client.stream(HTTPRequest(server.url + "/old"))
        _ = try await response.body.collect()
        let all = response.metrics
        #expect(all.attempts.count == 4)
        #expect(counters.snapshot.bytesSent - before.bytesSent == all.bytesSent)
        #expect(counters.snapshot.bytesReceived - before.bytesReceived == all.bytesReceived)
        let error = await failure { try await client.stream(HTTPRequest(server.url + "/wrong")) }
        let sent = all.bytesSent + (error?.metrics.bytesSent ?? 0)
        let received = all.bytesReceived + (error?.metrics.bytesReceived ?? 0)
        #expect(counters.snapshot.bytesSent - before.bytesSent == sent)
        #expect(counters.snapshot.bytesReceived - before.bytesReceived == received)
        #expect(counters.snapshot.activeCalls == 0)
    }
}

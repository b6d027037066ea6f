import ClientSupport
import HTTPClient
import HTTPClientReports
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// What a client says of its cache, and which mode its requests have.
@Suite(.timeLimit(.minutes(10))) struct CacheStatusTests {
    @Test func `the mode of a client applies to requests without their own`() async throws {
        let origin = try await CachedOrigin.counting([.cacheControl: "max-age=60"])
        let directory = try TemporaryDirectory()
        let client = origin.client { $0.cacheMode = .onlyIfCached }
        let request = HTTPRequest(origin.server.url)
        let none = try await client.send(request)
        #expect(none.status == .gatewayTimeout && none.cacheStatus?.outcome == .unavailable)
        let counters = HTTPCounters()
        let observed = client.with { $0.observers = [counters] }
        #expect(try await observed.send(request).status == .gatewayTimeout)
        #expect(try await client.stream(request).status == .gatewayTimeout)
        let path = directory.path + "/file"
        let error = await failure { try await client.download(request, to: path) }
        #expect(error?.head?.status == .gatewayTimeout && origin.count == 0)
        #expect(try await client.send(request.with { $0.cacheMode = .default }).text == "1")
        for hit in [try await client.send(request), try await observed.send(request)] {
            #expect(hit.text == "1" && hit.cacheStatus?.outcome == .hit)
        }
        _ = try await observed.download(request, to: path)
        #expect(counters.snapshot.calls == 3 && counters.snapshot.activeCalls == 0)
        #expect(TestFileSystem.contents(of: path) == Array("1".utf8) && origin.count == 1)
    }

    @Test(arguments: [false, true])
    func `a response that the store refuses at its end is not called stored`(
        hasDriver: Bool
    ) async throws {
        let origin = try await CachedOrigin { _ in
            // Without a length, the store sees only at the end that the body is too long.
            .chunks([String(repeating: "x", count: 4000)]).header(.cacheControl, "max-age=60")
        }
        let client = origin.client {
            $0.cache = .memory(maxBytes: 8 << 10)
            if hasDriver { $0.observers = [HTTPCounters()] }
        }
        let response = try await client.send(origin.server.url)
        #expect(response.body.count == 4000)
        #expect(response.cacheStatus?.refusal == "store")
        #expect(response.cacheStatus?.description == "HTTPClient; fwd=uri-miss; detail=store")
        #expect(try client.cache?.responses == [])
    }

    @Test func `a reload says that its response is stored`() async throws {
        let origin = try await CachedOrigin.counting([.cacheControl: "max-age=60"])
        let client = origin.client()
        _ = try await client.send(origin.server.url)
        for (mode, text) in [
            (HTTPRequest.CacheMode.reload, "HTTPClient; fwd=bypass; stored"),
            (.noStore, "HTTPClient; fwd=bypass; detail=mode"),
        ] {
            let request = HTTPRequest(origin.server.url).with { $0.cacheMode = mode }
            #expect(try await client.send(request).cacheStatus?.description == text)
        }
        #expect(try await client.send(origin.server.url).text == "2")
    }

    @Test func `a failure that no stored response replaces is not called stored`() async throws {
        let isBroken = Locked(false)
        let origin = try await CachedOrigin { _ in
            guard !isBroken.withLock({ $0 }) else {
                return .text("broken", [.cacheControl: "max-age=60"], status: .badGateway)
            }
            return .text("good", [.cacheControl: "max-age=10, stale-if-error=100"])
        }
        let storage = MemoryStorage()
        let client = origin.client {
            $0.cache = .cache(HTTPCache(storage: storage))
            $0.retries = HTTPRetryOptions(maxRetries: 0)
        }
        _ = try await client.send(origin.server.url)
        isBroken.withLock { $0 = true }
        origin.advance(11)
        for name in storage.names(".body") { storage.set(name, nil) }
        let failed = try await client.send(origin.server.url)
        #expect(failed.status == .badGateway)
        #expect(failed.cacheStatus?.description == "HTTPClient; fwd=stale; detail=stale-if-error")
    }

    @Test(arguments: [false, true])
    func `counters count each exchange with the origin once`(isStreamed: Bool) async throws {
        let origin = try await CachedOrigin { request in
            let headers: [FieldName: String] = [.cacheControl: "max-age=10", .etag: "\"a\""]
            let isKnown = request.headers.contains(.ifNoneMatch)
            return .text(isKnown ? "" : "body", headers, status: isKnown ? .notModified : .ok)
        }
        let counters = HTTPCounters()
        let client = origin.client { $0.observers = [counters] }
        var (sent, received) = (0, 0)
        for outcome: HTTPResponse.CacheStatus.Outcome in [.miss, .hit, .revalidated, .hit] {
            if outcome == .revalidated { origin.advance(11) }
            let metrics: HTTPMetrics
            if isStreamed {
                let response = try await client.stream(origin.server.url)
                #expect(try await response.body.collect() == Array("body".utf8))
                metrics = response.metrics
            } else {
                metrics = try await client.send(origin.server.url).metrics
            }
            #expect(metrics.cacheStatus?.outcome == outcome)
            #expect(metrics.attempts.count == (outcome == .hit ? 0 : 1))
            sent += metrics.bytesSent
            received += metrics.bytesReceived
        }
        var request = HTTPRequest(origin.server.url + "/other")
        request.cacheMode = .onlyIfCached
        _ = try await client.send(request)
        let figures = counters.snapshot
        #expect(figures.attempts == 2 && figures.calls == 5 && figures.activeCalls == 0)
        #expect(figures.bytesSent == sent && figures.bytesReceived == received)
        #expect(figures.statuses == [2: 4, 5: 1])
    }
}

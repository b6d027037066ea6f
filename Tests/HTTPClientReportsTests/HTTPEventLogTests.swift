import ClientSupport
import HTTPClient
import HTTPClientReports
import HTTPTestServer
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTPEventLogTests {
    private func word(_ step: HTTPStep) -> String {
        switch step {
        case .began: "began"
        case .prepared: "prepared"
        case .sending: "sending"
        case .informational: "informational"
        case .received: "received"
        case .failed: "failed"
        case .redirected: "redirected"
        case .retrying: "retrying"
        case .ended: "ended"
        case .streamed(_, let error): error == nil ? "streamed" : "broken"
        case .queued, .dequeued, .challenged, .upgraded: "\(step)"
        case .entered(let phase, _): "\(phase)"
        }
    }

    private func words(_ log: HTTPEventLog) async -> [String] {
        log.finish()
        var words: [String] = []
        for await event in log { words.append(word(event.step)) }
        return words
    }

    @Test func `each event of a call is logged in order`() async throws {
        let server = try await HTTPTestServer.start { request in
            request.path == "/old" ? .status(.found, headers: [.location: "/new"]) : .text("new")
        }
        let log = HTTPEventLog()
        let client = HTTPClient().with { $0.observers = [log] }
        _ = try await client.send(HTTPRequest(server.url + "/old"))
        let first = try await client.stream(HTTPRequest(server.url + "/new"))
        _ = try await first.body.collect()
        #expect(
            await words(log) == [
                "began", "prepared", "sending", "received", "redirected", "prepared", "sending",
                "received", "ended", "began", "prepared", "sending", "received", "ended",
                "streamed",
            ]
        )
        #expect(log.dropped == 0)
    }

    @Test(arguments: [false, true])
    func `a call that the cache answers logs a hit and no exchange`(isStreamed: Bool) async throws {
        let server = try await HTTPTestServer.start { _ in
            .text("stored").header(.cacheControl, "max-age=60")
        }
        let client = HTTPClient().with { $0.cache = .memory() }
        _ = try await client.send(server.url)
        let log = HTTPEventLog()
        let logged = client.with { $0.observers = [log] }
        if isStreamed {
            _ = try await logged.stream(server.url).body.collect()
        } else {
            _ = try await logged.send(server.url)
        }
        log.finish()
        var words: [String] = []
        var metrics: [HTTPMetrics] = []
        for await event in log {
            words.append(word(event.step))
            switch event.step {
            case .received(let response): #expect(response.cacheStatus?.outcome == .hit)
            case .ended(.success(let response)): metrics.append(response.metrics)
            case .streamed(let last, _): metrics.append(last)
            default: break
            }
        }
        #expect(words == ["began", "received", "ended"] + (isStreamed ? ["streamed"] : []))
        #expect(metrics.count == (isStreamed ? 2 : 1) && server.requests.count == 1)
        for metrics in metrics {
            #expect(metrics.attempts.isEmpty && metrics.total == nil)
            #expect(metrics.waterfall.hasPrefix("cache: HTTPClient; hit; ttl="))
        }
    }

    @Test func `a streamed body logs its end once`() async throws {
        let server = try await HTTPTestServer.start { request in
            request.path == "/cut" ? .text("hello world").truncated(to: 6) : .text("hello world")
        }
        let log = HTTPEventLog()
        let client = HTTPClient().with { $0.observers = [log] }
        let url = server.url
        do {
            _ = try await client.stream(HTTPRequest(url + "/dropped"))
        }
        let cut = try await client.stream(HTTPRequest(url + "/cut"))
        _ = await failure { try await cut.body.collect() }
        log.finish()
        var ends: [(HTTPMetrics, HTTPError?)] = []
        for await event in log {
            if case .streamed(let metrics, let error) = event.step { ends.append((metrics, error)) }
        }
        try #require(ends.count == 2)
        #expect(ends[0].1 == nil && ends[0].0.attempts.last?.outcome == .inProgress)
        #expect(ends[1].0.bodyBytesReceived == 6)
        guard case .truncatedResponse = ends[1].1?.kind else {
            Issue.record("\(ends[1])")
            return
        }
    }

    @Test func `the end of a verified body is the result of its verification`() async throws {
        let text = "hello world"
        let digest = try HTTPDigest.sha256(of: Array(text.utf8))
        let server = try await HTTPTestServer.start { _ in .text(text).gzipped() }
        let log = HTTPEventLog()
        let client = HTTPClient().with { $0.observers = [log] }
        let request = HTTPRequest(server.url)
        let good = try await client.stream(request.expectingDigest(digest))
        _ = try await good.body.collect()
        #expect(good.metrics.bodyBytesDecoded == text.utf8.count)
        #expect(good.metrics.bodyBytesReceived > text.utf8.count)
        let other = try HTTPDigest.sha256(of: [])
        let bad = try await client.stream(request.expectingDigest(other))
        _ = await failure { try await bad.body.collect() }
        do {
            _ = try await client.stream(request.expectingDigest(digest))
        }
        let canceled = try await client.stream(request.expectingDigest(digest))
        canceled.cancel()
        _ = await failure { try await canceled.body.collect() }
        log.finish()
        var ends: [(HTTPMetrics, HTTPError?)] = []
        for await event in log {
            if case .streamed(let metrics, let error) = event.step { ends.append((metrics, error)) }
        }
        try #require(ends.count == 4)
        #expect(ends[0].1 == nil && ends[0].0.bodyBytesDecoded == text.utf8.count)
        #expect(ends[1].1?.kind == .digestMismatch(expected: other, received: digest))
        #expect(ends[1].0.bodyBytesDecoded == text.utf8.count)
        #expect(ends[2].1 == nil && ends[2].0.attempts.last?.outcome == .inProgress)
        #expect(ends[3].1?.isCancellation == true)
    }

    @Test func `events have no bodies and carry the number of their call`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("hello") }
        let log = HTTPEventLog()
        let client = HTTPClient().with { $0.observers = [log] }
        let request = HTTPRequest(server.url, method: .post, body: .string("content"))
        #expect(try await client.send(request.tag("a", "b")).text == "hello")
        _ = try await client.send(request)
        log.finish()
        var calls: [UInt64] = []
        for await event in log {
            calls.append(event.callID)
            switch event.step {
            case .prepared(let request): #expect(request.body.length == 0)
            case .received(let response): #expect(response.body.isEmpty && !response.isStreamed)
            case .ended(let result): #expect(try result.get().body.isEmpty)
            case .sending(let head):
                #expect(head.headers[.host] == "127.0.0.1:\(server.port)")
                #expect(head.headers[.contentLength] == "7")
            default: break
            }
            #expect(event.tags["a"] == (event.callID == calls[0] ? "b" : nil))
        }
        #expect(Set(calls).count == 2 && calls == calls.sorted() && calls.count == 10)
    }

    @Test func `the oldest events are dropped and counted`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("") }
        let log = HTTPEventLog(limit: 3)
        let client = HTTPClient().with { $0.observers = [log] }
        for _ in 0..<4 { _ = try await client.send(HTTPRequest(server.url)) }
        #expect(log.dropped == 17)
        #expect(await words(log) == ["sending", "received", "ended"])
        // The log is finished, so later events are neither kept nor counted.
        _ = try await client.send(HTTPRequest(server.url))
        #expect(log.dropped == 17)
    }

    @Test func `a canceled reader ends the sequence`() async throws {
        let log = HTTPEventLog()
        let reader = Task {
            var count = 0
            for await _ in log { count += 1 }
            return count
        }
        reader.cancel()
        #expect(await reader.value == 0)
        #expect(await words(log) == [])
    }
}

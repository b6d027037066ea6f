import ClientSupport
import HTTPClient
import Support
import Testing

/// Tests the events of a call and their order.
@Suite(.timeLimit(.minutes(10))) struct CallEventsTests {
    private let client = HTTPClient()
    private let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\n"

    private func names<Value>(_ call: HTTPCall<Value>) async -> [String] {
        var names: [String] = []
        for await event in call.events {
            switch event {
            case .running: names.append("running")
            case .informational(let head): names.append("interim \(head.status.code)")
            case .head(let head): names.append("head \(head.status.code)")
            case .progress(let progress):
                if progress.isFinal { names.append("last \(progress.direction)") }
            case .response: names.append("response")
            case .result(.success): names.append("success")
            case .result(.failure): names.append("failure")
            }
        }
        return names
    }

    @Test(arguments: [false, true])
    func `the events for start and head arrive when they happen`(isDownload: Bool) async throws {
        let gate = Gate()
        defer { gate.open() }
        let origin = try ScriptedOrigin([
            .expectHead, .reply(head), .pause(gate), .reply("hello"),
        ])
        let directory = try TemporaryDirectory()
        let queue = HTTPClientQueue()
        queue.suspend()
        let queued = client.with { $0.queue = queue }
        let request = HTTPRequest(origin.url)
        let path = directory.path + "/file"
        if isDownload {
            try await watch(request.startDownload(to: path, in: queued), queue, gate)
        } else {
            try await watch(request.start(in: queued), queue, gate)
        }
    }

    private func watch<Value>(
        _ call: HTTPCall<Value>,
        _ queue: HTTPClientQueue,
        _ gate: Gate
    ) async throws {
        while queue.waitingCount == 0 { await moment() }
        #expect(call.state == .waiting)
        var events = call.events.makeAsyncIterator()
        queue.resume()
        // Reports of the phase can come between.
        func next() async -> HTTPCall<Value>.Event? {
            while let event = await events.next() {
                if case .progress = event { continue }
                return event
            }
            return nil
        }
        guard case .running? = await next() else {
            Issue.record("expected a running event")
            return
        }
        #expect(call.state == .running)
        // The head is delivered before any byte of the body has arrived.
        guard case .head(let head)? = await next() else {
            Issue.record("expected a head event")
            return
        }
        #expect(head.status == .ok)
        #expect(head.headers["X"] == "y")
        gate.open()
        _ = try await call.value
    }

    @Test func `all observers receive the same events, on new and reused connections`() async throws
    {
        let origin = try ScriptedOrigin(.always(head + "hello"))
        let directory = try TemporaryDirectory()
        let request = HTTPRequest(origin.url)
        let expected = ["running", "head 200", "last download", "response", "success"]
        for _ in 0..<2 { #expect(await names(request.start(in: client)) == expected) }
        let file = request.startDownload(to: directory.path + "/file", in: client)
        #expect(await names(file) == expected)
        // The same events after the call has ended.
        #expect(await names(file) == expected)
        #expect(origin.connectionCount == 1)
    }

    @Test func `a rejected status has a head event, and a failure its preceding events`()
        async throws
    {
        let reply = "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"
        let origin = try ScriptedOrigin(.always(reply))
        let call = HTTPRequest(origin.url).returning(.text).start(in: client)
        let expected = ["running", "head 404", "last download", "response", "failure"]
        #expect(await names(call) == expected)
        let cut = try ScriptedOrigin([.expectHead, .reply(head + "hel"), .close])
        let short = HTTPRequest(cut.url).start(in: client)
        #expect(await names(short) == ["running", "head 200", "last download", "failure"])
        let mute = try ScriptedOrigin([.expectHead, .close])
        let silent = HTTPRequest(mute.url).start(in: client)
        #expect(await names(silent) == ["running", "last download", "failure"])
    }

    @Test func `each attempt has a head event, and a download only the last`() async throws {
        let steps = [
            "HTTP/1.1 401 Who\r\nWWW-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n", head + "hello",
        ]
        var validator = HTTPDefaultValidator()
        validator.strategy = .immediate
        let client = client.with {
            $0.authentication = .any(user: "ada", password: "pw")
            $0.validators = [validator]
        }
        func origin() throws -> ScriptedOrigin {
            try ScriptedOrigin([
                .expectHead, .reply(steps[0]), .expectHead, .reply(steps[1]),
                .expectHead, .reply(steps[2]), .expectHead, .reply(steps[3]),
            ])
        }
        func heads(_ events: [String]) -> [String] { events.filter { $0.hasPrefix("head") } }
        let first = try origin()
        let call = HTTPRequest(first.url).start(in: client)
        #expect(heads(await names(call)) == ["head 401", "head 503", "head 200"])
        let directory = try TemporaryDirectory()
        let second = try origin()
        let download = HTTPRequest(second.url).startDownload(
            to: directory.path + "/file",
            in: client
        )
        #expect(heads(await names(download)) == ["head 200"])
    }

    @Test func `a challenge of a proxy has a head event if it is final`() async throws {
        let who =
            "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 0\r\n\r\n"
        let wire = try ScriptedOrigin(.always(who))
        var request = HTTPRequest("http://site.example/")
        request.proxy = .proxy(
            HTTPProxy(
                scheme: .http,
                host: "127.0.0.1",
                port: wire.port,
                credentials: HTTPCredentials(user: "ada", password: "pw")
            )
        )
        let events = await names(request.start(in: client)).filter { $0.hasPrefix("head") }
        #expect(events == ["head 407"])
    }

    @Test func `a proxy's challenge gives no head event`() async throws {
        let who =
            "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 0\r\n\r\n"
        let wire = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 103 Early Hints\r\n\r\n"), .reply(who),
            .expectHead(lines: "Proxy-Authorization: Basic YWRhOnB3"), .reply(head + "hello"),
        ])
        let proxy = HTTPProxy(
            scheme: .http,
            host: "127.0.0.1",
            port: wire.port,
            credentials: HTTPCredentials(user: "ada", password: "pw")
        )
        var request = HTTPRequest("http://site.example/")
        request.proxy = .proxy(proxy)
        let expected = [
            "running", "interim 103", "head 200", "last download", "response", "success",
        ]
        #expect(await names(request.start(in: client)) == expected)
        #expect(wire.failures == [])
    }

    @Test func `the head of an early response is delivered during the upload`()
        async throws
    {
        let gate = Gate()
        let size = 32 << 20
        let origin = try ScriptedOrigin([
            .expectHead, .reply(head), .pause(gate), .expect(count: size), .reply("hello"),
        ])
        let body = HTTPBody.bytes([UInt8](repeating: 1, count: size))
        let call = HTTPRequest(origin.url, method: .post, body: body).start(in: client)
        for await event in call.events {
            guard case .head = event else { continue }
            // The peer reads the rest of the content only after the head was delivered.
            gate.open()
        }
        #expect(try await call.value.text == "hello")
        #expect(origin.failures == [])
    }
}

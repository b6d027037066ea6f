import ClientSupport
import HTTPClient
import Support
import Testing

/// Tests the kind, phase and blame of each failure, and that the client stays usable.
@Suite(.timeLimit(.minutes(10))) struct FailureTests {
    private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    @Test(arguments: [
        ("/relative", "relative"), ("ftp://host/", "scheme"), ("http://", "url"),
        ("http://host:99999/", "url"), ("http://a b/", "url"), ("http://host/\r\nX: y", "url"),
        ("http://[::1/", "url"), ("", "relative"),
    ])
    func `an invalid URL is a caller error`(url: String, what: String) async {
        let error = await failure { try await HTTPClient().send(HTTPRequest(url)) }
        #expect(error?.blame == .caller)
        #expect(error?.phase == .preparing)
        switch error?.kind {
        case .invalidRequest(.relativeURL): #expect(what == "relative")
        case .invalidRequest(.unsupportedScheme): #expect(what == "scheme")
        case .invalidRequest(.url): #expect(what == "url")
        default: Issue.record("got \(String(describing: error))")
        }
    }

    @Test(arguments: ["a\r\nX: y", "a\nb", "a\0b", "a\rb"])
    func `a field value with CR, LF or NUL is rejected, and nothing is sent`(
        value: String
    )
        async throws
    {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        let request = HTTPRequest(origin.url, headers: ["Accept": "*/*", "X-A": value])
        let error = await failure { try await client.send(request) }
        guard case .invalidRequest(.refused) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(error?.refusedField == "X-A")
        #expect(error?.description.contains(": \"X-A\" [GET ") == true)
        #expect(origin.received().isEmpty)
        #expect(try await client.send(HTTPRequest(origin.url)).text == "hello")
    }

    @Test(arguments: ["GE T", "", "GET\r\n"])
    func `a method that is not a token is rejected`(method: String) async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let request = HTTPRequest(origin.url, method: HTTPMethod(method))
        let error = await failure { try await HTTPClient().send(request) }
        #expect(error?.blame == .caller)
        #expect(origin.received().isEmpty)
    }

    @Test(arguments: ["Content-Length", "transfer-encoding"])
    func `a framing field set by the caller is rejected`(name: String) async throws {
        let request = HTTPRequest("http://127.0.0.1:1/", headers: [FieldName(name): "5"])
        let error = await failure { try await HTTPClient().send(request) }
        guard case .invalidRequest(.framingField) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
    }

    @Test func `a host name that does not exist fails to resolve`() async {
        let error = await failure {
            try await HTTPClient().send("http://no-such-host.invalid/")
        }
        guard case .resolveFailed(let host, _) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(host == "no-such-host.invalid")
        #expect(error?.phase == .resolve)
    }

    @Test func `a refused connection is reported with its address`() async throws {
        let port = try UnreachablePorts.refusing()
        let error = await failure {
            try await HTTPClient().send(HTTPRequest("http://127.0.0.1:\(port)/"))
        }
        guard case .connectFailed(let failures) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(failures.map(\.address) == ["127.0.0.1:\(port)"])
        #expect(error?.phase == .connect)
        #expect(error?.blame == .network)
    }

    @Test func `a connection that is never accepted times out while connecting`() async throws {
        let stalled = try StalledPort()
        var configuration = HTTPClient.Configuration()
        configuration.timeouts.connect = .milliseconds(30)
        let client = HTTPClient(configuration)
        let error = await failure {
            try await client.send(HTTPRequest("http://127.0.0.1:\(stalled.port)/"))
        }
        #expect(error?.kind == .timedOut(.connect))
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", "malformed"),
        ("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello", "malformed"),
        ("HTTP/1.1 200 OK\r\nX y\r\n\r\n", "malformed"),
        ("HTTP/1.1 2000 OK\r\n\r\n", "malformed"),
        ("SSH-2.0-OpenSSH\r\n", "malformed"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n+5\r\nhello\r\n0\r\n\r\n",
            "malformed"
        ),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello", "malformed"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello", "truncated"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "truncated"),
        ("HTTP/1.1 200 OK\r\nContent-Le", "truncated"),
        ("HTTP/1.1 100 Continue\r\n\r\n", "truncated"),
        ("", "truncated"),
        ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello", "coding"),
    ])
    func `an invalid response is blamed on the peer`(
        reply: String,
        what: String
    )
        async throws
    {
        let origin = try ScriptedOrigin([.expectHead, .reply(reply), .close])
        let client = HTTPClient()
        let error = await failure { try await client.send(HTTPRequest(origin.url)) }
        #expect(error?.blame == .peer)
        switch error?.kind {
        case .malformedResponse: #expect(what == "malformed")
        case .truncatedResponse: #expect(what == "truncated")
        case .codingFailed: #expect(what == "coding")
        default: Issue.record("got \(String(describing: error))")
        }
        let next = try ScriptedOrigin(.always(hello))
        #expect(try await client.send(HTTPRequest(next.url)).text == "hello")
    }

    @Test func `a truncated body is kept in the error`() async throws {
        let reply = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"
        let origin = try ScriptedOrigin([.expectHead, .reply(reply), .close])
        let error = await failure { try await HTTPClient().send(HTTPRequest(origin.url)) }
        #expect(error?.kind == .truncatedResponse(.bodyTruncated(received: 5, expected: 10)))
        #expect(error?.head?.status == .ok)
        #expect(error.map { String(decoding: $0.partialBody, as: UTF8.self) } == "hello")
        #expect(error?.phase == .body)
    }

    @Test func `an endless head, endless 1xx and an endless body stop at a limit`() async throws {
        let field = Array(("X-A: " + String(repeating: "y", count: 1000) + "\r\n").utf8)
        let endless: [(OriginScript, String)] = [
            ([.expectHead, .reply("HTTP/1.1 200 OK\r\n"), .replyForever(field)], "limit"),
            ([.expectHead, .replyForever(Array("HTTP/1.1 103 E\r\n\r\n".utf8))], "limit"),
            (
                [
                    .expectHead, .reply("HTTP/1.1 200 OK\r\n\r\n"),
                    .replyForever([UInt8](repeating: 7, count: 65536)),
                ], "body"
            ),
        ]
        for (script, what) in endless {
            let origin = try ScriptedOrigin(script)
            let error = await failure { try await HTTPClient().send(HTTPRequest(origin.url)) }
            switch error?.kind {
            case .limitExceeded: #expect(what == "limit")
            case .bodyTooLarge(limit: 10 << 20):
                #expect(what == "body")
                #expect(error?.partialBody.count == 10 << 20)
            default: Issue.record("got \(String(describing: error))")
            }
        }
    }

    @Test func `a silent server times out in the current phase`() async throws {
        let never = Gate()
        defer { never.open() }
        var configuration = HTTPClient.Configuration()
        configuration.timeouts.readIdle = .milliseconds(100)
        let client = HTTPClient(configuration)
        let silent = try ScriptedOrigin([.expectHead, .pause(never)])
        let request = HTTPRequest(silent.url).timeouts { $0.responseHead = .milliseconds(30) }
        let head = await failure { try await client.send(request) }
        #expect(head?.kind == .timedOut(.responseHead))
        let stalled = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhe"), .pause(never),
        ])
        let body = await failure { try await client.send(HTTPRequest(stalled.url)) }
        #expect(body?.kind == .timedOut(.body))
        #expect(body?.partialBody == Array("he".utf8))
    }

    @Test func `the total timeout counts from the start of the call`() async throws {
        let never = Gate()
        defer { never.open() }
        let origin = try ScriptedOrigin([.expectHead, .pause(never)])
        var request = HTTPRequest(origin.url)
        request.timeouts = HTTPTimeouts(total: .milliseconds(30))
        let error = await failure { try await HTTPClient().send(request) }
        #expect(error?.kind == .timedOut(.total))
    }

    @Test func `a canceled task closes the connection`() async throws {
        let never = Gate()
        defer { never.open() }
        let origin = try ScriptedOrigin([.expectHead, .pause(never)])
        let client = HTTPClient()
        let task = Task { await failure { try await client.send(HTTPRequest(origin.url)) } }
        while origin.received().isEmpty { await moment() }
        task.cancel()
        #expect(await task.value?.kind == .cancelled)
        while DescriptorCount.connected(toPort: origin.port) > 1 { await moment() }
    }

    @Test func `a task canceled before its call sends nothing`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        let begin = Gate()
        let task = Task {
            await begin.arrival()
            return await failure { try await client.send(HTTPRequest(origin.url)) }
        }
        task.cancel()
        begin.open()
        #expect(await task.value?.kind == .cancelled)
        #expect(origin.received().isEmpty)
    }
}

import ClientSupport
import HTTPClient
import Support
import Testing

private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

@Suite(.timeLimit(.minutes(10))) struct SendTests {
    /// The codings that the client accepts, which depend on the traits.
    private var codings: String {
        #if Brotli && Zstd
        "zstd, br, gzip, deflate"
        #elseif Brotli
        "br, gzip, deflate"
        #elseif Zstd
        "zstd, gzip, deflate"
        #else
        "gzip, deflate"
        #endif
    }

    @Test func `a GET sends one head and collects the body`() async throws {
        let origin = try ScriptedOrigin([.expectHead, .reply(hello)])
        let response = try await HTTPClient().send(HTTPRequest(origin.url + "/a?b=c#d"))
        #expect(response.status == .ok)
        #expect(response.text == "hello")
        #expect(response.head.reason == "OK")
        #expect(
            origin.text() == """
                GET /a?b=c HTTP/1.1\r
                Host: \(origin.authority)\r
                User-Agent: HTTPClient\r
                Accept: */*\r
                Accept-Encoding: \(codings)\r
                \r

                """
        )
        #expect(origin.failures.isEmpty)
    }

    @Test func `a POST sends content type, length and body`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .expect(#"{"a":1}"#), .reply(hello),
        ])
        let request = HTTPRequest(origin.url, method: .post, body: .json(text: #"{"a":1}"#))
        _ = try await HTTPClient().send(request)
        #expect(origin.text().contains("Content-Length: 7\r\nContent-Type: application/json\r\n"))
        #expect(origin.failures.isEmpty)
    }

    @Test func `a request field replaces the client's field, regardless of case`() async throws {
        let origin = try ScriptedOrigin([.expectHead, .reply(hello)])
        let request = HTTPRequest(origin.url, headers: ["USER-agent": "mine", "host": "other"])
        _ = try await HTTPClient().send(request)
        #expect(origin.text().contains("USER-agent: mine\r\n"))
        #expect(!origin.text().contains("HTTPClient"))
        #expect(origin.text().contains("Host: other\r\n"))
    }

    @Test func `two requests share one connection`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        let first = try await client.send(HTTPRequest(origin.url))
        let second = try await client.send(HTTPRequest(origin.url))
        #expect(first.metrics.connectionID == second.metrics.connectionID)
        #expect(!first.metrics.isReused)
        #expect(second.metrics.isReused)
        #expect(origin.connectionCount == 1)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na",
        "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200 OK\r\n\r\n",
    ])
    func `a connection that cannot be reused is closed`(reply: String) async throws {
        let origin = try ScriptedOrigin([.expectHead, .reply(reply), .expectEnd])
        let client = HTTPClient()
        #expect(try await client.send(HTTPRequest(origin.url)).text == "a")
        #expect(try await client.send(HTTPRequest(origin.url)).text == "a")
        #expect(origin.connectionCount == 2)
    }

    @Test func `unsolicited bytes are not read as the next response`() async throws {
        let sent = Gate()
        let poison = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL"
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(hello), .pause(sent), .reply(poison)],
            [.expectHead, .reply(hello)],
        ])
        let client = HTTPClient()
        let first = try await client.send(HTTPRequest(origin.url))
        sent.open()
        // The planted response arrives while the connection is idle, so the client closes it.
        while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
        let second = try await client.send(HTTPRequest(origin.url))
        #expect(first.text == "hello")
        #expect(second.text == "hello")
        #expect(origin.connectionCount == 2)
    }

    @Test func `1xx responses are collected before the final one`() async throws {
        let reply = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + hello
        let origin = try ScriptedOrigin([.expectHead, .reply(reply)])
        let response = try await HTTPClient().send(HTTPRequest(origin.url))
        #expect(response.informational.map(\.status) == [.earlyHints])
        #expect(response.informational.first?.headers[.link] == "</a>")
        #expect(response.text == "hello")
    }

    @Test func `a chunked body is joined, and its trailers are kept`() async throws {
        let reply = """
            HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r
            3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX-Sum: 5\r\n\r\n
            """
        let origin = try ScriptedOrigin([.expectHead, .replyByteByByte(reply + "\r\n")])
        let response = try await HTTPClient().send(HTTPRequest(origin.url))
        #expect(response.text == "abcde")
        #expect(response.trailers["X-Sum"] == "5")
    }

    @Test func `a response to HEAD has no body, regardless of its fields`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Encoding: gzip\r\n\r\n"
        let origin = try ScriptedOrigin(.always(head))
        let client = HTTPClient()
        for _ in 0..<2 {
            let response = try await client.send(HTTPRequest(origin.url, method: .head))
            #expect(response.body.isEmpty)
            #expect(response.headers[.contentLength] == "5")
        }
        #expect(origin.connectionCount == 1)
    }

    @Test func `a large body is received completely`() async throws {
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n".utf8)
        let origin = try ScriptedOrigin([.expectHead, .reply(head + body)])
        let response = try await HTTPClient().send(HTTPRequest(origin.url))
        #expect(response.body == body)
        #expect(response.metrics.bodyBytesReceived == 300_000)
    }

    @Test func `a large upload is sent completely`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .expect(count: 3_000_000), .reply(hello),
        ])
        let body = [UInt8](repeating: 7, count: 3_000_000)
        let request = HTTPRequest(origin.url, method: .put, body: .bytes(body))
        let response = try await HTTPClient().send(request)
        #expect(response.text == "hello")
        #expect(
            origin.received().count == 3_000_000 + origin.text().prefix { $0 != "\u{7}" }.utf8.count
        )
    }

    @Test func `an early error response is delivered before the upload finishes`() async throws {
        let refusal = "HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig"
        let done = Gate()
        let origin = try ScriptedOrigin([.expectHead, .reply(refusal), .pause(done)])
        let body = [UInt8](repeating: 7, count: 30_000_000)
        let request = HTTPRequest(origin.url, method: .put, body: .bytes(body))
        let response = try await HTTPClient().send(request)
        done.open()
        #expect(response.status == .contentTooLarge)
        #expect(response.text == "big")
    }

    @Test func `RFC 9112 §9.3.1: a reused connection that its peer closed is replaced`()
        async throws
    {
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(hello), .expectHead, .reset],
            [.expectHead, .reply(hello)],
        ])
        let client = HTTPClient()
        _ = try await client.send(HTTPRequest(origin.url))
        let second = try await client.send(HTTPRequest(origin.url))
        #expect(second.text == "hello")
        #expect(second.metrics.replays == 1)
        #expect(origin.connectionCount == 2)
    }

    @Test func `a POST on a connection that its peer closed is not retried`() async throws {
        let origin = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(hello), .expectHead, .reset],
            [.expectHead, .reply(hello)],
        ])
        let client = HTTPClient()
        _ = try await client.send(HTTPRequest(origin.url))
        let error = await failure {
            try await client.send(HTTPRequest(origin.url, method: .post))
        }
        guard case .connectionLost = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(origin.connectionCount == 1)
    }

    @Test func `an ignored Content-Length leaves the body to end at the close`() async throws {
        let reply = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhello"
        let origin = try ScriptedOrigin([.expectHead, .reply(reply), .close])
        var configuration = HTTPClient.Configuration()
        configuration.contentLengthPolicy = .ignored
        let response = try await HTTPClient(configuration).send(HTTPRequest(origin.url))
        #expect(response.text == "hello")
        #expect(response.headers[.contentLength] == "3")
    }

    @Test func `bytes outside ASCII in a field value are sent unchanged`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        var request = HTTPRequest(origin.url)
        request.headers.append("X-Latin", bytes: [0xE9])
        _ = try await HTTPClient().send(request)
        #expect(origin.received().contains(0xE9))
        #expect(!origin.received().contains(0xC3))
    }
}

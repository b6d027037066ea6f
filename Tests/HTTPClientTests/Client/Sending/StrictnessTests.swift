import ClientSupport
import HTTPClient
import Support
import Testing

/// Tests which deviations from RFC 9112 a client accepts at each strictness level.
@Suite(.timeLimit(.minutes(10))) struct StrictnessTests {
    /// A response as sent by busybox httpd and by CGI programs under mini_httpd and http.server.
    private static let cgi =
        "HTTP/1.0 200 OK\r\nDate: Sun, 22 Nov 2026 18:00:00 GMT\r\nContent-Type: text/plain\n\nhello\n"

    private func client(_ strictness: Strictness) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.strictness = strictness
        return HTTPClient(configuration)
    }

    @Test func `a head with lines ending in LF is accepted by default`() async throws {
        let origin = try ScriptedOrigin([.expectHead, .reply(Self.cgi), .close])
        let response = try await HTTPClient().send(HTTPRequest(origin.url))
        #expect(response.text == "hello\n")
        #expect(response.headers[.contentType] == "text/plain")
        #expect(response.deviations.map(\.code) == [.bareLineFeed, .bareLineFeed])
        #expect(response.deviations.map(\.offset) == [78, 79])
        #expect(response.deviations.allSatisfy { $0.part == .head })
        #expect(
            response.deviations.first?.description
                == "head, byte 78: the line ends in LF without CR (RFC 9112 §2.2)"
        )
    }

    @Test func `a streamed response has the deviations of its head`() async throws {
        let origin = try ScriptedOrigin([.expectHead, .reply(Self.cgi), .close])
        let response = try await HTTPClient().stream(HTTPRequest(origin.url))
        #expect(response.deviations.count == 2)
        #expect(try await response.body.collect() == Array("hello\n".utf8))
        #expect(response.deviations.count == 2)
    }

    @Test(arguments: [
        ("X : y\r\nContent-Length: 0\r\n", "X", "y", Diagnostic.Code.spaceBeforeColon, 2),
        ("X: a\r\n\t b\r\nContent-Length: 0\r\n", "X", "a b", .foldedLine, 2),
        ("X: a\rb\r\nContent-Length: 0\r\n", "X", "a b", .bareCarriageReturn, 2),
        ("X: a\r\r\nContent-Length: 0\r\n", "X", "a", .bareCarriageReturn, 2),
        ("X: a\u{1}b\r\nContent-Length: 0\r\n", "X", "a\u{1}b", .controlInValue, 1),
    ])
    func `deviations permitted by RFC 9112 are accepted, and ambiguous lines prevent reuse`(
        lines: String,
        name: String,
        value: String,
        code: Diagnostic.Code,
        connections: Int
    ) async throws {
        let origin = try ScriptedOrigin(.always("HTTP/1.1 200 OK\r\n\(lines)\r\n"))
        let client = HTTPClient()
        for _ in 0..<2 {
            let response = try await client.send(HTTPRequest(origin.url))
            #expect(response.headers[FieldName(name)] == value)
            #expect(response.deviations.map(\.code) == [code])
        }
        #expect(origin.connectionCount == connections)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length:\r\n 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: \u{B}chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5 \r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA : b\r\n\r\n",
        "\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n A: b\r\n\r\n", "HTTP/1.1 200 OK\r\nA: \0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA\r\n\r\n", "HTTP/1.1 200 OK\r\nA B: c\r\n\r\n",
    ])
    func `deviations in framing, chunk lines and trailers are rejected by default`(
        reply: String
    ) async throws {
        let origin = try ScriptedOrigin([.expectHead, .reply(reply), .close])
        let error = await failure { try await HTTPClient().send(HTTPRequest(origin.url)) }
        guard case .malformedResponse = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(error?.isReadableLeniently == false)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\nContent-Length: 2\n\nok", 2),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\n\r\nok", 2),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\n\r\n2\r\nok\r\n0\r\n\r\n", 2),
        (
            "HTTP/1.1 103 E\r\nContent-Length: 0\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            2
        ),
        ("HTTP/1.1 200 OK\nContent-Length: 2\r\n\r\nok", 2),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\nok", 2),
        ("HTTP/1.1  200 OK\r\nContent-Length: 2\r\n\r\nok", 1),
    ])
    func `a connection is not reused after an ambiguous line ending`(
        reply: String,
        count: Int
    ) async throws {
        let origin = try ScriptedOrigin(.always(reply))
        let client = HTTPClient()
        for _ in 0..<2 {
            #expect(try await client.send(HTTPRequest(origin.url)).text == "ok")
        }
        #expect(origin.connectionCount == count)
        // An unread body is not drained then, because the connection would be closed anyway.
        let other = try ScriptedOrigin(.always(reply))
        for _ in 0..<2 { _ = try await client.stream(HTTPRequest(other.url)).status }
        #expect(other.connectionCount == count)
    }

    @Test
    func `a strict client rejects a deviation, and the error names the level that accepts it`()
        async throws
    {
        let origin = try ScriptedOrigin([.expectHead, .reply(Self.cgi), .close])
        let error = await failure { try await client(.strict).send(HTTPRequest(origin.url)) }
        #expect(error?.kind == .malformedResponse(.bareLineFeed(offset: 78)))
        #expect(error?.isReadableLeniently == true)
        #expect(error?.description.contains(".lenient") == true)
        let worse = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\nContent-Length : 5\r\n\r\n"), .close,
        ])
        let other = await failure { try await client(.strict).send(HTTPRequest(worse.url)) }
        #expect(other?.isReadableLeniently == false)
        #expect(other?.description.contains(".lenient") == false)
    }

    @Test func `a request can set its own strictness on a shared connection`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
            .expectHead, .reply("HTTP/1.1  200 OK\r\nA: \u{1}\r\nContent-Length: 0\r\n\r\n"),
            .expectHead, .reply("HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n"),
        ])
        let client = client(.strict)
        let request = HTTPRequest(origin.url)
        #expect(try await client.send(request).deviations == [])
        let response = try await client.send(request.with { $0.strictness = .lenient })
        #expect(response.deviations.map(\.code) == [.irregularSpacing, .controlInValue])
        let error = await failure { try await client.send(request) }
        #expect(error?.kind == .malformedResponse(.bareLineFeed(offset: 15)))
        #expect(origin.connectionCount == 1)
    }

    @Test func `interim heads are read leniently, with separate deviations`()
        async throws
    {
        let reply = "HTTP/1.1 103 E\n\r\nHTTP/1.1 200 OK\r\nA : b\r\nContent-Length: 0\r\n\r\n"
        let origin = try ScriptedOrigin([.expectHead, .replyByteByByte(reply)])
        let response = try await HTTPClient().send(HTTPRequest(origin.url))
        #expect(response.deviations.map(\.part) == [.interimHead(0), .head])
        #expect(response.deviations.map(\.offset) == [14, 18])
    }

    @Test func `a proxy's response to CONNECT is read leniently`() async throws {
        let proxy = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.0 403 No\nContent-Length: 0\n\n"), .close,
        ])
        for strictness in [Strictness.lenient, .strict] {
            var configuration = HTTPClient.Configuration()
            configuration.strictness = strictness
            configuration.proxy = .proxy(try HTTPProxy("http://127.0.0.1:\(proxy.port)"))
            let client = HTTPClient(configuration)
            let error = await failure { try await client.send(HTTPRequest("https://a.example/")) }
            switch (strictness, error?.kind) {
            case (.lenient, .proxyFailed(.refused(let refusal))):
                #expect(refusal.status == .forbidden)
                #expect(
                    error?.metrics.deviations.map(\.part) == [
                        .proxyHead(0), .proxyHead(0), .proxyHead(0),
                    ]
                )
            case (.strict, .proxyFailed(.malformedResponse(.bareLineFeed(offset: 15)))):
                #expect(error?.isReadableLeniently == true)
            default: Issue.record("got \(String(describing: error))")
            }
        }
    }

    @Test func `forensic accepts chunk line deviations and reuses no connection`() async throws {
        let reply =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\nok\r\n0\r\nHost: a\r\n\r\n"
        let origin = try ScriptedOrigin(.always(reply))
        let client = client(.forensic)
        for _ in 0..<2 {
            let response = try await client.send(HTTPRequest(origin.url))
            #expect(response.text == "ok")
            #expect(response.deviations.map(\.part) == [.body, .body])
            #expect(response.deviations.map(\.code) == [.bareLineFeed, .forbiddenTrailer])
            #expect(response.deviations.map(\.offset) == [1, 9])
        }
        #expect(origin.connectionCount == 2)
    }

    @Test func `framing and cookie fields in trailers have no effect`() async throws {
        let trailers =
            "Content-Length: 99\r\nTransfer-Encoding: gzip\r\nSet-Cookie: a=b\r\nConnection: close\r\n"
            + "Content-Encoding: gzip\r\nLocation: /x\r\nWWW-Authenticate: Basic\r\nX-Sum: 1\r\n"
        let reply =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\(trailers)\r\n"
        let origin = try ScriptedOrigin([
            .forever([.expectHeadWhere { !$0.contains("Cookie:") }, .reply(reply)])
        ])
        var configuration = HTTPClient.Configuration()
        configuration.cookies = .jar(CookieJar())
        let client = HTTPClient(configuration)
        for _ in 0..<2 {
            let response = try await client.send(HTTPRequest(origin.url))
            #expect(response.text == "ok")
            #expect(response.headers.count == 1)
            #expect(response.trailers["X-Sum"] == "1")
            #expect(response.trailers[.contentLength] == "99")
            let streamed = try await client.stream(HTTPRequest(origin.url))
            #expect(try await streamed.body.collect() == Array("ok".utf8))
            #expect(streamed.trailers?[.setCookie] == "a=b")
        }
        #expect(origin.connectionCount == 1)
        #expect(origin.failures == [])
    }
}

import HTTPClient
import HTTPTestServer
import Testing

@Suite struct ServedConnectionTests {
    @Test(arguments: [
        ("no HTTP at all", "hello\r\n\r\n", "HTTP/1.1 400 "),
        ("a TLS greeting", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", "HTTP/1.1 400 "),
        ("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/1.1 505 "),
        ("another version", "GET / HTTP/3.1\r\nHost: x\r\n\r\n", "HTTP/1.1 505 "),
        ("no Host", "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 "),
        ("two Hosts", "GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", "HTTP/1.1 400 "),
        ("a folded field", "GET / HTTP/1.1\r\nHost: x\r\n y\r\n\r\n", "HTTP/1.1 400 "),
        (
            "two framings",
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 400 "
        ),
        (
            "an unknown transfer coding",
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            "HTTP/1.1 501 "
        ),
        (
            "a bad chunk",
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n",
            "HTTP/1.1 400 "
        ),
        (
            "a body beyond the limit",
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n",
            "HTTP/1.1 413 "
        ),
        (
            "a head beyond the limit",
            "GET / HTTP/1.1\r\nHost: x\r\nA: " + String(repeating: "a", count: 70_000),
            "HTTP/1.1 431 "
        ),
    ]) func `malformed bytes get an error response and a close`(
        name: String,
        bytes: String,
        expected: String
    ) async throws {
        let server = try await HTTPTestServer.start { .echo($0) }
        let response = try await RawClient.exchange([bytes], port: server.port)
        #expect(response.hasPrefix(expected), "\(name): \(response)")
        #expect(response.contains("\r\nConnection: close\r\n"), "\(name): \(response)")
        #expect(server.requests.isEmpty)
        #expect(try await HTTPClient().send(HTTPRequest(server.url)).status == .ok)
    }

    @Test func `a request that arrives in pieces is one request`() async throws {
        let server = try await HTTPTestServer.start { .text($0.text) }
        let fields = "Host: x\r\nConnection: close\r\nContent-Length: 3\r\n"
        let message = "POST /x HTTP/1.1\r\n\(fields)\r\nabc"
        let response = try await RawClient.exchange(message.map(String.init), port: server.port)
        #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(response.hasSuffix("\r\n\r\nabc"))
    }

    @Test func `pipelined requests are answered in order`() async throws {
        let server = try await HTTPTestServer.start { .text($0.target) }
        let response = try await RawClient.exchange(
            [
                "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET /3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            ],
            port: server.port
        )
        let bodies = response.split(separator: "\r\n").map { $0.prefix(2) }.filter {
            $0.hasPrefix("/")
        }
        #expect(bodies == ["/1", "/2", "/3"])
        #expect(server.requests.map(\.target) == ["/1", "/2", "/3"])
        #expect(server.connectionCount == 1)
    }

    @Test func `a chunked request is received completely, with its trailers`() async throws {
        let server = try await HTTPTestServer.start { .text($0.text) }
        let response = try await RawClient.exchange(
            [
                "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n",
                "2\r\nab\r\n1;e=1\r\nc\r\n0\r\nX-T: 1\r\n\r\n",
            ],
            port: server.port
        )
        #expect(response.hasSuffix("\r\n\r\nabc"))
        #expect(server.requests.first?.trailers["X-T"] == "1")
    }

    @Test func `a client that sends Expect gets 100 Continue`() async throws {
        let server = try await HTTPTestServer.start { .text($0.text) }
        let response = try await RawClient.exchange(
            [
                "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n"
                    + "Content-Length: 1\r\n\r\n",
                "a",
            ],
            port: server.port
        )
        #expect(response.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"))
    }

    @Test func `an HTTP 1.0 connection closes after each response, without chunks`() async throws {
        let server = try await HTTPTestServer.start { _ in .chunks(["a", "b"]) }
        let response = try await RawClient.exchange(["GET / HTTP/1.0\r\n\r\n"], port: server.port)
        #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(!response.contains("chunked"))
        #expect(response.hasSuffix("\r\n\r\nab"))
    }

    @Test func `RFC 9112 §7.1: chunks are framed correctly`() async throws {
        let server = try await HTTPTestServer.start { _ in .chunks(["one", "seventeen letters"]) }
        let response = try await RawClient.exchange(
            ["GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"],
            port: server.port
        )
        #expect(response.hasSuffix("\r\n\r\n3\r\none\r\n11\r\nseventeen letters\r\n0\r\n\r\n"))
    }

    @Test func `framing fields set by the handler are sent, even if wrong`() async throws {
        let server = try await HTTPTestServer.start { _ in
            .text("abc").header(.contentLength, "10")
        }
        let response = try await RawClient.exchange(
            ["GET / HTTP/1.1\r\nHost: x\r\n\r\n"],
            port: server.port
        )
        #expect(response.contains("\r\nContent-Length: 10\r\n"))
        #expect(response.hasSuffix("\r\n\r\nabc"))
    }
}

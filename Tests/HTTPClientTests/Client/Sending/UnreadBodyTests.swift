import HTTPClient
import HTTPTestServer
import Support
import Testing

/// Tests the draining of connections whose response is dropped before its end.
@Suite(.timeLimit(.minutes(10))) struct UnreadBodyTests {
    private func client(_ bounds: HTTPClientConfiguration.UnreadBodyPolicy = .init()) -> HTTPClient
    {
        var configuration = HTTPClient.Configuration()
        configuration.unreadBodyPolicy = bounds
        return HTTPClient(configuration)
    }

    /// Sends three requests, drops each response unread, and returns the number of connections used.
    private func connections(
        _ reply: String,
        _ bounds: HTTPClientConfiguration.UnreadBodyPolicy = .init()
    ) async throws -> Int {
        let origin = try ScriptedOrigin(.always(reply))
        let client = client(bounds)
        for _ in 0..<3 { _ = try await client.stream(HTTPRequest(origin.url)).status }
        return origin.connectionCount
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 1),
        ("HTTP/1.1 204 No Content\r\n\r\n", 1),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 1),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nT: x\r\n\r\n", 1),
        ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello", 1),
        ("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello", 3),
        ("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", 3),
        ("HTTP/1.1 200 OK\r\n\r\nuntil close", 3),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 3),
    ])
    func `the buffered rest of a dropped body is discarded, and the connection reused`(
        reply: String,
        count: Int
    ) async throws {
        #expect(try await connections(reply) == count)
    }

    @Test func `draining an unread body is limited in bytes`() async throws {
        let reply = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        #expect(try await connections(reply, .close) == 3)
        #expect(try await connections(reply, .init(bytes: 4)) == 3)
        #expect(try await connections(reply, .init(bytes: 5)) == 1)
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        #expect(try await connections(chunked, .init(bytes: 4)) == 3)
        #expect(try await connections(chunked, .init(bytes: 5)) == 1)
    }

    @Test func `the rest of a dropped body is drained in the background`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc"), .pause(gate),
            .reply("def"), .expectHead, .reply("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
        ])
        var configuration = HTTPClient.Configuration()
        configuration.maxConnectionsPerOrigin = 1
        configuration.unreadBodyPolicy.time = .seconds(30)
        let client = HTTPClient(configuration)
        _ = try await client.stream(HTTPRequest(origin.url)).status
        // The limit is one connection, so this request waits for the first connection.
        async let second = client.send(HTTPRequest(origin.url))
        await gate.arrival()
        gate.open()
        #expect(try await second.text == "ok")
        #expect(origin.connectionCount == 1)
        #expect(origin.failures == [])
    }

    @Test func `a rest that takes too long closes the connection`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc"), .pause(gate),
        ])
        let client = client(.init(time: .milliseconds(20)))
        _ = try await client.stream(HTTPRequest(origin.url)).status
        while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
        gate.open()
        _ = client
    }

    @Test func `a partly read body is drained from its current position`() async throws {
        let server = try await HTTPTestServer.start { request in
            .text(String(repeating: request.target == "/a" ? "a" : "b", count: 20_000))
        }
        let client = client()
        for _ in 0..<5 {
            do {
                let response = try await client.stream(HTTPRequest(server.url + "/a"))
                var body = response.body.makeAsyncIterator()
                #expect(try await body.next() != nil)
            }
            let text = try await client.send(HTTPRequest(server.url + "/b")).text
            #expect(text == String(repeating: "b", count: 20_000))
        }
        #expect(server.connectionCount == 1)
    }

    @Test func `dropping the client ends draining`() async throws {
        let gate = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc"), .pause(gate),
        ])
        do {
            let client = client(.init(time: .seconds(60)))
            _ = try await client.stream(HTTPRequest(origin.url)).status
        }
        while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
        gate.open()
    }
}

import ClientSupport
import HTTPClient
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct StreamTests {
    @Test func `the head is delivered before the body`() async throws {
        let rest = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc"), .pause(rest),
            .reply("def"),
        ])
        let response = try await HTTPClient().stream(HTTPRequest(origin.url))
        #expect(response.status == .ok)
        #expect(response.trailers == nil)
        var body = response.body.makeAsyncIterator()
        #expect(try await body.next() == Array("abc".utf8))
        rest.open()
        #expect(try await body.next() == Array("def".utf8))
        #expect(try await body.next() == nil)
        #expect(try await body.next() == nil)
        #expect(response.trailers?.isEmpty == true)
        #expect(response.metrics.bodyBytesReceived == 6)
    }

    @Test func `a connection is reused after its body was read to the end`() async throws {
        let origin = try ScriptedOrigin(
            .always("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n")
        )
        let client = HTTPClient()
        for _ in 0..<3 {
            let body = try await client.stream(HTTPRequest(origin.url)).body.collect()
            #expect(body == [UInt8(ascii: "a")])
        }
        #expect(origin.connectionCount == 1)
    }

    @Test func `dropping an unread endless body closes its connection`() async throws {
        let block = [UInt8](repeating: 1, count: 65536)
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\n\r\n"), .replyForever(block),
        ])
        let client = HTTPClient()
        do {
            let response = try await client.stream(HTTPRequest(origin.url))
            var body = response.body.makeAsyncIterator()
            #expect(try await body.next() != nil)
        }
        while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
    }

    @Test func `a streamed body is delivered completely, in chunks of at most 512 KiB`()
        async throws
    {
        let block = [UInt8](repeating: 1, count: 1 << 20)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(64 << 20)\r\n\r\n"
        let origin = try ScriptedOrigin([
            .expectHead, .reply(head), .repeat(64, [.reply(block)]),
        ])
        var response: HTTPStreamedResponse? = try await HTTPClient().stream(HTTPRequest(origin.url))
        var total = 0
        if let body = response?.body {
            for try await chunk in body {
                #expect(chunk.count <= 512 << 10)
                #expect(!chunk.isEmpty)
                total += chunk.count
            }
        }
        response = nil
        #expect(total == 64 << 20)
    }

    @Test func `the error of a collected stream has the bytes before it`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
        let origin = try ScriptedOrigin([.expectHead, .reply(head + "hello"), .close])
        let response = try await HTTPClient().stream(origin.url)
        let error = await failure { try await response.body.collect() }
        #expect(error?.kind == .truncatedResponse(.bodyTruncated(received: 5, expected: 10)))
        #expect(error?.partialBody == Array("hello".utf8))
    }

    @Test func `collecting a stream stops at its limit`() async throws {
        let block = [UInt8](repeating: 1, count: 65536)
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\n\r\n"), .replyForever(block),
        ])
        let response = try await HTTPClient().stream(HTTPRequest(origin.url))
        let error = await failure {
            try await response.body.collect(upTo: 100_000)
        }
        #expect(error?.kind == .bodyTooLarge(limit: 100_000))
    }

    @Test func `a truncated stream throws after its bytes are read`() async throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .close,
        ])
        let response = try await HTTPClient().stream(HTTPRequest(origin.url))
        var body = response.body.makeAsyncIterator()
        #expect(try await body.next() == Array("abc".utf8))
        let error = await failure { try await body.next() }
        #expect(error?.kind == .truncatedResponse(.bodyTruncated(received: 3, expected: 9)))
    }

    @Test func `a streamed response outlives its client`() async throws {
        let rest = Gate()
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc"), .pause(rest),
            .reply("def"),
        ])
        let response = try await HTTPClient().stream(HTTPRequest(origin.url))
        rest.open()
        #expect(try await response.body.collect() == Array("abcdef".utf8))
    }

    @Test func `valid bytes before an error are delivered before the error`() async throws {
        let reply = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nxyz\r\n"
        let origin = try ScriptedOrigin([.expectHead, .reply(reply), .close])
        let response = try await HTTPClient().stream(HTTPRequest(origin.url))
        var body = response.body.makeAsyncIterator()
        #expect(try await body.next() == Array("abc".utf8))
        let error = await failure { try await body.next() }
        guard case .malformedResponse = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(try await body.next() == nil)
    }
}

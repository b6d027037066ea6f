import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Testing

/// Tests the client with HAProxy as a reverse proxy in front of a server.
@Suite(.timeLimit(.minutes(10))) struct HAProxyTests {
    @Test func `many requests through HAProxy are answered by the server`() async throws {
        let server = try await HTTPTestServer.start { .text($0.target) }
        let haproxy = try LoopbackProgram.haproxy(upstream: server.port)
        let client = HTTPClient()
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for number in 0..<50 {
                        let target = "/\(worker)/\(number)"
                        let response = try? await client.send(HTTPRequest(haproxy.url + target))
                        #expect(response?.text == target)
                    }
                }
            }
        }
        await expectUnharmed(client, next: HTTPRequest(haproxy.url), ports: haproxy.port)
        haproxy.stop()
    }

    @Test func `an error of HAProxy is a response`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("hello") }
        let haproxy = try LoopbackProgram.haproxy(upstream: server.port)
        let client = HTTPClient()
        for _ in 0..<2 {
            let down = try await client.send(HTTPRequest(haproxy.url + "/down"))
            #expect(down.status == .serviceUnavailable)
            #expect(down.text.contains("No server is available"))
            let denied = try await client.send(HTTPRequest(haproxy.url + "/denied"))
            #expect(denied.status == .forbidden)
            #expect(denied.text.contains("forbidden by administrative rules"))
        }
        // HAProxy rejects the request before it has read the body; the client still gets the response.
        let body = HTTPBody.bytes([UInt8](repeating: 1, count: 8 << 20))
        let post = HTTPRequest(haproxy.url + "/denied", method: .post, body: body)
        #expect(try await client.send(post).status == .forbidden)
        await expectUnharmed(client, next: HTTPRequest(haproxy.url), ports: haproxy.port)
        haproxy.stop()
    }

    @Test func `a server that hangs behind HAProxy gives a 504`() async throws {
        let server = try await HTTPTestServer.start {
            $0.path == "/stall" ? .stall : .text("hello")
        }
        let haproxy = try LoopbackProgram.haproxy(upstream: server.port)
        let client = HTTPClient()
        let response = try await client.send(HTTPRequest(haproxy.url + "/stall"))
        #expect(response.status == .gatewayTimeout)
        await expectUnharmed(client, next: HTTPRequest(haproxy.url), ports: haproxy.port)
        haproxy.stop()
    }

    @Test func `with option httpclose each request uses a new connection`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("hello") }
        let haproxy = try LoopbackProgram.haproxy(
            upstream: server.port,
            directives: "option httpclose"
        )
        let client = HTTPClient()
        for _ in 0..<3 {
            let response = try await client.send(HTTPRequest(haproxy.url))
            #expect(response.text == "hello")
            #expect(!response.metrics.isReused)
            #expect(response.metrics.replays == 0)
            #expect(await client.pool.snapshot().idle == 0)
        }
        await expectUnharmed(client, next: HTTPRequest(haproxy.url), ports: haproxy.port)
        haproxy.stop()
    }

    @Test func `a connection closed by HAProxy's keep-alive timeout is not used again`()
        async throws
    {
        let server = try await HTTPTestServer.start { _ in .text("hello") }
        let haproxy = try LoopbackProgram.haproxy(
            upstream: server.port,
            directives: "timeout http-keep-alive 100ms"
        )
        let client = HTTPClient()
        for _ in 0..<3 {
            let post = HTTPRequest(haproxy.url, method: .post, body: .string("once"))
            let response = try await client.send(post)
            #expect(response.text == "hello")
            #expect(!response.metrics.isReused)
            while await client.pool.snapshot().idle > 0 { await moment() }
        }
        #expect(server.requests.count == 3)
        await expectUnharmed(client, next: HTTPRequest(haproxy.url), ports: haproxy.port)
        haproxy.stop()
    }

    @Test func `requests near HAProxy's keep-alive timeout are all answered`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("hello") }
        let haproxy = try LoopbackProgram.haproxy(
            upstream: server.port,
            directives: "timeout http-keep-alive 5ms"
        )
        let client = HTTPClient()
        for number in 0..<60 {
            // Before, at, and after the timeout: each request must be answered or retried.
            let end = ContinuousClock.now + .microseconds(4000 + number * 50)
            while ContinuousClock.now < end { await moment() }
            #expect(try await client.send(HTTPRequest(haproxy.url)).text == "hello")
        }
        await expectUnharmed(client, next: HTTPRequest(haproxy.url), ports: haproxy.port)
        haproxy.stop()
    }
}

import HTTPClient
import HTTPTestServer
import Support
import Testing

@Suite struct HTTPTestServerTests {
    @Test func `a server answers requests and records them`() async throws {
        let server = try await HTTPTestServer.start { _ in .json(#"{"ok": true}"#) }
        let response = try await HTTPClient().send(HTTPRequest(server.url + "/x?y=1"))

        #expect(response.status == .ok)
        #expect(response.headers[.contentType] == "application/json")
        #expect(response.text == #"{"ok": true}"#)
        let request = try #require(server.requests.first)
        #expect(server.requests.count == 1)
        #expect(request.method == .get)
        #expect(request.target == "/x?y=1")
        #expect(request.path == "/x")
        #expect(request.query == "y=1")
        #expect(request.headers[.host] == "127.0.0.1:\(server.port)")
        #expect(request.connection == 1)
    }

    @MainActor @Test func `a caller on the main actor is served`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("main") }
        let response = try await HTTPClient().send(HTTPRequest(server.url))
        #expect(response.text == "main")
    }

    @Test func `a route matches method and path first, then path`() async throws {
        let server = try await HTTPTestServer.start(routes: [
            "/a": .text("any"), "POST /a": .text("post"), "/b": .status(.noContent),
        ])
        let client = HTTPClient()
        #expect(try await client.send(HTTPRequest(server.url + "/a?q")).text == "any")
        let post = HTTPRequest(server.url + "/a", method: .post, body: .string("x"))
        #expect(try await client.send(post).text == "post")
        #expect(try await client.send(HTTPRequest(server.url + "/b")).status == .noContent)
        #expect(try await client.send(HTTPRequest(server.url + "/c")).status == .notFound)
        #expect(server.connectionCount == 1)
    }

    @Test func `a handler that throws gives a 500, and the server continues`() async throws {
        struct TestError: Error {}
        let server = try await HTTPTestServer.start { request in
            guard request.path == "/good" else { throw TestError() }
            return .text("good")
        }
        let client = HTTPClient()
        let bad = try await client.send(HTTPRequest(server.url + "/bad"))
        #expect(bad.status == .internalServerError)
        #expect(bad.text == "TestError()\n")
        #expect(try await client.send(HTTPRequest(server.url + "/good")).text == "good")
    }

    @Test func `a response with an invalid field gives a 500 with the reason`() async throws {
        let server = try await HTTPTestServer.start { _ in
            .text("x").header("X-Bad", "a\r\nb")
        }
        let response = try await HTTPClient().send(HTTPRequest(server.url))
        #expect(response.status == .internalServerError)
        #expect(
            response.text.hasPrefix("the response cannot be sent: the value of header 2 contains")
        )
    }

    @Test func `a hundred simultaneous requests are all answered and recorded`() async throws {
        let server = try await HTTPTestServer.start { request in .echo(request) }
        let client = HTTPClient()
        try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<100 {
                group.addTask { try await client.send(HTTPRequest(server.url + "/\(number)")).text }
            }
            var seen = 0
            for try await text in group {
                #expect(text.contains(#""method": "GET""#))
                seen += 1
            }
            #expect(seen == 100)
        }
        let targets = Set(server.requests.map(\.target))
        #expect(targets.count == 100)
        #expect(server.connectionCount <= 64)
    }

    @Test func `a stopped server refuses connections, and a second stop does nothing`() async throws
    {
        let server = try await HTTPTestServer.start { _ in .stall }
        let client = HTTPClient()
        let hanging = Task { try await client.send(HTTPRequest(server.url)) }
        while server.requests.isEmpty { await moment() }
        await server.stop()
        await server.stop()
        await #expect(throws: HTTPError.self) { try await hanging.value }
        let failure = await #expect(throws: HTTPError.self) {
            try await client.send(HTTPRequest(server.url))
        }
        guard case .connectFailed = failure?.kind else {
            Issue.record("expected a refused connection, got \(String(describing: failure))")
            return
        }
    }

    @Test func `a released server closes its port`() async throws {
        var server: HTTPTestServer? = try await HTTPTestServer.start { _ in .text("here") }
        let url = try #require(server?.url)
        let client = HTTPClient()
        #expect(try await client.send(HTTPRequest(url)).text == "here")
        server = nil
        for _ in 0..<1000 {
            do {
                _ = try await client.send(HTTPRequest(url))
            } catch {
                guard case .connectFailed = error.kind else { continue }
                return
            }
        }
        Issue.record("the port is still open")
    }

    @Test func `a blocking call is answered by the server's own thread`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("blocking") }
        let client = HTTPClient()
        let text = await withCheckedContinuation { continuation in
            BlockingThread.run {
                let response = try? client.blocking.send(HTTPRequest(server.url))
                continuation.resume(returning: response?.text)
            }
        }
        #expect(text == "blocking")
    }
}

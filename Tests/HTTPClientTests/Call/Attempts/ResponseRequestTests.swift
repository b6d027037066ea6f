import ClientSupport
import HTTPClient
import HTTPTestServer
import Testing

/// An interceptor that answers each request itself.
private struct OwnAnswer: HTTPInterceptor {
    func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPInterceptorResult {
        .response(try HTTPResponse(for: request))
    }
}

/// Verifies the request that a response belongs to.
@Suite(.timeLimit(.minutes(10))) struct ResponseRequestTests {
    /// Starts a server that redirects a POST from `/old` to `/new`.
    private func redirecting() async throws -> HTTPTestServer {
        try await HTTPTestServer.start { request in
            request.path == "/old" ? .redirect(to: "/new", status: .seeOther) : .text("new")
        }
    }

    @Test func `a response has the head of its request as it was sent`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("ok") }
        let client = HTTPClient().with { $0.headers["X-Client"] = "1" }
        let request = HTTPRequest(server.url + "/a?b=c", headers: ["X-Request": "2"])
        let response = try await client.send(request)
        let sent = try #require(server.requests.first)
        #expect(response.request.method == .get)
        #expect(response.request.target.description == "/a?b=c")
        #expect(response.request.headers.map(\.name) == sent.headers.map(\.name))
        #expect(response.request.headers["X-Client"] == "1")
        #expect(response.request.headers["X-Request"] == "2")
        #expect(response.originalRequest == response.request)
        let streamed = try await client.stream(request)
        #expect(streamed.request == response.request)
        #expect(streamed.originalRequest == response.request)
        let blocking = try await onThread { Result { try client.blocking.send(request) } }.get()
        #expect(blocking.request == response.request)
    }

    @Test func `after a redirect a response has the first and the last request`() async throws {
        let server = try await redirecting()
        let request = HTTPRequest(server.url + "/old", method: .post, body: .string("x"))
        let response = try await HTTPClient().send(request)
        #expect(response.request.method == .get)
        #expect(response.request.target.description == "/new")
        #expect(response.originalRequest.method == .post)
        #expect(response.originalRequest.target.description == "/old")
        #expect(response.redirects.map(\.request) == [response.originalRequest])
        let streamed = try await HTTPClient().stream(request)
        #expect(streamed.request.target.description == "/new")
        #expect(streamed.originalRequest == response.originalRequest)
    }

    @Test func `a response of the cache and of an interceptor has its request`() async throws {
        let server = try await HTTPTestServer.start { _ in
            .text("x", [.cacheControl: "max-age=60"])
        }
        var configuration = HTTPClientConfiguration()
        configuration.cache = .memory()
        let client = HTTPClient(configuration)
        for _ in 0..<2 {
            let response = try await client.send(HTTPRequest(server.url + "/stored"))
            #expect(response.request.target.description == "/stored")
        }
        #expect(server.requests.count == 1)
        let answering = HTTPClient().with {
            $0.interceptors = [OwnAnswer()]
        }
        let response = try await answering.send(HTTPRequest(server.url + "/own", method: .put))
        #expect(response.request.method == .put)
        #expect(response.request.target.description == "/own")
    }

    @Test func `a response describes its request as a curl command without secrets`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("ok") }
        let request = HTTPRequest(
            server.url + "/a?token=7f3a",
            headers: [.authorization: "Bearer 9c1d", .accept: "text/plain"]
        )
        let command = try await HTTPClient().send(request).curlDescription
        #expect(command.hasPrefix("curl"))
        #expect(command.contains("'Authorization: Bearer ***'"))
        #expect(command.contains("-H 'Accept: text/plain'"))
        #expect(command.contains("/a?token=***"))
        #expect(!command.contains("7f3a") && !command.contains("9c1d"))
        #expect(!command.contains("Host:"))
    }
}

import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests that retries consider all requests of a call, and that removed credentials stay removed.
@Suite(.timeLimit(.minutes(10))) struct RetrySafetyTests {
    private func makeClient(
        _ change: (inout HTTPClient.Settings) -> Void = { _ in }
    ) -> HTTPClient {
        var validator = HTTPDefaultValidator()
        validator.strategy = .immediate
        return HTTPClient().with {
            $0.validators = [validator]
            change(&$0)
        }
    }

    @Test func `a POST is not repeated if the GET it redirected to failed`() async throws {
        let server = try await HTTPTestServer.start { request in
            switch (request.method, request.path) {
            case (.post, "/orders"): .redirect(to: "/order", status: .seeOther)
            case (.post, "/moved"): .redirect(to: "/accepting", status: .temporaryRedirect)
            case (.post, _): .status(.unauthorized)
            default: .reset
            }
        }
        let error = await failure {
            try await makeClient().send(HTTPRequest(.post, server.url + "/orders"))
        }
        #expect(error?.isRetrySafe == false)
        #expect(server.requests.count { $0.method == .post } == 1)
        // After a 307 nothing was executed, and after a 401 nothing will be.
        let login = HTTPRefreshValidator { _, _, _ in
        } apply: { _, _ in
        }
        let client = HTTPClient().with { $0.validators = [login] }
        let refused = try await client.send(HTTPRequest(.post, server.url + "/moved"))
        #expect(refused.status == .unauthorized)
        #expect(server.requests.count { $0.path == "/accepting" } == 3)
    }

    @Test func `the request that answers a challenge carries cookies set with it`() async throws {
        let server = try await HTTPTestServer.start { request in
            if request.headers[.authorization] != nil {
                return .text(request.headers[.cookie] ?? "none")
            }
            return .status(.unauthorized).header(.wwwAuthenticate, "Basic realm=\"r\"")
                .header(.setCookie, "session=1")
        }
        let client = HTTPClient().with {
            $0.authentication = .any(user: "ada", password: "secret")
            $0.cookies = .automatic
        }
        #expect(try await client.send(HTTPRequest(server.url)).text == "session=1")
    }

    @Test func `all Cookie lines of a request are sent with the jar's`() async throws {
        let server = try await HTTPTestServer.start { request in
            .text(request.headers.values(.cookie).joined(separator: "|"))
        }
        let client = HTTPClient().with { $0.cookies = .automatic }
        let url = try URI(server.url)
        client.cookies?.set("b", "jar", for: url)
        client.cookies?.set("c", "3", for: url)
        var request = HTTPRequest(server.url)
        request.headers.append(.cookie, "a=1")
        request.headers.append(.cookie, "b=2")
        #expect(try await client.send(request).text == "a=1; b=2; c=3")
    }

    @Test func `credentials stay removed after redirects back and in retried requests`()
        async throws
    {
        let urls = Locked<[String]>([])
        @Sendable func answer(
            _ request: HTTPTestServer.Request,
            _ other: Int
        ) -> HTTPTestServer.Response {
            switch request.path {
            case "/away": .redirect(to: urls.withLock { $0[other] } + "/back", status: .found)
            case "/back": .redirect(to: urls.withLock { $0[other] } + "/home", status: .found)
            default: .text(request.headers[.authorization] ?? "none")
            }
        }
        let first = try await HTTPTestServer.start { answer($0, 1) }
        let second = try await HTTPTestServer.start { answer($0, 0) }
        urls.withLock { $0 = [first.url, second.url] }
        let start = HTTPRequest(first.url + "/away")
        let bearer = start.authentication(.bearer("t"))
        let client = HTTPClient()
        #expect(try await client.send(bearer).text == "none")
        let trusting = client.with { $0.redirects.sendsCredentialsCrossOrigin = true }
        #expect(try await trusting.send(bearer).text == "Bearer t")
        let common = client.with { $0.headers[.authorization] = "Bearer common" }
        let rebuilt = HTTPRequest(first.url + "/away").with {
            $0.redirectMode = .custom { step, _ in HTTPRequest(step.location.text) }
        }
        #expect(try await common.send(rebuilt).text == "none")
        #expect(second.requests.allSatisfy { $0.headers[.authorization] != "Bearer common" })
    }

    @Test func `a canceled call throws cancelled, regardless of timeouts`() async throws {
        let server = try await HTTPTestServer.start { _ in .stall }
        let client = makeClient {
            $0.timeouts.total = .seconds(3600)
            $0.interceptors = [PassThroughInterceptor()]
        }
        let task = Task { await failure { try await client.send(HTTPRequest(server.url)) } }
        while server.requests.isEmpty { await moment() }
        task.cancel()
        #expect(await task.value?.kind == .cancelled)
    }

    @Test func `an interceptor that returns an abandoned streamed response fails the call`()
        async throws
    {
        struct HedgingInterceptor: HTTPInterceptor {
            var scope: HTTPInterceptorScope { .call }

            func intercept(
                _ request: HTTPRequest,
                _ context: HTTPContext,
                next: HTTPNext
            ) async throws -> HTTPInterceptorResult {
                let first = try await next(request)
                _ = try await next(request)
                return first
            }
        }
        let server = try await HTTPTestServer.start { _ in .text("body") }
        let client = HTTPClient().with { $0.interceptors = [HedgingInterceptor()] }
        #expect(try await client.send(HTTPRequest(server.url)).text == "body")
        let error = await failure { try await client.stream(HTTPRequest(server.url)) }
        guard case .interceptorFailed? = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a streamed rejection releases its queue slot while its call waits`() async throws {
        let server = try await HTTPTestServer.start { request in
            if request.path == "/login" { return .text("t") }
            return request.headers["X-Token"] == "t" ? .text("in") : .status(.unauthorized)
        }
        let login = HTTPRequest(server.url + "/login")
        let queue = HTTPClientQueue(maxSimultaneousRequests: 1)
        let other = HTTPClient().with { $0.queue = queue }
        let validator = HTTPRefreshValidator { _, _, _ in
            try await other.send(login).text
        } apply: { token, request in
            request.headers["X-Token"] = token
        }
        let client = other.with { $0.validators = [validator] }
        let response = try await client.stream(HTTPRequest(server.url + "/a"))
        #expect(try await response.body.collect() == Array("in".utf8))
    }
}

private struct PassThroughInterceptor: HTTPInterceptor {
    func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPInterceptorResult { try await next(request) }
}

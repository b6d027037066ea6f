import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CookiesAndCredentialsTests {
    /// Starts a server that sets a cookie at `/set` and `/login`, and returns the received cookies at `/`.
    private func cookieServer() async throws -> HTTPTestServer {
        try await HTTPTestServer.start { request in
            switch request.path {
            case "/set":
                return .status(.ok, headers: [.setCookie: "a=\(request.query ?? ""); Path=/"])
            case "/login":
                return .status(.found, headers: [.location: "/", .setCookie: "session=1"])
            default: return .text(request.headers[.cookie] ?? "none")
            }
        }
    }

    @Test func `cookies of one request replace those of the jar`() async throws {
        let server = try await cookieServer()
        let client = HTTPClient().with { $0.cookies = .automatic }
        _ = try await client.send(HTTPRequest(server.url + "/set?1"))
        let cookies = try [("b", "2"), ("c", "3"), ("b", "4")].map { name, value in
            try #require(Cookie(name, value, domain: "other.example", expires: 0, isSecure: true))
        }
        let request = HTTPRequest(server.url).header("Cookie", "c=0; d=5").cookies(cookies)
        #expect(request.headers[.cookie] == "d=5; c=3; b=4")
        #expect(try await client.send(request).text == "d=5; c=3; b=4; a=1")
        let own = try #require(Cookie("a", "own", domain: "x"))
        #expect(try await client.send(HTTPRequest(server.url).cookies([own])).text == "a=own")
        #expect(HTTPRequest(server.url).cookies([]).headers[.cookie] == nil)
        let other = try await HTTPTestServer.start { .text($0.headers[.cookie] ?? "none") }
        let redirecting = try await HTTPTestServer.start { _ in .redirect(to: other.url) }
        let redirected = HTTPRequest(redirecting.url).cookies([own])
        #expect(try await HTTPClient().send(redirected).text == "none")
    }

    @Test func `cookies are sent back, and derived clients share them`() async throws {
        let server = try await cookieServer()
        let client = HTTPClient().with { $0.cookies = .automatic }
        let url = server.url
        #expect(try await client.send(HTTPRequest(url)).text == "none")
        _ = try await client.send(HTTPRequest(url + "/set?1"))
        #expect(try await client.send(HTTPRequest(url)).text == "a=1")
        #expect(
            try await client.with { $0.redirects = .refuse }.send(HTTPRequest(url)).text == "a=1"
        )
        #expect(try await HTTPClient().send(HTTPRequest(url)).text == "none")
        #expect(
            try await client.with { $0.cookies = .disabled }.send(HTTPRequest(url)).text == "none"
        )
        #expect(client.cookies?.cookies.map(\.name) == ["a"])
        let own = HTTPRequest(url).header("Cookie", "mine=1")
        #expect(try await client.send(own).text == "mine=1; a=1")
        #expect(try await client.send(own.header("Cookie", "mine=1; a=2")).text == "mine=1; a=2")
        let fixed = client.with { $0.headers[.cookie] = "all=1" }
        #expect(try await fixed.send(HTTPRequest(url)).text == "all=1")
        let jar = CookieJar()
        let kept = HTTPClient().with { $0.cookies = .jar(jar) }
        let streamed = try await kept.stream(HTTPRequest(url + "/set?2"))
        _ = try await streamed.body.collect()
        #expect(jar.cookies.map(\.value) == ["2"])
        let blocking = await onThread { Result { try kept.blocking.send(HTTPRequest(url)).text } }
        #expect(try blocking.get() == "a=2")
        #expect(try await kept.start(HTTPRequest(url)).value.text == "a=2")
    }

    @Test func `clients derived from one without a jar have separate jars`()
        async throws
    {
        let server = try await cookieServer()
        let (url, shared) = (server.url, HTTPClient())
        let users = (0..<2).map { _ in shared.with { $0.cookies = .automatic } }
        for (index, user) in users.enumerated() {
            _ = try await user.send(HTTPRequest(url + "/set?\(index)"))
        }
        #expect(try await users[0].send(HTTPRequest(url)).text == "a=0")
        #expect(try await users[1].send(HTTPRequest(url)).text == "a=1")
        #expect(try await shared.send(HTTPRequest(url)).text == "none" && shared.cookies == nil)
    }

    @Test func `a body that is not replayable cannot answer a challenge`() async throws {
        let server = try await HTTPTestServer.start { request in
            request.headers.contains(.authorization)
                ? .text("in")
                : .status(.unauthorized, headers: ["WWW-Authenticate": "Basic realm=r"])
        }
        func ask(_ authentication: HTTPAuthentication?) async throws -> HTTPResponse {
            let pieces = AsyncStream<[UInt8]> { stream in
                stream.yield([0x61])
                stream.finish()
            }
            var request = HTTPRequest(.post, server.url)
            request.body = .stream(pieces, contentType: nil)
            request.authentication = authentication
            return try await HTTPClient().send(request)
        }
        let error = await failure { try await ask(.any(user: "me", password: "pw")) }
        #expect(error?.kind == .bodyFailed(.notReplayable(.challenge)))
        #expect(error?.head?.status == .unauthorized)
        // Without usable credentials there is no retry, so the 401 is the response.
        #expect(try await ask(nil).status == .unauthorized)
        #expect(try await ask(.digest(user: "me", password: "pw")).status == .unauthorized)
    }

    @Test func `a cookie set by a redirect is sent with the next request`() async throws {
        let server = try await cookieServer()
        let client = HTTPClient().with { $0.cookies = .automatic }
        let response = try await client.send(HTTPRequest(server.url + "/login"))
        #expect(response.text == "session=1" && response.redirects.count == 1)
    }

    @Test func `cookies are sent only to their hosts`() async throws {
        let server = try await cookieServer()
        let client = HTTPClient().with { $0.cookies = .automatic }
        _ = try await client.send(HTTPRequest(server.url + "/set?1"))
        // Cookies are not limited to a port (RFC 6265 §8.5), but to a host.
        let away = try await HTTPTestServer.start { _ in
            .redirect(to: "http://localhost:\(server.port)/")
        }
        #expect(try await client.send(HTTPRequest(away.url)).text == "none")
    }

    // MARK: - Credentials

    /// Starts a server that requires Basic credentials, and redirects from `/away` to `elsewhere`.
    private func guarded(_ elsewhere: String = "") async throws -> HTTPTestServer {
        try await HTTPTestServer.start { request in
            guard request.headers[.authorization] == "Basic dXNlcjpzZWNyZXQ=" else {
                return .status(
                    .unauthorized,
                    headers: [.wwwAuthenticate: "Basic realm=\"here\", charset=\"UTF-8\""]
                )
            }
            return request.path == "/away" ? .redirect(to: elsewhere) : .text("in")
        }
    }

    @Test func `a challenge is answered, and later requests authenticate preemptively`()
        async throws
    {
        let server = try await guarded()
        let client = HTTPClient().with {
            $0.authentication = .any(user: "user", password: "secret")
        }
        let response = try await client.send(HTTPRequest(server.url + "/a"))
        #expect(response.text == "in")
        #expect(response.metrics.attempts.map(\.reason) == [.first, .challenge])
        #expect(try await client.send(HTTPRequest(server.url + "/b")).metrics.attempts.count == 1)
        let streamed = try await client.stream(HTTPRequest(server.url + "/c"))
        #expect(try await streamed.body.collect() == Array("in".utf8))
        let post = HTTPRequest(server.url + "/p", method: .post, body: .string("x"))
        #expect(try await client.send(post).text == "in")
    }

    @Test func `wrong credentials are sent once, and the 401 is returned`() async throws {
        let server = try await guarded()
        let request = HTTPRequest(server.url).authentication(.any(user: "user", password: "no"))
        let response = try await HTTPClient().send(request)
        #expect(response.status == .unauthorized)
        #expect(server.requests.count == 2)
    }

    @Test func `a server that regards every nonce as stale gets a limited number of answers`()
        async throws
    {
        let count = Locked(0)
        let server = try await HTTPTestServer.start { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let challenge = "Digest realm=\"r\", nonce=\"\(number)\", stale=true"
            return .status(.unauthorized, headers: [.wwwAuthenticate: challenge])
        }
        let request = HTTPRequest(server.url).authentication(.any(user: "user", password: "no"))
        for _ in 0..<2 {
            count.withLock { $0 = 0 }
            let response = try await HTTPClient().send(request)
            #expect(response.status == .unauthorized)
            #expect(count.withLock { $0 } == 1 + AuthenticationState.maxAnswers)
        }
    }

    @Test func `credentials are not sent to another origin`() async throws {
        let other = try await HTTPTestServer.start { request in
            guard request.headers[.authorization] == nil else { return .text("leaked") }
            return .status(.unauthorized, headers: [.wwwAuthenticate: "Basic realm=\"here\""])
        }
        let server = try await guarded(other.url + "/x")
        for authentication in [
            HTTPAuthentication.basic(user: "user", password: "secret"),
            .any(user: "user", password: "secret"),
        ] {
            let client = HTTPClient().with { $0.authentication = authentication }
            let response = try await client.send(HTTPRequest(server.url + "/away"))
            #expect(response.status == .unauthorized && response.redirects.count == 1)
        }
        #expect(other.requests.allSatisfy { !$0.headers.contains(.authorization) })
    }

    @Test func `a hundred simultaneous rejections cause one refresh`() async throws {
        let refreshes = Locked(0)
        let server = try await HTTPTestServer.start { request in
            .status(request.headers[.authorization] == "Bearer new" ? .ok : .unauthorized)
        }
        let source = HTTPTokenSource("old") { _ in
            refreshes.withLock { $0 += 1 }
            return "new"
        }
        let client = HTTPClient().with { $0.authentication = .bearer(source) }
        let url = server.url
        let statuses = try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
            for _ in 0..<100 { group.addTask { try await client.send(HTTPRequest(url)).status } }
            return try await group.reduce(into: [HTTPStatus]()) { $0.append($1) }
        }
        #expect(statuses == [HTTPStatus](repeating: .ok, count: 100))
        #expect(refreshes.withLock { $0 } == 1)
    }
}

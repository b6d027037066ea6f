import ClientSupport
import HTTPClient
import Support
import Testing

/// Tests cookies, credentials, redirects and retries with other projects' servers, with and without
/// a proxy.
@Suite(.timeLimit(.minutes(10))) struct RealPoliciesTests {
    enum Route: CaseIterable, Sendable {
        case direct
        case proxied
    }

    /// Returns a proxy and a client that uses it, or only a client for direct connections.
    private func client(_ route: Route) throws -> (HTTPClient, ProxyProgram?) {
        var configuration = HTTPClient.Configuration()
        configuration.cookies = .automatic
        guard route == .proxied else {
            configuration.proxy = .direct
            return (HTTPClient(configuration), nil)
        }
        let proxy = try ProxyProgram(.tinyproxy)
        // tinyproxy closes connections without notice, possibly while a POST is sent.
        configuration.connectionReuse = .off
        configuration.proxy = .url("http://127.0.0.1:\(proxy.port)")
        return (HTTPClient(configuration), proxy)
    }

    @Test(arguments: Route.allCases)
    func `httpbin receives its cookies back, also after its own redirects`(
        route: Route
    ) async throws {
        let httpbin = try LoopbackProgram.httpbin()
        let (client, proxy) = try client(route)
        // httpbin answers 302, and the redirected request must already send the cookies.
        // One cookie at a time, because the proxy forwards at most one Set-Cookie field.
        _ = try await client.send(HTTPRequest(httpbin.url + "/cookies/set?a=1"))
        let set = try await client.send(HTTPRequest(httpbin.url + "/cookies/set?b=two"))
        #expect(set.redirects.map(\.status) == [.found])
        let both = try HTTPJSON(parsing: set.body)
        #expect(both["cookies"]["a"] == "1" && both["cookies"]["b"] == "two")
        let fewer = try await client.send(HTTPRequest(httpbin.url + "/cookies/delete?a"))
        let left = try HTTPJSON(parsing: fewer.body)
        #expect(left["cookies"]["a"] == .null && left["cookies"]["b"] == "two")
        #expect(client.cookies?.cookies.map(\.name) == ["b"])
        proxy?.stop()
        httpbin.stop()
    }

    @Test(arguments: [false, true])
    func `nginx receives its cookies back, also through squid on one connection`(
        isProxied: Bool
    ) async throws {
        let nginx = try Nginx(
            directives: """
                location /login {
                    add_header Set-Cookie "sid=n1; Path=/; HttpOnly" always;
                    add_header Set-Cookie "far=1; Domain=example.com" always;
                    return 302 /who;
                }
                location /who { return 200 "$http_cookie"; }
                location /out {
                    add_header Set-Cookie "sid=; Path=/; Max-Age=0" always;
                    return 302 /who;
                }
                """
        )
        let squid = isProxied ? try LoopbackProgram.squid() : nil
        var configuration = HTTPClient.Configuration()
        configuration.cookies = .automatic
        configuration.proxy = squid.map { .url($0.url) } ?? .direct
        let client = HTTPClient(configuration)
        let login = try await client.send(HTTPRequest(nginx.url + "/login"))
        #expect(login.text == "sid=n1" && login.redirects.map(\.status) == [.found])
        #expect(try await client.send(HTTPRequest(nginx.url + "/who")).metrics.isReused)
        #expect(try await client.send(HTTPRequest(nginx.url + "/out")).text.isEmpty)
        #expect(client.cookies?.cookies.isEmpty == true)
        nginx.stop()
        squid?.stop()
    }

    @Test(arguments: Route.allCases)
    func `httpbin receives credentials after its challenge`(route: Route) async throws {
        let httpbin = try LoopbackProgram.httpbin()
        let (plain, proxy) = try client(route)
        let ada = plain.with { $0.authentication = .any(user: "ada", password: "secret") }
        for path in ["/basic-auth/ada/secret", "/digest-auth/auth/ada/secret/SHA-256"] {
            let refused = try await plain.send(HTTPRequest(httpbin.url + path))
            #expect(refused.status == .unauthorized)
            let first = try await ada.send(HTTPRequest(httpbin.url + path))
            #expect(first.status == .ok && first.metrics.attempts.count == 2, "\(path)")
            #expect(first.metrics.attempts.last?.reason == .challenge)
            let second = try await ada.send(HTTPRequest(httpbin.url + path))
            #expect(second.status == .ok && second.metrics.attempts.count == 1, "\(path)")
        }
        proxy?.stop()
        httpbin.stop()
    }

    @Test(arguments: Route.allCases)
    func `httpbin's redirects are followed up to the limit`(route: Route) async throws {
        let httpbin = try LoopbackProgram.httpbin()
        let (client, proxy) = try client(route)
        for path in ["/redirect/3", "/relative-redirect/3", "/absolute-redirect/3"] {
            let response = try await client.send(HTTPRequest(httpbin.url + path))
            #expect(response.status == .ok && response.redirects.count == 3, "\(path)")
            #expect(response.url.text == httpbin.url + "/get")
        }
        let long = await failure {
            try await client.send(HTTPRequest(httpbin.url + "/redirect/11"))
        }
        #expect(long?.kind == .redirectFailed(.tooMany(limit: 10)))
        let target = "/redirect-to?url=/anything&status_code="
        for (status, method) in [(307, "POST"), (308, "POST"), (302, "GET"), (303, "GET")] {
            let post = HTTPRequest(
                httpbin.url + target + "\(status)",
                method: .post,
                body: .string("content")
            )
            let seen = try HTTPJSON(parsing: try await client.send(post).body)
            #expect(seen["method"] == .string(method), "\(status)")
            #expect(seen["data"] == (method == "POST" ? "content" : ""), "\(status)")
        }
        proxy?.stop()
        httpbin.stop()
    }

    @Test func `errors of httpbin are retried up to the limit`() async throws {
        let httpbin = try LoopbackProgram.httpbin()
        var validator = HTTPDefaultValidator(accepting: .successful)
        validator.strategy = .immediate
        let client = HTTPClient().with { [validator] in $0.validators = [validator] }
        let error = await failure {
            try await client.send(HTTPRequest(httpbin.url + "/status/503"))
        }
        #expect(error?.kind == .rejectedStatus(.serviceUnavailable))
        #expect(error?.metrics.attempts.count == 3)
        httpbin.stop()
    }

    @Test(arguments: Route.allCases)
    func `nginx receives credentials after its challenge, and another server none`(
        route: Route
    ) async throws {
        let directory = try TemporaryDirectory()
        let users = try directory.write("ada:{PLAIN}secret\n", as: "users")
        let other = try Nginx(
            directives: "location = /open { return 200 \"$http_authorization\"; }"
        )
        let nginx = try Nginx(
            directives: """
                location = /secret {
                    auth_basic "inner"; auth_basic_user_file \(users);
                    try_files /none @welcome;
                }
                location @welcome { return 200 "welcome $remote_user"; }
                location = /away { return 302 \(other.url)/open; }
                """
        )
        let (plain, proxy) = try client(route)
        let ada = plain.with { $0.authentication = .any(user: "ada", password: "secret") }
        let welcome = try await ada.send(HTTPRequest(nginx.url + "/secret"))
        #expect(welcome.text == "welcome ada" && welcome.metrics.attempts.count == 2)
        let away = try await ada.send(HTTPRequest(nginx.url + "/away"))
        #expect(away.status == .ok && away.text == "" && away.redirects.count == 1)
        proxy?.stop()
        nginx.stop()
        other.stop()
    }
}

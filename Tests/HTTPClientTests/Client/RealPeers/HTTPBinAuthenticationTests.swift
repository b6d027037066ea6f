import ClientSupport
import HTTPClient
import SocketTransport
import Support
import Testing
import Wire

/// Tests authentication with httpbin under gunicorn, which uses Werkzeug's digests.
@Suite(.timeLimit(.minutes(10))) struct HTTPBinAuthenticationTests {
    @Test func `httpbin accepts Basic, Digest and token credentials`() async throws {
        let httpbin = try LoopbackProgram.httpbin()
        let right = HTTPAuthentication.any(user: "ada", password: "secret")
        let wrong = HTTPAuthentication.any(user: "ada", password: "wrong")
        let paths = [
            "/basic-auth/ada/secret", "/digest-auth/auth/ada/secret",
            "/digest-auth/auth/ada/secret/MD5", "/digest-auth/auth/ada/secret/SHA-256",
            "/digest-auth/auth-int/ada/secret/SHA-256",
        ]
        for path in paths {
            let exchange = AuthenticatedExchange(
                memory: AuthenticationCache(),
                authentication: right
            )
            let request = HTTPRequest(httpbin.url + path)
            let first = try await exchange.send(request)
            #expect(first.response.status == .ok, "\(path)")
            #expect(first.response.text.contains("\"user\": \"ada\""))
            #expect(first.values.count == 2 && first.values[0] == nil, "\(path)")
            // The challenge is cached now, so the first attempt is authenticated.
            let second = try await exchange.send(request)
            #expect(second.response.status == .ok, "\(path)")
            #expect(second.values.count == 1 && second.values[0] != nil, "\(path)")
            let refused = try await AuthenticatedExchange(
                memory: exchange.memory,
                authentication: wrong
            ).send(request)
            #expect(refused.response.status == .unauthorized, "\(path)")
            #expect(refused.values.count == 2, "\(path)")
        }
        let bearer = AuthenticatedExchange(
            memory: AuthenticationCache(),
            authentication: .bearer(HTTPTokenSource { _ in "t0ken" })
        )
        let reply = try await bearer.send(HTTPRequest(httpbin.url + "/bearer"))
        #expect(reply.response.text.contains("\"token\": \"t0ken\""))
        httpbin.stop()
    }

    @Test func `a stale nonce of httpbin is replaced`() async throws {
        let httpbin = try LoopbackProgram.httpbin()
        let exchange = AuthenticatedExchange(
            memory: AuthenticationCache(),
            authentication: .digest(user: "ada", password: "secret")
        )
        let url = httpbin.url + "/digest-auth/auth/ada/secret/MD5"
        let first = try await exchange.send(HTTPRequest(url))
        #expect(first.response.status == .ok)
        let value = try #require(first.values.last ?? nil)
        let nonce = try #require(Challenge(value)?["nonce"])
        // httpbin regards the nonce in this cookie as used and demands another.
        let used = HTTPRequest(url, headers: [.cookie: "last_nonce=\(nonce)"])
        let second = try await exchange.send(used)
        #expect(second.response.status == .ok)
        #expect(second.values.count == 2 && second.values[0]?.hasSubstring(nonce) == true)
        #expect(second.values[1]?.hasSubstring(nonce) == false)
        // With this cookie httpbin regards every nonce as stale, so the client gives up.
        let endless = HTTPRequest(url, headers: [.cookie: "stale_after=0"])
        let third = try await exchange.send(endless)
        #expect(third.response.status == .unauthorized)
        #expect(third.values.count == 1 + AuthenticationState.maxAnswers)
        httpbin.stop()
    }
}

import ClientSupport
import HTTPClient
import HTTPTestServer
import Testing

@Suite(.timeLimit(.minutes(10))) struct RedirectTests {
    /// Starts a server that redirects from `/N` to `/N-1`, and answers `/0` with text.
    private func countdown() async throws -> HTTPTestServer {
        try await HTTPTestServer.start { request in
            let number = Int(request.path.dropFirst()) ?? 0
            guard number != 0 else { return .text("end") }
            var old = HTTPTestServer.Response.text("old", status: .found)
            old.headers[.location] = "/\(number - 1)"
            return old
        }
    }

    @Test func `a redirect chain uses one connection, up to its limit`() async throws {
        let server = try await countdown()
        let client = HTTPClient()
        let response = try await client.send(HTTPRequest(server.url + "/10"))
        #expect(response.text == "end" && response.redirects.count == 10)
        #expect(Set(response.metrics.attempts.map(\.connectionID)).count == 1)
        let error = await failure { try await client.send(HTTPRequest(server.url + "/11")) }
        #expect(error?.kind == .redirectFailed(.tooMany(limit: 10)))
        #expect(error?.phase == .validating)
        let short = client.with { $0.redirects.maxRedirects = 0 }
        let refused = await failure { try await short.send(HTTPRequest(server.url + "/1")) }
        #expect(refused?.kind == .redirectFailed(.tooMany(limit: 0)))
    }

    @Test func `a redirect loop ends at the limit`() async throws {
        let server = try await HTTPTestServer.start { _ in
            .redirect(to: "/", status: .permanentRedirect)
        }
        let error = await failure { try await HTTPClient().send(HTTPRequest(server.url)) }
        #expect(error?.kind == .redirectFailed(.tooMany(limit: 10)))
        #expect(server.requests.count == 11)
    }

    @Test func `with redirects refused the redirect is the response`() async throws {
        let server = try await countdown()
        let client = HTTPClient()
        let response = try await client.send(
            HTTPRequest(server.url + "/1").with { $0.redirectMode = .refuse }
        )
        #expect(response.status == .found && response.text == "old")
        let refusing = client.with { $0.redirects = .refuse }
        #expect(try await refusing.send(HTTPRequest(server.url + "/1")).status == .found)
        let streamed = try await refusing.stream(HTTPRequest(server.url + "/1"))
        #expect(streamed.status == .found)
        #expect(try await streamed.body.collect() == Array("old".utf8))
    }

    @Test func `streams and blocking calls follow redirects`() async throws {
        let server = try await countdown()
        let client = HTTPClient()
        let url = server.url
        let streamed = try await client.stream(HTTPRequest(url + "/3"))
        #expect(streamed.redirects.count == 3 && streamed.url.path == "/0")
        #expect(try await streamed.body.collect() == Array("end".utf8))
        let blocking = try await onThread {
            Result { try client.blocking.send(HTTPRequest(url + "/3")) }
        }.get()
        #expect(blocking.text == "end" && blocking.redirects.count == 3)
    }

    @Test func `credentials are removed for another origin`() async throws {
        let other = try await HTTPTestServer.start { request in
            guard request.path == "/back" else { return .text("other") }
            return .text("")
        }
        let elsewhere = other.url
        let server = try await HTTPTestServer.start { request in
            request.path == "/away"
                ? .redirect(to: elsewhere + "/x", status: .temporaryRedirect)
                : request.path == "/near"
                    ? .redirect(to: "/here") : .text("")
        }
        let client = HTTPClient().with {
            $0.headers["X-Own"] = "kept"
            $0.headers[.cookie] = "client=1"
            $0.headers[.authorization] = "Bearer client"
        }
        let port = server.port
        var request = HTTPRequest("http://name:secret@127.0.0.1:\(port)/near")
        request.headers[.host] = "named.example"
        _ = try await client.with { $0.headers[.authorization] = nil }.send(request)
        let near = try #require(server.requests.last)
        #expect(near.headers[.authorization] == "Basic bmFtZTpzZWNyZXQ=")
        #expect(near.headers[.cookie] == "client=1" && near.headers[.host] == "named.example")

        request.url = server.url + "/away"
        request.headers[.authorization] = "Bearer request"
        _ = try await client.send(request)
        let away = try #require(other.requests.last)
        #expect(!away.headers.contains(.authorization) && !away.headers.contains(.cookie))
        #expect(away.headers["X-Own"] == "kept")
        #expect(away.headers[.host] == "127.0.0.1:\(other.port)")
        request.headers[.authorization] = nil
        _ = try await client.send(request)
        #expect(other.requests.last?.headers.contains(.authorization) == false)

        let trusting = client.with { $0.redirects.sendsCredentialsCrossOrigin = true }
        _ = try await trusting.send(request)
        #expect(other.requests.last?.headers[.authorization] == "Bearer client")
    }

    @Test func `a closure decides on each redirect`() async throws {
        let server = try await countdown()
        let client = HTTPClient()
        var request = HTTPRequest(server.url + "/5")
        request.redirectMode = .custom { redirect, next in
            #expect(redirect.status == .found)
            guard redirect.location.path != "/2" else { return nil }
            return next.header("X-Seen", redirect.url.path)
        }
        let response = try await client.send(request)
        #expect(response.status == .found && response.url.path == "/3")
        #expect(server.requests.last?.headers["X-Seen"] == "/4")
        request.redirectMode = .custom { _, _ in throw Refusal() }
        let error = await failure { try await client.send(request) }
        #expect(error?.kind == .redirectFailed(.thrown(description: "Refusal()")))
        #expect(error?.underlying is Refusal && error?.blame == .caller)
    }

    private struct Refusal: Error {}

    @Test func `a body that is not replayable cannot follow a 307`() async throws {
        let server = try await HTTPTestServer.start { _ in
            .redirect(to: "/x", status: .temporaryRedirect)
        }
        let once = AsyncStream<[UInt8]> { stream in
            stream.yield([1])
            stream.finish()
        }
        let request = HTTPRequest(server.url, method: .post, body: .stream(once))
        let error = await failure { try await HTTPClient().send(request) }
        #expect(error?.kind == .bodyFailed(.notReplayable(.redirect)))
        #expect(error?.head?.status == .temporaryRedirect)
    }

    @Test func `a redirect from https to http carries no credentials, or is refused`()
        async throws
    {
        let plain = try await HTTPTestServer.start { _ in .text("plain") }
        let target = plain.url
        let server = try await HTTPTestServer.start(tls: .selfIssued) { _ in
            .redirect(to: target)
        }
        let client = HTTPClient().with { $0.security.trust = .pem(server.certificateAuthorityPEM) }
        var request = HTTPRequest(server.url)
        request.headers[.referer] = "https://127.0.0.1/secret"
        _ = try await client.send(request)
        #expect(plain.requests.last?.headers.contains(.referer) == false)
        let strict = client.with { $0.redirects.allowsDowngrade = false }
        let error = await failure { try await strict.send(request) }
        #expect(error?.kind == .redirectFailed(.downgrade))
        #expect(plain.requests.count == 1)
    }
}

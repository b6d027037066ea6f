import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Testing

/// Tests the client through the proxy squid.
@Suite(.timeLimit(.minutes(10))) struct SquidTests {
    private func client(
        _ url: String,
        trusting server: HTTPTestServer? = nil
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.proxy = .url(url)
        if let server { configuration.security.trust = .pem(server.certificateAuthorityPEM) }
        return HTTPClient(configuration)
    }

    @Test func `squid forwards requests and adds Via`() async throws {
        let squid = try LoopbackProgram.squid()
        let server = try await HTTPTestServer.start { .text($0.target) }
        let client = client(squid.url)
        for number in 0..<5 {
            let response = try await client.send(HTTPRequest(server.url + "/a?\(number)"))
            #expect(response.text == "/a?\(number)")
            #expect(response.headers["via"]?.contains("squid.test") == true)
            #expect(response.metrics.remotePort == squid.port)
            #expect(response.metrics.isReused == (number > 0))
        }
        let post = HTTPRequest(server.url + "/p", method: .post, body: .string("content"))
        #expect(try await client.send(post).text == "/p")
        #expect(server.requests.allSatisfy { $0.headers["via"]?.contains("squid.test") == true })
        // The client sends the full URL to the proxy, but the origin receives only the path.
        #expect(server.requests.map(\.target).allSatisfy { $0.hasPrefix("/") })
        #expect(server.requests.last?.body == Array("content".utf8))
        await expectUnharmed(client, next: HTTPRequest(server.url), ports: squid.port, server.port)
        squid.stop()
        await server.stop()
    }

    @Test func `squid opens tunnels`() async throws {
        let squid = try LoopbackProgram.squid()
        let server = try await HTTPTestServer.start(tls: .selfIssued) { .text($0.target) }
        let client = client(squid.url, trusting: server)
        for number in 0..<5 {
            let response = try await client.send(HTTPRequest(server.url + "/\(number)"))
            #expect(response.text == "/\(number)")
            #expect(response.headers["via"] == nil)
            #expect(response.metrics.isReused == (number > 0))
        }
        await expectUnharmed(client, next: HTTPRequest(server.url), ports: squid.port)
        squid.stop()
        await server.stop()
    }

    @Test func `squid's error for an unreachable origin is reported with its body`() async throws {
        let squid = try LoopbackProgram.squid()
        let server = try await HTTPTestServer.start { _ in .text("hello") }
        let client = client(squid.url)
        let dead = try UnreachablePorts.refusing()
        let answer = try await client.send(HTTPRequest("http://127.0.0.1:\(dead)/"))
        #expect(answer.status == .serviceUnavailable)
        #expect(answer.headers["x-squid-error"]?.hasPrefix("ERR_CONNECT_FAIL") == true)
        let error = await failure {
            try await client.send(HTTPRequest("https://127.0.0.1:\(dead)/"))
        }
        guard case .proxyFailed(.refused(let refusal)) = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.status == .serviceUnavailable)
        #expect(refusal.head.headers["x-squid-error"]?.hasPrefix("ERR_CONNECT_FAIL") == true)
        #expect(String(decoding: refusal.body, as: UTF8.self).contains("<html"))
        await expectUnharmed(client, next: HTTPRequest(server.url), ports: squid.port)
        squid.stop()
        await server.stop()
    }

    @Test func `squid accepts correct credentials and rejects others`() async throws {
        let squid = try LoopbackProgram.squid(asksForPassword: true)
        let plain = try await HTTPTestServer.start { _ in .text("plain") }
        let secure = try await HTTPTestServer.start(tls: .selfIssued) { _ in .text("secure") }
        let known = client("http://ada:secret@127.0.0.1:\(squid.port)", trusting: secure)
        for _ in 0..<2 {
            #expect(try await known.send(HTTPRequest(plain.url)).text == "plain")
            #expect(try await known.send(HTTPRequest(secure.url)).text == "secure")
        }
        #expect(plain.requests.allSatisfy { $0.headers[.proxyAuthorization] == nil })
        for user in ["", "ada:wrong@", "eve:secret@"] {
            let stranger = client("http://\(user)127.0.0.1:\(squid.port)", trusting: secure)
            let answer = try await stranger.send(HTTPRequest(plain.url))
            #expect(answer.status == .proxyAuthenticationRequired)
            #expect(answer.headers["proxy-authenticate"] == "Basic realm=\"test\"")
            #expect(answer.text.contains("<html"))
            let error = await failure { try await stranger.send(HTTPRequest(secure.url)) }
            guard case .proxyFailed(.refused(let refusal)) = error?.kind else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(refusal.status == .proxyAuthenticationRequired)
            #expect(refusal.head.headers["proxy-authenticate"] == "Basic realm=\"test\"")
            #expect(String(decoding: refusal.body, as: UTF8.self).contains("<html"))
        }
        #expect(plain.requests.count == 2)
        #expect(secure.requests.count == 2)
        await expectUnharmed(known, next: HTTPRequest(plain.url), ports: squid.port)
        squid.stop()
        await plain.stop()
        await secure.stop()
    }

    @Test func `a stopped squid is reported as unreachable, and its connections close`()
        async throws
    {
        let squid = try LoopbackProgram.squid()
        let server = try await HTTPTestServer.start { _ in .text("hello") }
        let client = client(squid.url)
        #expect(try await client.send(HTTPRequest(server.url)).text == "hello")
        squid.stop()
        while await client.pool.snapshot().idle > 0 { await moment() }
        let error = await failure { try await client.send(HTTPRequest(server.url)) }
        guard case .proxyFailed(.unreachable(let failures)) = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failures.map(\.errno) == [111])
        var direct = HTTPRequest(server.url)
        direct.proxy = .direct
        await expectUnharmed(client, next: direct, ports: squid.port)
        await server.stop()
    }
}

import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Testing

/// Tests CONNECT tunnels and their failures.
@Suite(.timeLimit(.minutes(10))) struct TunnelTests {
    private func client(
        _ proxy: HTTPProxy,
        trusting server: HTTPTestServer? = nil,
        _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.proxy = .proxy(proxy)
        if let server { configuration.security.trust = .pem(server.certificateAuthorityPEM) }
        change(&configuration)
        return HTTPClient(configuration)
    }

    private func proxy(
        _ scheme: HTTPProxy.Scheme,
        _ origin: ScriptedOrigin,
        user: String? = nil
    ) -> HTTPProxy {
        HTTPProxy(
            scheme: scheme,
            host: "127.0.0.1",
            port: origin.port,
            credentials: user.map { HTTPCredentials(user: $0, password: "pw") }
        )
    }

    private func secureServer() async throws -> HTTPTestServer {
        try await HTTPTestServer.start(tls: .selfIssued) { .text("secure \($0.target)") }
    }

    @Test func `the proxy sees only CONNECT, and the origin no proxy fields`() async throws {
        let server = try await secureServer()
        let target = "127.0.0.1:\(server.port)"
        let wire = try ScriptedOrigin([
            .expect(
                """
                CONNECT \(target) HTTP/1.1\r
                Host: \(target)\r
                Proxy-Authorization: Basic YWRhOnB3\r
                User-Agent: agent\r
                X-Via: me\r
                \r\n
                """
            ),
            .reply("HTTP/1.1 200 Connection established\r\n\r\n"), .relay(toPort: server.port),
        ])
        var proxy = proxy(.http, wire, user: "ada")
        proxy.authentication = .basic
        proxy.headers = ["X-Via": "me"]
        let client = client(proxy, trusting: server) { $0.headers = [.userAgent: "agent"] }
        let headers: HTTPHeaders = [
            .authorization: "Bearer site", .proxyAuthorization: "Basic eDp5", .cookie: "a=b",
        ]
        for _ in 0..<2 {
            let request = HTTPRequest(server.url + "/x", headers: headers)
            let response = try await client.send(request)
            #expect(response.text == "secure /x")
            #expect(response.metrics.remotePort == wire.port)
        }
        #expect(wire.connectionCount == 1)
        #expect(wire.failures == [])
        for request in server.requests {
            #expect(request.headers[.authorization] == "Bearer site")
            #expect(request.headers[.proxyAuthorization] == nil)
            #expect(request.headers["X-Via"] == nil)
        }
    }

    @Test func `the time marks of a tunneled request are in order`() async throws {
        let server = try await secureServer()
        let wire = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\n\r\n"), .relay(toPort: server.port),
        ])
        let client = client(proxy(.http, wire), trusting: server)
        let metrics = try await client.send(HTTPRequest(server.url)).metrics
        let marks = [
            metrics.resolved, metrics.connected, metrics.tunneled, metrics.secured, metrics.sent,
        ]
        #expect(marks.allSatisfy { $0 != nil })
        #expect(marks.compactMap(\.self) == marks.compactMap(\.self).sorted())
    }

    @Test(arguments: [
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n",
        "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
    ])
    func `any 2xx opens the tunnel, regardless of its fields`(answer: String) async throws {
        let server = try await secureServer()
        let wire = try ScriptedOrigin([
            .expectHead, .replyByteByByte(answer), .relay(toPort: server.port),
        ])
        let client = client(proxy(.http, wire), trusting: server)
        #expect(try await client.send(HTTPRequest(server.url)).text == "secure /")
    }

    @Test func `http uses a tunnel if tunneling is always on`() async throws {
        let server = try await HTTPTestServer.start { .text("plain \($0.target)") }
        let wire = try ScriptedOrigin([
            .expectHead(lines: "CONNECT 127.0.0.1:\(server.port) HTTP/1.1"),
            .reply("HTTP/1.1 200 OK\r\n\r\n"), .relay(toPort: server.port),
        ])
        var proxy = proxy(.http, wire)
        proxy.tunneling = .always
        let client = client(proxy)
        for _ in 0..<2 { #expect(try await client.send(HTTPRequest(server.url)).text == "plain /") }
        #expect(wire.connectionCount == 1)
        #expect(server.requests[0].target == "/")
    }

    @Test func `response bytes sent before the request are rejected`() async throws {
        let early = "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        let wire = try ScriptedOrigin([.expectHead, .reply(early)])
        var proxy = proxy(.http, wire)
        proxy.tunneling = .always
        let client = client(proxy)
        let error = await failure { try await client.send("http://site.example/") }
        #expect(error?.kind == .proxyFailed(.unsolicitedBytes))
        while DescriptorCount.connected(toPort: wire.port) > 0 { await moment() }
    }

    @Test func `bytes after the proxy's response are read as TLS`() async throws {
        let wire = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 400 Bad\r\n\r\n"),
        ])
        let client = client(proxy(.http, wire))
        let error = await failure { try await client.send("https://site.example/") }
        #expect(error?.kind == .tlsFailed(.notTLS))
        #expect(error?.phase == .tlsHandshake)
    }

    @Test func `a wrong certificate is detected through the tunnel`() async throws {
        let server = try await secureServer()
        let wire = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\n\r\n"), .relay(toPort: server.port),
        ])
        let client = client(proxy(.http, wire))
        let error = await failure { try await client.send(HTTPRequest(server.url)) }
        guard case .tlsFailed(.certificate) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
    }

    @Test func `a challenge to CONNECT is answered on the same connection`() async throws {
        let server = try await secureServer()
        let target = "127.0.0.1:\(server.port)"
        let who = """
            HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm="p"\r
            Proxy-Authenticate: Digest realm="p", qop="auth", nonce="n1", algorithm=SHA-256\r
            Content-Length: 4\r\n\r\nwho?
            """
        let wire = try ScriptedOrigin([
            .expectHeadWhere { !$0.contains("Proxy-Authorization") }, .reply(who),
            .expectHeadWhere {
                $0.contains("Proxy-Authorization: Digest username=\"ada\"")
                    && $0.contains("uri=\"\(target)\"")
            },
            .reply("HTTP/1.1 200 OK\r\n\r\n"), .relay(toPort: server.port),
        ])
        let client = client(proxy(.http, wire, user: "ada"), trusting: server)
        let response = try await client.stream(HTTPRequest(server.url))
        #expect(response.proxyHeads.map(\.status.code) == [407, 200])
        #expect(try await response.body.collect() == Array("secure /".utf8))
        #expect(wire.connectionCount == 1)
        #expect(wire.failures == [])
    }

    @Test func `all responses of the proxy are reported with the result`() async throws {
        let who = "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n"
        let wire = try ScriptedOrigin([
            .expectHead, .reply(who), .expectHead,
            .reply("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"),
        ])
        let client = client(proxy(.http, wire, user: "ada"))
        let error = await failure {
            try await client.send(HTTPRequest("https://127.0.0.1:9/"))
        }
        #expect(error?.proxyHeads.map(\.status.code) == [407, 403])
        let server = try await secureServer()
        let open = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\n\r\n"), .relay(toPort: server.port),
        ])
        let response = try await self.client(proxy(.http, open), trusting: server)
            .send(HTTPRequest(server.url))
        #expect(response.proxyHeads.map(\.status.code) == [200])
    }

    @Test(arguments: ["Connection: close\r\n", ""])
    func `a challenge is answered on a new connection if the proxy closes`(
        field: String
    ) async throws {
        let server = try await secureServer()
        let length = field.isEmpty ? "" : "Content-Length: 4\r\n"
        let who = "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic\r\n\(field)\(length)\r\nwho?"
        let wire = try ScriptedOrigin(perConnection: [
            [.expectHead, .reply(who), .close],
            [
                .expectHead(lines: "Proxy-Authorization: Basic YWRhOnB3"),
                .reply("HTTP/1.1 200 OK\r\n\r\n"), .relay(toPort: server.port),
            ],
        ])
        let client = client(proxy(.http, wire, user: "ada"), trusting: server)
        #expect(try await client.send(HTTPRequest(server.url)).text == "secure /")
        #expect(wire.failures == [])
    }

    @Test func `a refusal contains the proxy's response`() async throws {
        let page = "HTTP/1.1 403 Not Here\r\nX-Why: policy\r\nContent-Length: 7\r\n\r\nbecause"
        let wire = try ScriptedOrigin(.always(page))
        let client = client(proxy(.http, wire, user: "ada"))
        for _ in 0..<3 {
            let error = await failure { try await client.send("https://site.example/") }
            guard case .proxyFailed(.refused(let refusal)) = error?.kind else {
                Issue.record("got \(String(describing: error))")
                return
            }
            #expect(refusal.status == .forbidden)
            #expect(refusal.head.headers["X-Why"] == "policy")
            #expect(refusal.body == Array("because".utf8))
            #expect(error?.head == nil)
            #expect(error?.phase == .proxyHandshake)
            #expect(error?.blame == .peer)
        }
        while DescriptorCount.connected(toPort: wire.port) > 0 { await moment() }
    }

    @Test func `wrong credentials are sent once`() async throws {
        let who = """
            HTTP/1.1 407 Who\r\nProxy-Authenticate: Digest realm="p", nonce="n"\r
            Content-Length: 0\r\n\r\n
            """
        let wire = try ScriptedOrigin(.always(who))
        let client = client(proxy(.http, wire, user: "ada"))
        let error = await failure { try await client.send("https://site.example/") }
        guard case .proxyFailed(.refused(let refusal)) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(refusal.status.code == 407)
        #expect(wire.text().split(separator: "CONNECT ").count == 2)
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\r\n", "\u{5}\u{FF}", "HTTP/1.1 200 OK\r\nA b\r\n\r\n", "HTTP/1.1 99",
    ])
    func `a malformed CONNECT response is rejected`(answer: String) async throws {
        let wire = try ScriptedOrigin([.expectHead, .reply(answer), .close])
        let client = client(proxy(.http, wire))
        let error = await failure { try await client.send("https://site.example/") }
        guard case .proxyFailed(.malformedResponse) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(error?.phase == .proxyHandshake)
    }

    @Test func `an endless CONNECT response head stops at the limit`() async throws {
        let wire = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\n"),
            .replyForever(Array("A: \(String(repeating: "b", count: 1000))\r\n".utf8)),
        ])
        let client = client(proxy(.http, wire))
        let error = await failure { try await client.send("https://site.example/") }
        guard case .proxyFailed(.malformedResponse(.limitExceeded)) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
    }

    @Test func `a proxy that closes or resets before its response is an error`() async throws {
        for step in [OriginStep.close, .reset] {
            let wire = try ScriptedOrigin([.expectHead, step])
            let client = client(proxy(.http, wire))
            let error = await failure { try await client.send("https://site.example/") }
            switch error?.kind {
            case .proxyFailed(.malformedResponse(.closedBeforeResponse)),
                .proxyFailed(.connectionLost):
                break
            default: Issue.record("got \(String(describing: error))")
            }
        }
    }

    @Test(arguments: [HTTPProxy.Scheme.http, .socks5h])
    func `a proxy that hangs is limited by the connect timeout`(
        scheme: HTTPProxy.Scheme
    ) async throws {
        let hang = Gate()
        let wire = try ScriptedOrigin([.pause(hang)])
        let client = client(proxy(scheme, wire)) { $0.timeouts.connect = .milliseconds(100) }
        let error = await failure { try await client.send("https://site.example/") }
        #expect(error?.kind == .timedOut(.proxyHandshake))
        #expect(error?.description.contains("connected to the proxy") == true)
        while DescriptorCount.connected(toPort: wire.port) > 0 { await moment() }
        hang.open()
    }

    @Test func `a refusal with an unfinished body is still reported`() async throws {
        let hang = Gate()
        let wire = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 502 No\r\nContent-Length: 99\r\n\r\nsome"), .pause(hang),
        ])
        let client = client(proxy(.http, wire)) { $0.timeouts.connect = .milliseconds(200) }
        let error = await failure { try await client.send("https://site.example/") }
        guard case .proxyFailed(.refused(let refusal)) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(refusal.body == Array("some".utf8))
        hang.open()
    }

    @Test(arguments: [HTTPProxy.Scheme.http, .socks5])
    func `canceling ends the proxy handshake`(scheme: HTTPProxy.Scheme) async throws {
        let hang = Gate()
        let wire = try ScriptedOrigin([.expect(count: 3), .pause(hang)])
        let client = client(proxy(scheme, wire))
        let task = Task { await failure { try await client.send("https://127.0.0.1:9/") } }
        await hang.arrival()
        task.cancel()
        #expect(await task.value?.kind == .cancelled)
        while DescriptorCount.connected(toPort: wire.port) > 0 { await moment() }
        hang.open()
    }
}

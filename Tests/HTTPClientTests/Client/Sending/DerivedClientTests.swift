import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Testing

private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

@Suite(.timeLimit(.minutes(10))) struct DerivedClientTests {
    @Test func `a derived client has its own settings and shares connections`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        let derived = client.with {
            $0.headers[.userAgent] = "derived"
            $0.timeouts.total = .seconds(60)
            $0.baseURL = try? URI(origin.url)
        }
        let first = try await client.send(HTTPRequest(origin.url))
        let second = try await derived.send("below")
        let third = try await client.send(HTTPRequest(origin.url))
        #expect(second.metrics.connectionID == first.metrics.connectionID)
        #expect(third.metrics.connectionID == first.metrics.connectionID)
        #expect(origin.connectionCount == 1)
        #expect(origin.text().contains("GET /below HTTP/1.1\r\n"))
        #expect(origin.text().contains("User-Agent: derived\r\n"))
        #expect(client.configuration.timeouts.total == nil)
        #expect(derived.configuration.timeouts.total == .seconds(60))
        #expect(await derived.pool.snapshot().idle == 1)
    }

    @Test func `the pool lives until its last client is released`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        var client: HTTPClient? = HTTPClient()
        var derived = client?.with { $0.collectLimit = 4 }
        _ = try await client?.send(HTTPRequest(origin.url))
        client = nil
        let error = await failure { try await derived?.send(HTTPRequest(origin.url)) }
        #expect(error?.kind == .bodyTooLarge(limit: 4))
        #expect(error?.metrics.isReused == true)
        derived = nil
        while DescriptorCount.connected(toPort: origin.port) > 0 { await moment() }
    }

    @Test func `an error thrown by the change is rethrown, and blocking calls share connections`()
        async throws
    {
        struct Fault: Error {}
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        #expect(throws: Fault.self) {
            try client.with { _ throws(Fault) in throw Fault() }
        }
        let derived = client.with { $0.headers[.userAgent] = "derived" }
        let url = origin.url
        let ids = await onThread {
            [
                try? client.blocking.send(HTTPRequest(url)).metrics.connectionID,
                try? derived.blocking.send(HTTPRequest(url)).metrics.connectionID,
            ]
        }
        #expect(ids[0] != nil)
        #expect(ids[0] == ids[1])
    }

    @Test func `trust settings of a derived client do not affect the original client`() async throws
    {
        let server = try await HTTPTestServer.start(tls: .selfIssued) { _ in .text("secret") }
        let client = HTTPClient()
        let trusting = client.with {
            $0.security.trust = .pem(server.certificateAuthorityPEM)
        }
        #expect(try await trusting.send(HTTPRequest(server.url)).text == "secret")
        let refused = await failure { try await client.send(HTTPRequest(server.url)) }
        guard case .tlsFailed = refused?.kind else {
            Issue.record("got \(String(describing: refused))")
            return
        }
        let again = trusting.with { $0.headers[.userAgent] = "again" }
        #expect(try await again.send(HTTPRequest(server.url)).metrics.isReused)
        let doubting = trusting.with { $0.security = client.configuration.security }
        let error = await failure { try await doubting.send(HTTPRequest(server.url)) }
        #expect(error?.head == nil)
    }
}

import HTTPClient
import HTTPTestServer
import Testing

@Suite struct TLSTests {
    private func client(trusting server: HTTPTestServer) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.security.trust = .pem(server.certificateAuthorityPEM)
        return HTTPClient(configuration)
    }

    private func reason(_ client: HTTPClient, _ url: String) async -> TLSFailureReason? {
        do {
            _ = try await client.send(HTTPRequest(url))
            return nil
        } catch {
            guard case .tlsFailed(let reason) = error.kind else {
                Issue.record("not a TLS failure: \(error)")
                return nil
            }
            return reason
        }
    }

    @Test func `a client that trusts the server's authority is served`() async throws {
        let server = try await HTTPTestServer.start(tls: .selfIssued) { .echo($0) }
        #expect(server.url == "https://127.0.0.1:\(server.port)")
        let client = client(trusting: server)
        #expect(try await client.send(HTTPRequest(server.url)).status == .ok)
        let named = "https://localhost:\(server.port)/"
        #expect(try await client.send(HTTPRequest(named)).status == .ok)
    }

    @Test func `a client that does not trust the authority fails, and the server continues`()
        async throws
    {
        let server = try await HTTPTestServer.start(tls: .selfIssued) { .echo($0) }
        guard case .certificate = await reason(HTTPClient(), server.url) else {
            Issue.record("the certificate should not be trusted")
            return
        }
        #expect(server.requests.isEmpty)
        #expect(try await client(trusting: server).send(HTTPRequest(server.url)).status == .ok)
    }

    @Test func `a certificate for another name is rejected`() async throws {
        let server = try await HTTPTestServer.start(tls: .selfIssued(for: ["a.test"])) { .echo($0) }
        guard case .hostname = await reason(client(trusting: server), server.url) else {
            Issue.record("the name should not match")
            return
        }
    }

    @Test func `an expired certificate is rejected`() async throws {
        let server = try await HTTPTestServer.start(tls: .expired) { .echo($0) }
        guard case .certificate = await reason(client(trusting: server), server.url) else {
            Issue.record("the certificate should have expired")
            return
        }
    }

    @Test func `plain text on a TLS port does not affect later requests`() async throws {
        let server = try await HTTPTestServer.start(tls: .selfIssued) { .echo($0) }
        _ = try await RawClient.exchange(["GET / HTTP/1.1\r\nHost: x\r\n\r\n"], port: server.port)
        #expect(try await client(trusting: server).send(HTTPRequest(server.url)).status == .ok)
    }

    @Test func `a large body crosses TLS in both directions`() async throws {
        let server = try await HTTPTestServer.start(tls: .selfIssued) { .bytes($0.body) }
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let request = HTTPRequest(server.url, method: .post, body: .bytes(bytes))
        #expect(try await client(trusting: server).send(request).body == bytes)
    }
}

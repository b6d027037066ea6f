import HTTPClient
import HTTPTestServer
import SocketTransport
import Testing

@Suite struct CertificateAuthorityTests {
    @Test(arguments: ["a,DNS:b", "a b", "", "\u{e9}.test", "a\nb"])
    func `a certificate name that could be misread is rejected`(name: String) throws {
        let root = try CertificateAuthority()
        #expect(throws: TLSError.self) {
            try root.issue(CertificateTemplate(names: [name]))
        }
    }

    @Test func `an issued chain contains the intermediates and not the root`() async throws {
        let root = try CertificateAuthority()
        let lower = try root.intermediate().intermediate()
        let leaf = try lower.issue(CertificateTemplate(names: ["127.0.0.1"]))
        let text = String(decoding: leaf.certificateChain, as: UTF8.self)
        #expect(text.ranges(of: "BEGIN CERTIFICATE").count == 3)
        let options = HTTPTestServer.TLS.Options(leaf)
        let server = try await HTTPTestServer.start(tls: .custom(options)) { .echo($0) }
        var configuration = HTTPClient.Configuration()
        configuration.security.trust = .pem(root.certificate)
        let response = try await HTTPClient(configuration).send(HTTPRequest(server.url))
        #expect(response.status == .ok)
    }

    @Test func `each issued certificate has its own key`() throws {
        let root = try CertificateAuthority()
        let template = CertificateTemplate(names: ["a.test"])
        #expect(try root.issue(template).privateKey != root.issue(template).privateKey)
    }
}

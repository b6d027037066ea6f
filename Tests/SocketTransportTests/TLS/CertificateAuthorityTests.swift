import SocketTransport
import Support
import Testing

@Suite struct CertificateAuthorityTests {
    @Test(arguments: ["a,DNS:b", "a b", "", "\u{e9}.test", "a\nb"])
    func `a certificate name that could be misread is rejected`(name: String) throws {
        let root = try CertificateAuthority()
        #expect(throws: TLSError.self) {
            try root.issue(CertificateTemplate(names: [name]))
        }
    }

    @Test func `an issued chain contains the intermediates and not the root`() throws {
        let root = try CertificateAuthority()
        let lower = try root.intermediate().intermediate()
        let leaf = try lower.issue(CertificateTemplate(names: ["a.test"]))
        let text = String(decoding: leaf.certificateChain, as: UTF8.self)
        #expect(text.ranges(of: "BEGIN CERTIFICATE").count == 3)
        var settings = try TLSSettings(leaf, host: "a.test")
        settings.client.trust = .pem(root.certificate)
        #expect(try settings.pair().clientFailure == nil)
    }

    @Test func `each issued certificate has its own key`() throws {
        let root = try CertificateAuthority()
        let template = CertificateTemplate(names: ["a.test"])
        #expect(try root.issue(template).privateKey != root.issue(template).privateKey)
    }
}

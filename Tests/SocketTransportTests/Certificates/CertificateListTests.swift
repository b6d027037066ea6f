import SocketTransport
import Testing

@Suite struct CertificateListTests {
    @Test func `the fields of a certificate are parsed`() throws {
        let list = try #require(CertificateList(der: IdentityFixture.certificate))
        #expect(list.count == 1)
        #expect(list.der(at: 0) == IdentityFixture.certificate)
        let statement = try #require(HTTPCertificate(der: IdentityFixture.certificate))
        #expect(statement.der == IdentityFixture.certificate)
        #expect(statement.subject == #"O=Test,CN=fixture\, Ünï"#)
        #expect(statement.issuer == statement.subject)
        #expect(
            statement.names == [
                .dns("me.test"), .address("192.0.2.1"), .email("me@me.test"), .uri("urn:me"),
            ]
        )
        #expect(statement.notBeforeSeconds == 1_577_836_800)
        #expect(statement.notAfterSeconds == IdentityFixture.notAfter)
        #expect(statement.serialNumber == IdentityFixture.serialNumber)
        #expect(statement.sha256 == IdentityFixture.sha256)
    }

    @Test func `bytes that are not exactly one certificate are rejected`() {
        let good = IdentityFixture.certificate
        #expect(CertificateList(der: []) == nil)
        #expect(CertificateList(der: [0x30]) == nil)
        #expect(CertificateList(der: good.dropLast()) == nil)
        #expect(CertificateList(der: good + [0]) == nil)
        #expect(CertificateList(der: good + good) == nil)
        #expect(CertificateList(der: IdentityFixture.certificatePEM) == nil)
        #expect(CertificateList(der: IdentityFixture.key) == nil)
        #expect(HTTPCertificate(der: good + [0]) == nil)
    }
}

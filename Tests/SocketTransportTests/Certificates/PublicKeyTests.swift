import SocketTransport
import Support
import Testing

@Suite struct PublicKeyTests {
    /// A P-256 key.
    private let pem = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt
        6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q==
        -----END PUBLIC KEY-----

        """

    @Test func `a public key is the same read from PEM and from DER`() throws {
        let der = try #require(PublicKey.subjectPublicKeyInfo(in: [UInt8](pem.utf8)))
        #expect(der.count == 91)
        #expect(PublicKey.subjectPublicKeyInfo(in: der) == der)
    }

    @Test(arguments: ["", "no key", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"])
    func `bytes without a key give nil`(text: String) {
        #expect(PublicKey.subjectPublicKeyInfo(in: [UInt8](text.utf8)) == nil)
    }
}

import Glibc
import HTTPTestServer
import SocketTransport
import Support
import Testing

@Suite struct TLSContextTests {
    @Test func `a missing or empty trust file is a caller error`() throws {
        let empty = try TemporaryFile([])
        for (path, reason) in [
            ("/no/such/file", "No such file or directory"),
            (empty.path, "no certificate in it"),
            ("/tmp", "Is a directory"),
        ] {
            #expect(throws: TLSError.failed(.trust(source: path, reason: reason))) {
                try TLSContext(client: HTTPSecurity(trust: .file(path)))
            }
        }
    }

    @Test func `a trust file is read when the context is created`() throws {
        let certificates = try TestCertificates.shared.get()
        let file = try TemporaryFile(
            certificates.otherRoot.certificate + certificates.root.certificate
        )
        var settings = try TLSSettings()
        settings.client.trust = .file(file.path)
        let context = try TLSContext(client: settings.client)
        _ = consume file
        let pair = try EnginePair(client: context, server: settings.serverContext())
        pair.handshake()
        #expect(pair.clientFailure == nil)
    }

    @Test(arguments: [
        "", "nothing here",
        "-----BEGIN CERTIFICATE-----\nbm90IGEgY2VydA==\n-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n",
    ])
    func `undecodable certificates are a caller error`(pem: String) {
        let trust = HTTPSecurity.Trust.pem([UInt8](pem.utf8))
        #expect {
            try TLSContext(client: HTTPSecurity(trust: trust))
        } throws: { error in
            guard case .failed(.trust("certificates in memory", _))? = error as? TLSError else {
                return false
            }
            return true
        }
    }

    @Test func `an identity requires a chain and its matching key`() throws {
        let certificates = try TestCertificates.shared.get()
        let one = try certificates.leaf("a.test")
        let two = try certificates.leaf("b.test")
        for (chain, key) in [
            (one.certificateChain, two.privateKey), ([], one.privateKey),
            (one.certificateChain, []), (one.privateKey, one.certificateChain),
        ] {
            #expect {
                try TLSContext(server: .init(certificateChain: chain, privateKey: key))
            } throws: { error in
                guard case .failed(.identity)? = error as? TLSError else { return false }
                return true
            }
        }
    }

    @Test func `an encrypted key is rejected without a passphrase prompt`() throws {
        let identity = try TestCertificates.shared.get().leaf("a.test")
        let key = """
            -----BEGIN RSA PRIVATE KEY-----
            Proc-Type: 4,ENCRYPTED
            DEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF

            AAAAAAAAAAAAAAAAAAAAAA==
            -----END RSA PRIVATE KEY-----

            """
        #expect(throws: TLSError.self) {
            try TLSContext(
                server: .init(
                    certificateChain: identity.certificateChain,
                    privateKey: [UInt8](key.utf8)
                )
            )
        }
    }

    @Test(arguments: ["", String(repeating: "x", count: 256)])
    func `a protocol name outside 1 to 255 bytes is rejected`(name: String) {
        #expect(throws: TLSError.self) {
            try TLSContext(
                client: HTTPSecurity(verification: .disabled),
                applicationProtocols: [name]
            )
        }
    }

    @Test func `a minimum version above the maximum is rejected`() {
        #expect(throws: TLSError.self) {
            var client = HTTPSecurity()
            (client.minimumVersion, client.maximumVersion) = (.tls13, .tls12)
            return try TLSContext(client: client)
        }
    }

    @Test func `the system's certificates are read only when needed`() async {
        await #expect(processExitsWith: .success) {
            let settings = try TLSSettings()
            #expect(try settings.pair().clientFailure == nil)
            let lazy = try TLSContext(client: HTTPSecurity())
            var open = settings
            open.client = HTTPSecurity(verification: .disabled)
            #expect(try open.pair().clientFailure == nil)
            guard !TLSContext.hasReadSystemTrust else { exit(1) }
            // A test authority replaces the system's bundle.
            let root = try TestCertificates.shared.get().root.certificate
            let file = try TemporaryFile(root)
            unsafe setenv("SSL_CERT_FILE", file.path, 1)
            let pair = try EnginePair(client: lazy, server: settings.serverContext())
            _ = consume file
            guard TLSContext.hasReadSystemTrust else { exit(3) }
            pair.handshake()
            guard pair.clientFailure == nil else { exit(4) }
            // The bundle is read only once: the file is deleted now, and a second context does not need it.
            guard try settings.with(trust: .system).pair().clientFailure == nil else { exit(5) }
            // With the system's and additional certificates, the other root is accepted as well.
            let otherRoot = try TestCertificates.shared.get().otherRoot
            var both = try TLSSettings(otherRoot.issue(CertificateTemplate(names: ["good.test"])))
            both.client.trust = .system.adding(.pem(otherRoot.certificate))
            guard try both.pair().clientFailure == nil else { exit(6) }
            guard try settings.with(trust: both.client.trust).pair().clientFailure == nil else {
                exit(7)
            }
        }
    }

    @Test func `a system trust store missing at its configured path is reported`() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv("SSL_CERT_FILE", "/no/such/file", 1)
            let context = try TLSContext(client: HTTPSecurity())
            do throws(TLSError) {
                try context.prepareTrust()
                exit(1)
            } catch {
                guard case .failed(.trust("/no/such/file", _)) = error else { exit(2) }
            }
        }
    }
}

extension TLSSettings {
    func with(trust: HTTPSecurity.Trust) -> TLSSettings {
        var result = self
        result.client.trust = trust
        return result
    }
}

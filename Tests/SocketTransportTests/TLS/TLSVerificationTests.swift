import HTTPTestServer
import SocketTransport
import Support
import Testing

@Suite struct TLSVerificationTests {
    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates.shared.get()
    }

    enum Fault: CaseIterable {
        case expired
        case notYetValid
        case selfSigned
        case untrusted
        case missingIntermediate
        case clientOnly
        case expiredIntermediate
        case nameConstraint
        case weakKey
        case weakSignature

        var kind: TLSFailureReason.CertificateReason.Kind {
            switch self {
            case .expired, .expiredIntermediate: .expired
            case .notYetValid: .notYetValid
            case .selfSigned: .selfSigned
            case .untrusted, .missingIntermediate: .missingIssuer
            case .clientOnly: .wrongPurpose
            case .nameConstraint: .nameConstraint
            case .weakKey: .weakKey
            case .weakSignature: .weakSignature
            }
        }

        func identity(_ made: TestCertificates) throws -> IssuedCertificate {
            switch self {
            case .expired: try made.expired("good.test")
            case .notYetValid: try made.notYetValid("good.test")
            case .selfSigned: try made.selfSigned("good.test")
            case .untrusted: try made.untrusted("good.test")
            case .missingIntermediate: try made.withoutIntermediate("good.test")
            case .clientOnly: try made.client("good.test")
            case .nameConstraint: try made.violatingNameConstraint("good.test")
            case .weakKey: try made.weak(.weakKey, "good.test")
            case .weakSignature: try made.weak(.weakSignature, "good.test")
            case .expiredIntermediate:
                try made.root.intermediate(
                    CertificateTemplate(names: [], notBefore: -9_000, notAfter: -60)
                ).issue(CertificateTemplate(names: ["good.test"]))
            }
        }
    }

    @Test(arguments: Fault.allCases, [HTTPSecurity.Version.tls12, .tls13])
    func `each certificate problem is reported with its own kind`(
        fault: Fault,
        version: HTTPSecurity.Version
    ) throws {
        var settings = try TLSSettings(fault.identity(certificates))
        settings.client.maximumVersion = version
        let pair = try settings.pair()
        guard case .failed(.certificate(let rejection))? = pair.clientFailure else {
            Issue.record("\(String(describing: pair.clientFailure))")
            return
        }
        #expect(rejection.kind == fault.kind)
        #expect(rejection.depth == (fault == .expiredIntermediate ? 1 : 0))
        #expect(!rejection.reason.isEmpty)
        #expect(rejection.subject == "/CN=test")
        // The server receives an alert.
        guard pair.serverFailure == nil else { return }
        #expect(throws: TLSError.self) { try pair.server.readAll() }
    }

    @Test(arguments: Fault.allCases)
    func `disabled verification accepts every certificate problem`(fault: Fault) throws {
        var settings = try TLSSettings(fault.identity(certificates), host: "other.test")
        settings.client.verification = .disabled
        let pair = try settings.pair()
        #expect(pair.clientFailure == nil)
        #expect(pair.client.peerPublicKey != nil)
    }

    @Test(arguments: [
        (["good.test"], "good.test", true),
        (["good.test"], "GOOD.test", true),
        (["good.test"], "good.test.", true),
        (["good.test"], "bad.test", false),
        (["good.test"], "a.good.test", false),
        (["x.test", "good.test", "y.test"], "good.test", true),
        (["*.wild.test"], "a.wild.test", true),
        (["*.wild.test"], "wild.test", false),
        (["*.wild.test"], "a.b.wild.test", false),
        (["g*.wild.test"], "good.wild.test", false),
        (["*d.wild.test"], "good.wild.test", false),
        (["a.*.test"], "a.wild.test", false),
        (["*.test"], "good.test", false),
        (["*"], "good", false),
        (["127.0.0.1"], "127.0.0.1", true),
        (["127.0.0.1"], "127.0.0.2", false),
        (["::1"], "::1", true),
        (["::1"], "[::1]", true),
        (["::1"], "0:0::1", true),
        (["::1"], "::2", false),
        (["fe80::1"], "fe80::1%1", true),
        (["good.test"], "127.0.0.1", false),
        ([], "good.test", false),
    ])
    func `host names are matched as in RFC 9525`(names: [String], host: String, fits: Bool) throws {
        let identity = try certificates.root.issue(
            // The common name always matches, and must never be used.
            CertificateTemplate(names: names, commonName: host)
        )
        let pair = try TLSSettings(identity, host: host).pair()
        if fits {
            #expect(pair.clientFailure == nil)
        } else {
            guard case .failed(.hostname(_, let presented))? = pair.clientFailure else {
                Issue.record("\(String(describing: pair.clientFailure))")
                return
            }
            #expect(presented == names)
        }
    }

    @Test func `a host name mismatch reports the expected and the presented names`() throws {
        let identity = try certificates.leaf("a.test", "192.0.2.7", "2001:db8::7")
        let pair = try TLSSettings(identity, host: "b.test.").pair()
        #expect(
            pair.clientFailure
                == .failed(
                    .hostname(
                        expected: "b.test",
                        presented: ["a.test", "192.0.2.7", "2001:db8::7"]
                    )
                )
        )
    }

    @Test(arguments: [("127.0.0.1", "127.0.0.1"), ("::1", "::1")])
    func `an IP address is verified but not sent as server name`(host: String, name: String) throws
    {
        let pair = try TLSSettings(certificates.leaf(name), host: host).pair()
        #expect(pair.clientFailure == nil)
        #expect(pair.server.requestedServerName == nil)
    }

    @Test(arguments: [
        "", ".", ".good.test", "good..", "*.test", "a b", "g\u{0}d", "b\u{fc}cher.test",
    ])
    func `a host that no certificate can match is rejected`(host: String) throws {
        let context = try TLSContext(client: TLSSettings().client)
        #expect(throws: TLSError.failed(.settings(reason: "invalid host name \(host)"))) {
            try TLSEngine(context: context, role: .client(host: host))
        }
    }

    @Test func `a trusted certificate can be an intermediate`() throws {
        var settings = try TLSSettings(certificates.withoutIntermediate("good.test"))
        settings.client.trust = .pem(certificates.intermediate.certificate)
        #expect(try settings.pair().clientFailure == nil)
    }

    @Test
    func `a self-signed certificate can be trusted explicitly, and its name is still verified`()
        throws
    {
        let identity = try certificates.selfSigned("good.test")
        var settings = try TLSSettings(identity)
        settings.client.trust = .pem(identity.certificateChain)
        #expect(try settings.pair().clientFailure == nil)
        settings.host = "other.test"
        guard case .failed(.hostname)? = try settings.pair().clientFailure else {
            Issue.record("the name was not checked")
            return
        }
    }
}

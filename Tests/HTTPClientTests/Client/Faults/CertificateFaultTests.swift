import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests faulty certificates of servers and clients.
///
/// Every test ends with a successful request to a good server and an empty pool.
@Suite(.timeLimit(.minutes(10))) struct CertificateFaultTests {
    enum Item: String, CaseIterable, CustomTestStringConvertible {
        case expired
        case future
        case wrongHost = "wrong host"
        case untrusted
        case selfSigned = "self-signed"
        case missingIntermediate = "missing intermediate"
        case wrongEKU = "wrong EKU"
        case nameConstraint = "name constraint"
        case weakKey = "weak key"
        case weakSignature = "weak signature"

        var testDescription: String { rawValue }

        func identity(_ made: TestCertificates) throws -> IssuedCertificate {
            switch self {
            case .expired: try made.expired("localhost")
            case .future: try made.notYetValid("localhost")
            case .wrongHost: try made.leaf("elsewhere.test")
            case .untrusted: try made.untrusted("localhost")
            case .selfSigned: try made.selfSigned("localhost")
            case .missingIntermediate: try made.withoutIntermediate("localhost")
            case .wrongEKU: try made.client("localhost")
            case .nameConstraint: try made.violatingNameConstraint("localhost")
            case .weakKey: try made.weak(.weakKey, "localhost")
            case .weakSignature: try made.weak(.weakSignature, "localhost")
            }
        }

        func fits(_ reason: TLSFailureReason) -> Bool {
            switch (self, reason) {
            case (.wrongHost, .hostname(expected: "localhost", presented: ["elsewhere.test"])):
                true
            case (_, .certificate(let reason)):
                switch (self, reason.kind) {
                case (.expired, .expired), (.future, .notYetValid), (.selfSigned, .selfSigned),
                    (.untrusted, .missingIssuer), (.missingIntermediate, .missingIssuer),
                    (.wrongEKU, .wrongPurpose), (.nameConstraint, .nameConstraint),
                    (.weakKey, .weakKey), (.weakSignature, .weakSignature):
                    true
                default: false
                }
            default: false
            }
        }
    }

    @Test(arguments: Item.allCases, [HTTPSecurity.Version.tls12, .tls13])
    func `a faulty server certificate is rejected`(
        item: Item,
        version: HTTPSecurity.Version
    ) async throws {
        let good = try await SecureServer()
        let bad = try await SecureServer(try item.identity(good.certificates))
        let client = good.client {
            $0.security.maximumVersion = version
            $0.connectOptions.overrides = []
        }
        // A TLS session from the first attempt must not let the second attempt succeed.
        for _ in 0..<2 {
            let error = await failure { try await client.send(HTTPRequest(bad.url)) }
            let reason = try #require(error?.tlsReason)
            #expect(item.fits(reason), "\(reason)")
            #expect(error?.phase == .tlsHandshake)
        }
        #expect(bad.server.requests.isEmpty)
        await expectUnharmed(
            client,
            next: HTTPRequest(good.url),
            ports: good.server.port,
            bad.server.port
        )
    }

    @Test(arguments: ["missing", "wrong"], [HTTPSecurity.Version.tls12, .tls13])
    func `a missing or untrusted client certificate is rejected`(
        item: String,
        version: HTTPSecurity.Version
    ) async throws {
        let good = try await SecureServer()
        let strict = try await SecureServer {
            $0.clientTrust = .pem(good.certificates.root.certificate)
        }
        let wrong = try good.certificates.selfSigned("me.test")
        let client = good.client {
            $0.security.maximumVersion = version
            $0.connectOptions.overrides = []
            guard item == "wrong" else { return }
            $0.security.identity = .bytes(
                certificate: wrong.certificateChain,
                key: wrong.privateKey
            )
        }
        let error = await failure { try await client.send(HTTPRequest(strict.url)) }
        switch error?.kind {
        case .tlsFailed(.alert): break
        // The server closed before the client read its alert, so sending the request failed first.
        case .connectionLost where version == .tls13: break
        default: Issue.record("\(String(describing: error))")
        }
        #expect(strict.server.requests.isEmpty)
        await expectUnharmed(
            client,
            next: HTTPRequest(good.url),
            ports: good.server.port,
            strict.server.port
        )
    }
}

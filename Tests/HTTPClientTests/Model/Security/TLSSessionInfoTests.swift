import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct TLSSessionInfoTests {
    @Test func `every response reports the negotiated TLS session`() async throws {
        let secure = try await SecureServer()
        let client = secure.client()
        let first = try await client.send(HTTPRequest(secure.url))
        let tls = try #require(first.metrics.tls)
        #expect(tls.version == .tls13)
        #expect(tls.cipher.hasPrefix("TLS_"))
        #expect(tls.applicationProtocol == "http/1.1")
        #expect(tls.serverName == "localhost")
        #expect(!tls.isResumed)
        #expect(tls.isVerified)
        #expect(tls.certificates.count == 3)
        #expect(tls.certificates[0].subject == "CN=test")
        #expect(tls.certificates[0].issuer == "CN=Test Intermediate")
        #expect(
            tls.certificates[0].names == [
                .dns("localhost"), .address("127.0.0.1"), .dns("a.localhost"),
            ]
        )
        #expect(tls.certificates[2].subject == "CN=Test Root")
        #expect(tls.certificates[2].issuer == tls.certificates[2].subject)
        let second = try await client.send(HTTPRequest(secure.url))
        #expect(second.metrics.isReused)
        #expect(second.metrics.tls === tls)
        let streamed = try await client.stream(HTTPRequest(secure.url))
        #expect(streamed.metrics.tls === tls)
        #expect(try await streamed.body.collect() == Array("hello".utf8))
    }

    @Test func `plain http has no TLS session, and an address is not sent as server name`()
        async throws
    {
        let origin = try ScriptedOrigin(
            .always("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        )
        let plain = try await HTTPClient().send(HTTPRequest(origin.url))
        #expect(plain.metrics.tls == nil)
        let secure = try await SecureServer()
        let addressed = try await secure.client().send(HTTPRequest(secure.url("127.0.0.1")))
        #expect(addressed.metrics.tls?.serverName == nil)
        origin.stop()
    }

    @Test func `a resumed session reports the chain of its first handshake`() async throws {
        let secure = try await SecureServer()
        let client = secure.client { $0.connectionReuse = .off }
        let first = try await client.send(HTTPRequest(secure.url))
        let second = try await client.send(HTTPRequest(secure.url))
        #expect(second.metrics.tls?.isResumed == true)
        #expect(second.metrics.tls?.isVerified == true)
        #expect(second.metrics.tls !== first.metrics.tls)
        #expect(second.metrics.tls?.certificates == first.metrics.tls?.certificates)
        let full = secure.client {
            $0.connectionReuse = .off
            $0.security.resumption = .off
        }
        for _ in 0..<2 {
            let response = try await full.send(HTTPRequest(secure.url))
            #expect(response.metrics.tls?.isResumed == false)
        }
    }

    @Test func `a handshake error reports the session so far`() async throws {
        let secure = try await SecureServer()
        let error = await failure {
            try await secure.client().send(HTTPRequest(secure.url("bad.test")))
        }
        let presented = ["localhost", "127.0.0.1", "a.localhost"]
        #expect(error?.tlsReason == .hostname(expected: "bad.test", presented: presented))
        #expect(error?.phase == .tlsHandshake)
        let tls = try #require(error?.metrics.tls)
        #expect(!tls.isVerified)
        // The certificates that the server sent, without the root.
        #expect(tls.certificates.count == 2)
        #expect(tls.serverName == "bad.test")
    }

    @Test func `an error after the handshake reports the TLS session`() async throws {
        let secure = try await SecureServer()
        let client = secure.client { $0.collectLimit = 1 }
        let error = await failure { try await client.send(HTTPRequest(secure.url)) }
        #expect(error?.kind == .bodyTooLarge(limit: 1))
        #expect(error?.metrics.tls?.isVerified == true)
    }

    enum Fault: CaseIterable {
        case expired, notYetValid, selfSigned, untrusted, missingIntermediate, clientOnly
        case nameConstraint, weakKey, weakSignature

        func identity(_ made: TestCertificates) throws -> IssuedCertificate {
            switch self {
            case .expired: try made.expired("localhost")
            case .notYetValid: try made.notYetValid("localhost")
            case .selfSigned: try made.selfSigned("localhost")
            case .untrusted: try made.untrusted("localhost")
            case .missingIntermediate: try made.withoutIntermediate("localhost")
            case .clientOnly: try made.client("localhost")
            case .nameConstraint: try made.violatingNameConstraint("localhost")
            case .weakKey: try made.weak(.weakKey, "localhost")
            case .weakSignature: try made.weak(.weakSignature, "localhost")
            }
        }

        var expected: TLSFailureReason.CertificateReason.Kind {
            switch self {
            case .expired: .expired
            case .notYetValid: .notYetValid
            case .selfSigned: .selfSigned
            case .untrusted, .missingIntermediate: .missingIssuer
            case .clientOnly: .wrongPurpose
            case .nameConstraint: .nameConstraint
            case .weakKey: .weakKey
            case .weakSignature: .weakSignature
            }
        }
    }

    @Test(arguments: Fault.allCases)
    func `each certificate fault is reported by kind, and nothing is sent`(
        fault: Fault
    ) async throws {
        let certificates = try TestCertificates.shared.get()
        let secure = try await SecureServer(try fault.identity(certificates))
        let error = await failure { try await secure.client().send(HTTPRequest(secure.url)) }
        guard case .certificate(let reason)? = error?.tlsReason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.kind == fault.expected)
        #expect(reason.depth == 0)
        #expect(reason.subject == "/CN=test")
        #expect(error?.blame == .peer)
        #expect(secure.server.requests.isEmpty)
    }
}

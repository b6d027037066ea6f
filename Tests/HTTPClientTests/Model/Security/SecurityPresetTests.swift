import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct SecurityPresetTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func request(_ secure: SecureServer, _ security: HTTPSecurity) -> HTTPRequest {
        HTTPRequest(secure.url).with { $0.security = security }
    }

    @Test(arguments: [HTTPSecurity.PinnedPart.publicKey, .certificate])
    func `the certificates in a directory are pinned`(part: HTTPSecurity.PinnedPart) async throws {
        let secure = try await SecureServer()
        let response = try await secure.client().send(HTTPRequest(secure.url))
        let trust = secure.configuration.security.trust
        let chain = try #require(response.metrics.tls).certificates
        _ = try directory.write("not looked at", as: "README.md")
        let empty = #expect(throws: HTTPError.self) {
            try HTTPSecurity.pinned(toCertificatesIn: directory.path)
        }
        #expect(
            empty?.kind
                == .fileFailed(
                    path: directory.path,
                    .read,
                    reason: "there is no certificate in it"
                )
        )
        _ = try directory.write(try #require(chain.last).der, as: "root.cer")
        let right = try HTTPSecurity.pinned(
            toCertificatesIn: directory.path,
            by: part,
            trust: trust
        )
        #expect(try await secure.client().send(request(secure, right)).text == "hello")
        let elsewhere = try HTTPSecurity.pinned(
            toCertificatesIn: directory.path,
            by: part,
            host: "other.example",
            trust: trust
        )
        #expect(elsewhere.pins.map(\.host) == ["other.example"])
        let wrong = HTTPSecurity.pinned(
            to: [.publicKey(sha256: [UInt8](repeating: 1, count: 32))],
            trust: trust
        )
        let error = await failure { try await secure.client().send(request(secure, wrong)) }
        guard case .tlsFailed(.pinMismatch)? = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a missing certificate directory is an error`() throws {
        let path = "\(directory.path)/none"
        let error = #expect(throws: HTTPError.self) {
            try HTTPSecurity.pinned(toCertificatesIn: path)
        }
        guard case .fileFailed(path, .open, _)? = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `development presets relax verification`() async throws {
        let secure = try await SecureServer()
        let naive = secure.client { $0.security = HTTPSecurity() }
        let unknown = await failure { try await naive.send(HTTPRequest(secure.url)) }
        #expect(unknown?.phase == .tlsHandshake)
        let anyone = request(secure, .withoutVerification)
        #expect(try await secure.client().send(anyone).text == "hello")
        let own = HTTPSecurity.acceptingSelfSigned(hosts: ["localhost"])
        #expect(own.verification == .acceptSelfSigned(hosts: ["localhost"]))
    }

    @Test func `a vetoing closure can reject a verified certificate`() async throws {
        let secure = try await SecureServer()
        let asked = Locked<[String]>([])
        var security = HTTPSecurity.vetoed { peer in
            asked.withLock { $0.append(peer.host) }
            return .refuse(reason: "not today")
        }
        security.trust = secure.configuration.security.trust
        let error = await failure { [security] in
            try await secure.client().send(request(secure, security))
        }
        #expect(error?.phase == .tlsHandshake && "\(error!)".contains("not today"))
        #expect(asked.withLock { $0 } == ["localhost"])
    }
}

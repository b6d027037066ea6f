import HTTPTestServer
import SocketTransport
import Support
import Testing

@Suite struct TLSPinTests {
    private let certificates: TestCertificates
    private let identity: IssuedCertificate

    init() throws {
        certificates = try TestCertificates.shared.get()
        identity = try certificates.chained("good.test", "a.good.test", "b.a.good.test")
    }

    /// Returns the leaf, the intermediate and the root.
    private func chain() throws -> CertificateList {
        try #require(try TLSSettings(identity).pair().client.sessionInfo.peer).chain
    }

    private func keyPin(_ depth: Int) throws -> HTTPPin {
        let digest = try #require(MessageDigest.sha256.hash(chain().publicKey(at: depth)))
        return .publicKey(sha256: digest)
    }

    private func certificatePin(_ depth: Int) throws -> HTTPPin {
        let digest = try #require(MessageDigest.sha256.hash(chain().der(at: depth)))
        return .certificate(sha256: digest)
    }

    private let other = HTTPPin.publicKey(sha256: [UInt8](repeating: 7, count: 32))

    private func connect(
        _ rules: [HTTPPin.Rule],
        host: String = "good.test",
        change: (inout TLSSettings) throws -> Void = { _ in }
    ) throws -> EnginePair {
        var settings = try TLSSettings(identity, host: host)
        settings.client.pins = rules
        try change(&settings)
        return try settings.pair()
    }

    private func isMismatch(_ failure: TLSError?) -> Bool {
        guard case .failed(.pinMismatch)? = failure else { return false }
        return true
    }

    @Test(arguments: [
        ("::1", "0:0::1"), ("::1", "::0001"), ("0:0:0:0:0:0:0:1", "::1"),
        ("2001:DB8::A", "2001:db8::a"),
        ("127.0.0.1", "::ffff:127.0.0.1"), ("::ffff:7f00:1", "127.0.0.1"), ("127.0.0.1", "127.1"),
        ("127.0.0.1", "0x7f.0.0.1"), ("127.0.0.1", "2130706433"), ("good.test.", "GOOD.test"),
        ("[::1]", "::1"), ("fe80::1%lo", "fe80::1"), ("fe80::1", "fe80::1%1"),
    ])
    func `a pin rule applies to every spelling of its host`(rule: String, host: String) throws {
        for subdomains in [HTTPPin.Rule.Subdomains.excluded, .included] {
            let rule = HTTPPin.Rule(host: rule, subdomains: subdomains, pins: [other])
            let pair = try connect([rule], host: host) {
                $0.client.verification = .disabled
            }
            #expect(isMismatch(pair.clientFailure))
        }
    }

    @Test(arguments: [("::1", "::2"), ("127.0.0.1", "127.0.0.2"), ("0.0.1", "127.0.0.1")])
    func `a pin rule for one address does not apply to another`(rule: String, host: String) throws {
        let rule = HTTPPin.Rule(host: rule, subdomains: .included, pins: [other])
        let pair = try connect([rule], host: host) { $0.client.verification = .disabled }
        #expect(pair.clientFailure == nil)
    }

    @Test(arguments: [0, 1, 2], [HTTPSecurity.Version.tls12, .tls13])
    func `a pin matches any certificate of the verified chain`(
        depth: Int,
        version: HTTPSecurity.Version
    ) throws {
        for pin in [try keyPin(depth), try certificatePin(depth)] {
            // `other` is an unused backup pin.
            let rule = HTTPPin.Rule(host: "good.test", pins: [other, pin])
            let pair = try connect([rule]) { $0.client.maximumVersion = version }
            #expect(pair.clientFailure == nil)
            #expect(pair.client.sessionInfo.peer?.verification == .accepted)
        }
    }

    @Test(arguments: [HTTPSecurity.Version.tls12, .tls13])
    func `a pin mismatch fails the handshake and alerts the server`(
        version: HTTPSecurity.Version
    ) throws {
        let rule = HTTPPin.Rule(host: nil, pins: [other])
        let pair = try connect([rule]) { $0.client.maximumVersion = version }
        guard case .failed(.pinMismatch(let host, let presented))? = pair.clientFailure else {
            Issue.record("\(String(describing: pair.clientFailure))")
            return
        }
        #expect(host == "good.test")
        #expect(presented.count == 3)
        #expect(throws: TLSError.self) { try pair.client.writeText("GET /") }
        // The server receives handshake_failure, so its handshake does not succeed.
        if version == .tls12 { #expect(pair.serverFailure != nil) }
    }

    @Test func `a pin with leaf scope matches only the peer's own certificate`() throws {
        for (depth, fits) in [(0, true), (1, false), (2, false)] {
            let rule = HTTPPin.Rule(host: nil, pins: [try keyPin(depth)], scope: .leaf)
            #expect(try isMismatch(connect([rule]).clientFailure) != fits)
        }
    }

    @Test(arguments: [
        (nil, HTTPPin.Rule.Subdomains.excluded, "good.test", true),
        ("good.test", .excluded, "good.test", true), ("GOOD.test.", .excluded, "good.test", true),
        ("good.test", .excluded, "GOOD.TEST", true),
        ("good.test", .excluded, "a.good.test", false),
        ("a.good.test", .excluded, "good.test", false),
        ("good.test", .included, "good.test", true),
        ("good.test", .included, "a.good.test", true),
        ("good.test", .included, "b.a.good.test", true),
        ("od.test", .included, "good.test", false),
        ("a.good.test", .included, "good.test", false),
    ])
    func `a pin rule applies only to its hosts`(
        ruled: String?,
        subdomains: HTTPPin.Rule.Subdomains,
        host: String,
        isMeant: Bool
    ) throws {
        let rule = HTTPPin.Rule(host: ruled, subdomains: subdomains, pins: [other])
        #expect(try isMismatch(connect([rule], host: host).clientFailure) == isMeant)
    }

    @Test func `every pin rule for a host must match`() throws {
        let good = HTTPPin.Rule(host: "good.test", pins: [try keyPin(0)])
        let wide = HTTPPin.Rule(host: nil, pins: [try keyPin(2)])
        let bad = HTTPPin.Rule(host: "good.test", subdomains: .included, pins: [other])
        #expect(try connect([good, wide]).clientFailure == nil)
        #expect(try isMismatch(connect([good, wide, bad]).clientFailure))
    }

    @Test func `an extra certificate outside the verified chain does not satisfy a pin`() throws {
        // The server appends a certificate that is unrelated to its chain.
        var settings = try TLSSettings(identity)
        settings.server = IssuedCertificate(
            certificateChain: identity.certificateChain + certificates.otherRoot.certificate,
            privateKey: identity.privateKey
        )
        let pin = HTTPPin.certificate(of: certificates.otherRoot.certificate)
        settings.client.pins = [HTTPPin.Rule(host: nil, pins: [pin])]
        #expect(try isMismatch(settings.pair().clientFailure))
        // Nor without verification, when only the key of the leaf is proven.
        settings.client.verification = .disabled
        #expect(try isMismatch(settings.pair().clientFailure))
        settings.client.pins = [HTTPPin.Rule(host: nil, pins: [try keyPin(0)])]
        let pair = try settings.pair()
        #expect(pair.clientFailure == nil)
        #expect(pair.client.sessionInfo.peer?.verification == .unchecked)
    }

    @Test func `a pin does not make a chain trusted`() throws {
        let untrusted = try certificates.untrusted("good.test")
        let pins = [HTTPPin.certificate(of: untrusted.certificateChain)]
        let pair = try connect([HTTPPin.Rule(host: nil, pins: pins)]) {
            $0.server = untrusted
        }
        guard case .failed(.certificate)? = pair.clientFailure else {
            Issue.record("\(String(describing: pair.clientFailure))")
            return
        }
    }

    @Test func `pins are read from PEM, DER and files of keys and certificates`() throws {
        let chain = try chain()
        let file = try TemporaryFile(identity.certificateChain)
        let derFile = try TemporaryFile(chain.publicKey(at: 0))
        let pins: [HTTPPin] = [
            .certificate(of: identity.certificateChain), .certificate(of: chain.der(at: 0)),
            .publicKey(of: identity.certificateChain), .publicKey(of: chain.der(at: 0)),
            .publicKey(of: chain.publicKey(at: 0)), .certificate(file: file.path),
            .publicKey(file: file.path), .publicKey(file: derFile.path),
        ]
        for pin in pins {
            let rule = HTTPPin.Rule(host: nil, pins: [pin], scope: .leaf)
            #expect(try connect([rule]).clientFailure == nil)
        }
        _ = consume file
        _ = consume derFile
    }

    @Test func `unreadable pins are a caller error`() throws {
        let sources: [[HTTPPin]] = [
            [], [.publicKey(sha256: [1, 2, 3])], [.publicKey("sha256//banana")],
            [.publicKey(file: "/no/such/file")], [.certificate(of: [])],
            [.publicKey(of: Array("nonsense".utf8))],
            // One valid pin does not make up for an invalid one.
            [other, .certificate(of: [0x30, 0x82, 0, 0])],
        ]
        for pins in sources {
            var client = try TLSSettings().client
            client.pins = [HTTPPin.Rule(host: "elsewhere.test", pins: pins)]
            do throws(TLSError) {
                _ = try TLSContext(client: client)
                Issue.record("\(pins) was accepted")
            } catch {
                guard case .failed(.pinSettings) = error else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
    }

    @Test(arguments: [
        ("b\u{FC}cher", "is not ASCII"), ("\u{2100}.com", "is not ASCII"),
        ("", "has an empty label"),
        (".", "has an empty label"), (".good.test", "has an empty label"),
        ("good..test", "has an empty label"), ("good.test:443", "contains :"),
        ("https://good.test", "contains :"), ("good.test/", "contains /"),
        ("*.good.test", "contains *"),
        ("user@good.test", "contains @"), (" good.test", "contains  "),
        ("good.test\n", "contains \\n"),
        ("[::1]:443", "contains ["), ("::1::2", "contains :"),
    ])
    func `a pin rule whose host cannot occur in a URL is rejected`(
        host: String,
        reason: String
    ) throws {
        for subdomains in [HTTPPin.Rule.Subdomains.excluded, .included] {
            var client = try TLSSettings().client
            client.pins = [HTTPPin.Rule(host: host, subdomains: subdomains, pins: [other])]
            let failure = #expect(throws: TLSError.self) { try TLSContext(client: client) }
            guard case .failed(.pinSettings(let text))? = failure else {
                Issue.record("\(String(describing: failure))")
                continue
            }
            #expect(text.contains("the host \(host) of a rule \(reason)"))
        }
    }

    @Test(arguments: [
        "good.test", "GOOD.test.", "a_b.test", "127.0.0.1", "0x7f.1", "::1", "[::1]",
        "fe80::1%eth0",
        "localhost", "xn--bcher-kva.example",
    ])
    func `a pin rule for a name or an address is accepted`(host: String) throws {
        var client = try TLSSettings().client
        client.pins = [HTTPPin.Rule(host: host, pins: [other])]
        _ = try TLSContext(client: client)
    }

    @Test(arguments: [HTTPSecurity.Version.tls12, .tls13])
    func `an audit pin reports a mismatch and continues, also on resumed sessions`(
        version: HTTPSecurity.Version
    ) async throws {
        let (reports, sink) = AsyncStream.makeStream(of: HTTPPin.Reporter.Mismatch.self)
        var settings = try TLSSettings(identity)
        settings.client.maximumVersion = version
        settings.client.pins = [HTTPPin.Rule(host: nil, pins: [other], mode: .audit)]
        settings.client.pinReporter = HTTPPin.Reporter { sink.yield($0) }
        let client = try TLSContext(client: settings.client)
        let server = try settings.serverContext()
        var iterator = reports.makeAsyncIterator()
        for round in 0..<2 {
            let pair = try EnginePair(client: client, server: server)
            pair.handshake()
            #expect(pair.clientFailure == nil)
            try pair.server.writeText("x")
            pair.move()
            #expect(try pair.client.readAll().bytes.count == 1)
            #expect(pair.client.sessionInfo.isResumed == (round == 1))
            let report = try #require(await iterator.next())
            #expect(report.host == "good.test")
            #expect(report.isResumed == (round == 1))
            #expect(report.certificates.count == 3)
            #expect(report.rule == settings.client.pins[0])
        }
    }

    @Test(arguments: [HTTPSecurity.Version.tls12, .tls13])
    func `a session created without pins is not resumed by a context with pins`(
        version: HTTPSecurity.Version
    ) throws {
        var settings = try TLSSettings(identity)
        settings.client.maximumVersion = version
        let server = try settings.serverContext()
        let open = try EnginePair(client: TLSContext(client: settings.client), server: server)
        open.handshake()
        try open.server.writeText("x")
        open.move()
        _ = try open.client.readAll()
        settings.client.pins = [HTTPPin.Rule(host: nil, pins: [other])]
        let pinned = try EnginePair(client: TLSContext(client: settings.client), server: server)
        pinned.handshake()
        #expect(isMismatch(pinned.clientFailure))
    }
}

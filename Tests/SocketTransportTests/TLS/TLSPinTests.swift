import SocketTransport
import Support
import Testing

@Suite struct TLSPinTests {
    private let certificates: TestCertificates
    private let identity: TLSConfiguration.Identity

    init() throws {
        certificates = try TestCertificates.shared.get()
        identity = try certificates.chained("good.test", "a.good.test", "b.a.good.test")
    }

    /// Returns the leaf, the intermediate and the root.
    private func chain() throws -> CertificateList {
        try #require(try TLSSettings(identity).pair().client.negotiated.peer).chain
    }

    private func keyPin(_ depth: Int) throws -> TLSPin.Source {
        let digest = try #require(MessageDigest.sha256.hash(chain().publicKey(at: depth)))
        return .digest(.publicKey(digest))
    }

    private func certificatePin(_ depth: Int) throws -> TLSPin.Source {
        let digest = try #require(MessageDigest.sha256.hash(chain().der(at: depth)))
        return .digest(.certificate(digest))
    }

    private let other = TLSPin.Source.digest(.publicKey([UInt8](repeating: 7, count: 32)))

    private func connect(
        _ rules: [TLSPinRule],
        host: String = "good.test",
        change: (inout TLSSettings) throws -> Void = { _ in }
    ) throws -> EnginePair {
        var settings = try TLSSettings(identity, host: host)
        settings.client.pins = rules
        try change(&settings)
        return try settings.pair()
    }

    private func isMismatch(_ failure: TLSError?) -> Bool {
        guard case .pinMismatch? = failure else { return false }
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
        for subject in [TLSPinRule.Subject.host(rule), .hostAndSubdomains(rule)] {
            let pair = try connect([TLSPinRule(subject: subject, pins: [other])], host: host) {
                $0.client.verification = .none
            }
            #expect(isMismatch(pair.clientFailure))
        }
    }

    @Test(arguments: [("::1", "::2"), ("127.0.0.1", "127.0.0.2"), ("0.0.1", "127.0.0.1")])
    func `a pin rule for one address does not apply to another`(rule: String, host: String) throws {
        let rule = TLSPinRule(subject: .hostAndSubdomains(rule), pins: [other])
        let pair = try connect([rule], host: host) { $0.client.verification = .none }
        #expect(pair.clientFailure == nil)
    }

    @Test(arguments: [0, 1, 2], [TLSVersion.tls12, .tls13])
    func `a pin matches any certificate of the verified chain`(
        depth: Int,
        version: TLSVersion
    ) throws {
        for pin in [try keyPin(depth), try certificatePin(depth)] {
            // `other` is an unused backup pin.
            let rule = TLSPinRule(subject: .host("good.test"), pins: [other, pin])
            let pair = try connect([rule]) { $0.client.maximumVersion = version }
            #expect(pair.clientFailure == nil)
            #expect(pair.client.negotiated.peer?.verificationStatus == .verified)
        }
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a pin mismatch fails the handshake and alerts the server`(
        version: TLSVersion
    ) throws {
        let rule = TLSPinRule(subject: .everyHost, pins: [other])
        let pair = try connect([rule]) { $0.client.maximumVersion = version }
        guard case .pinMismatch(let host, let peer)? = pair.clientFailure else {
            Issue.record("\(String(describing: pair.clientFailure))")
            return
        }
        #expect(host == "good.test")
        #expect(peer.chain.count == 3)
        #expect(throws: TLSError.self) { try pair.client.writeText("GET /") }
        // The server receives handshake_failure, so its handshake does not succeed.
        if version == .tls12 { #expect(pair.serverFailure != nil) }
    }

    @Test func `a pin with leaf scope matches only the peer's own certificate`() throws {
        for (depth, fits) in [(0, true), (1, false), (2, false)] {
            let rule = TLSPinRule(subject: .everyHost, pins: [try keyPin(depth)], scope: .leaf)
            #expect(try isMismatch(connect([rule]).clientFailure) != fits)
        }
    }

    @Test(arguments: [
        (TLSPinRule.Subject.everyHost, "good.test", true),
        (.host("good.test"), "good.test", true), (.host("GOOD.test."), "good.test", true),
        (.host("good.test"), "GOOD.TEST", true),
        (.host("good.test"), "a.good.test", false), (.host("a.good.test"), "good.test", false),
        (.hostAndSubdomains("good.test"), "good.test", true),
        (.hostAndSubdomains("good.test"), "a.good.test", true),
        (.hostAndSubdomains("good.test"), "b.a.good.test", true),
        (.hostAndSubdomains("od.test"), "good.test", false),
        (.hostAndSubdomains("a.good.test"), "good.test", false),
    ])
    func `a pin rule applies only to its hosts`(
        subject: TLSPinRule.Subject,
        host: String,
        isMeant: Bool
    ) throws {
        let rule = TLSPinRule(subject: subject, pins: [other])
        #expect(try isMismatch(connect([rule], host: host).clientFailure) == isMeant)
    }

    @Test func `every pin rule for a host must match`() throws {
        let good = TLSPinRule(subject: .host("good.test"), pins: [try keyPin(0)])
        let wide = TLSPinRule(subject: .everyHost, pins: [try keyPin(2)])
        let bad = TLSPinRule(subject: .hostAndSubdomains("good.test"), pins: [other])
        #expect(try connect([good, wide]).clientFailure == nil)
        #expect(try isMismatch(connect([good, wide, bad]).clientFailure))
    }

    @Test func `an extra certificate outside the verified chain does not satisfy a pin`() throws {
        // The server appends a certificate that is unrelated to its chain.
        var settings = try TLSSettings(identity)
        settings.server = TLSConfiguration.Identity(
            certificateChain: identity.certificateChain + certificates.impostor.certificate,
            privateKey: identity.privateKey
        )
        let pin = TLSPin.Source.certificate(.bytes(certificates.impostor.certificate))
        settings.client.pins = [TLSPinRule(subject: .everyHost, pins: [pin])]
        #expect(try isMismatch(settings.pair().clientFailure))
        // Nor without verification, when only the key of the leaf is proven.
        settings.client.verification = .none
        #expect(try isMismatch(settings.pair().clientFailure))
        settings.client.pins = [TLSPinRule(subject: .everyHost, pins: [try keyPin(0)])]
        let pair = try settings.pair()
        #expect(pair.clientFailure == nil)
        #expect(pair.client.negotiated.peer?.verificationStatus == .unchecked)
    }

    @Test func `a pin does not make a chain trusted`() throws {
        let untrusted = try certificates.untrusted("good.test")
        let pins = [TLSPin.Source.certificate(.bytes(untrusted.certificateChain))]
        let pair = try connect([TLSPinRule(subject: .everyHost, pins: pins)]) {
            $0.server = untrusted
        }
        guard case .certificateRejected? = pair.clientFailure else {
            Issue.record("\(String(describing: pair.clientFailure))")
            return
        }
    }

    @Test func `pins are read from PEM, DER and files of keys and certificates`() throws {
        let chain = try chain()
        let file = try TemporaryFile(identity.certificateChain)
        let derFile = try TemporaryFile(chain.publicKey(at: 0))
        let sources: [TLSPin.Source] = [
            .certificate(.bytes(identity.certificateChain)), .certificate(.bytes(chain.der(at: 0))),
            .publicKey(.bytes(identity.certificateChain)), .publicKey(.bytes(chain.der(at: 0))),
            .publicKey(.bytes(chain.publicKey(at: 0))), .certificate(.file(file.path)),
            .publicKey(.file(file.path)), .publicKey(.file(derFile.path)),
        ]
        for source in sources {
            let rule = TLSPinRule(subject: .everyHost, pins: [source], scope: .leaf)
            #expect(try connect([rule]).clientFailure == nil)
        }
        _ = consume file
        _ = consume derFile
    }

    @Test func `unreadable pins are a caller error`() throws {
        let sources: [[TLSPin.Source]] = [
            [], [.digest(.publicKey([1, 2, 3]))], [.publicKey(.file("/no/such/file"))],
            [.certificate(.bytes([]))], [.publicKey(.bytes(Array("nonsense".utf8)))],
            // One valid pin does not make up for an invalid one.
            [other, .certificate(.bytes([0x30, 0x82, 0, 0]))],
        ]
        for pins in sources {
            var client = try TLSSettings().client
            client.pins = [TLSPinRule(subject: .host("elsewhere.test"), pins: pins)]
            do throws(TLSError) {
                _ = try TLSContext(client: client)
                Issue.record("\(pins) was accepted")
            } catch {
                guard case .badPin = error else {
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
        for subject in [TLSPinRule.Subject.host(host), .hostAndSubdomains(host)] {
            var client = try TLSSettings().client
            client.pins = [TLSPinRule(subject: subject, pins: [other])]
            let failure = #expect(throws: TLSError.self) { try TLSContext(client: client) }
            guard case .badPin(let text)? = failure else {
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
        client.pins = [TLSPinRule(subject: .host(host), pins: [other])]
        _ = try TLSContext(client: client)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `an audit pin reports a mismatch and continues, also on resumed sessions`(
        version: TLSVersion
    ) async throws {
        let (reports, sink) = AsyncStream.makeStream(of: TLSPinMismatch.self)
        var settings = try TLSSettings(identity)
        settings.client.maximumVersion = version
        settings.client.pins = [TLSPinRule(subject: .everyHost, pins: [other], mode: .audit)]
        settings.client.onPinMismatch = TLSPinMismatchHandler { sink.yield($0) }
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
            #expect(pair.client.negotiated.resumed == (round == 1))
            let report = try #require(await iterator.next())
            #expect(report.host == "good.test")
            #expect(report.resumed == (round == 1))
            #expect(report.peer.chain.count == 3)
            #expect(report.rule == settings.client.pins[0])
        }
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a session created without pins is not resumed by a context with pins`(
        version: TLSVersion
    ) throws {
        var settings = try TLSSettings(identity)
        settings.client.maximumVersion = version
        let server = try settings.serverContext()
        let open = try EnginePair(client: TLSContext(client: settings.client), server: server)
        open.handshake()
        try open.server.writeText("x")
        open.move()
        _ = try open.client.readAll()
        settings.client.pins = [TLSPinRule(subject: .everyHost, pins: [other])]
        let pinned = try EnginePair(client: TLSContext(client: settings.client), server: server)
        pinned.handshake()
        #expect(isMismatch(pinned.clientFailure))
    }
}

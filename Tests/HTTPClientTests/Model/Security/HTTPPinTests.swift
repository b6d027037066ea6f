import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTPPinTests {
    private let wrong = HTTPPin.publicKey(sha256: [UInt8](repeating: 9, count: 32))

    private func chain(_ secure: SecureServer) async throws -> [HTTPCertificate] {
        let response = try await secure.client().send(HTTPRequest(secure.url))
        return try #require(response.metrics.tls).certificates
    }

    @Test func `pins of every kind match the chain`() async throws {
        let secure = try await SecureServer()
        let chain = try await chain(secure)
        for certificate in chain {
            let pins: [HTTPPin] = [
                .publicKey(certificate.publicKeyPin),
                .publicKey(sha256: certificate.publicKeySHA256),
                .publicKey(of: certificate.der), .certificate(of: certificate.der),
                .certificate(sha256: certificate.sha256),
            ]
            for pin in pins {
                let client = secure.client {
                    // The wrong pin counts as the backup pin.
                    $0.security.pins = [HTTPPin.Rule(host: "localhost", pins: [wrong, pin])]
                }
                #expect(try await client.send(HTTPRequest(secure.url)).text == "hello")
            }
        }
    }

    @Test(arguments: [HTTPSecurity.Version.tls12, .tls13])
    func `a pin mismatch fails before a request is sent`(
        version: HTTPSecurity.Version
    ) async throws {
        let secure = try await SecureServer()
        let client = secure.client {
            $0.security.maximumVersion = version
            $0.security.pins = [HTTPPin.Rule(host: nil, pins: [wrong])]
        }
        for _ in 0..<2 {
            let error = await failure { try await client.send(HTTPRequest(secure.url)) }
            guard case .pinMismatch(let host, let presented)? = error?.tlsReason else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(host == "localhost")
            #expect(presented.count == 3)
            #expect(error?.description.contains(presented[0].publicKeyPin) == true)
            #expect(error?.metrics.tls?.certificates == presented)
            #expect(error?.blame == .peer)
            #expect(error?.metrics.bytesSent == 0)
        }
        #expect(secure.server.requests.isEmpty)
    }

    #if !IDN
    @Test func `without the IDN trait a rule for an international host fails closed`() async throws
    {
        let secure = try await SecureServer()
        let client = secure.client {
            $0.security.pins = [HTTPPin.Rule(host: "b\u{FC}cher.example", pins: [wrong])]
        }
        let error = await failure { try await client.send(HTTPRequest(secure.url)) }
        guard case .pinSettings? = error?.tlsReason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
    #endif

    @Test func `pin rules match hosts, subdomains and the leaf`() async throws {
        let secure = try await SecureServer()
        let chain = try await chain(secure)
        let rows: [(HTTPPin.Rule, String, Bool)] = [
            (HTTPPin.Rule(host: "localhost", pins: [wrong]), "localhost", false),
            (HTTPPin.Rule(host: "LocalHost.", pins: [wrong]), "localhost", false),
            (HTTPPin.Rule(host: "localhost", pins: [wrong]), "a.localhost", true),
            (
                HTTPPin.Rule(host: "localhost", subdomains: .included, pins: [wrong]),
                "a.localhost",
                false
            ),
            (HTTPPin.Rule(host: "elsewhere.test", pins: [wrong]), "localhost", true),
            (
                HTTPPin.Rule(host: nil, pins: [.publicKey(chain[0].publicKeyPin)], scope: .leaf),
                "localhost", true
            ),
            (
                HTTPPin.Rule(host: nil, pins: [.publicKey(chain[1].publicKeyPin)], scope: .leaf),
                "localhost", false
            ),
        ]
        for (rule, host, isAccepted) in rows {
            let client = secure.client { $0.security.pins = [rule] }
            let response = try? await client.send(HTTPRequest(secure.url(host)))
            #expect((response != nil) == isAccepted, "\(rule)")
        }
    }

    @Test(arguments: ["::1", "[::1]", "0:0::1", "[0:0:0:0:0:0:0:1]", "::0001", "::1%lo"])
    func `a pin rule matches every spelling of an IPv6 address`(host: String) async throws {
        let secure = try await SecureServer(TestCertificates.shared.get().chained("::1"))
        for url in ["[::1]", "[0:0::1]", "[0:0:0:0:0:0:0:1]"] {
            let client = secure.client {
                $0.security.pins = [HTTPPin.Rule(host: host, pins: [wrong])]
            }
            let error = await failure {
                try await client.send(HTTPRequest(secure.url(url)))
            }
            guard case .pinMismatch("::1", _)? = error?.tlsReason else {
                Issue.record("\(url): \(String(describing: error))")
                continue
            }
        }
        #expect(secure.server.requests.isEmpty)
        let other = secure.client {
            $0.security.pins = [HTTPPin.Rule(host: "::2", pins: [wrong])]
        }
        #expect(try await other.send(HTTPRequest(secure.url("[0::1]"))).text == "hello")
    }

    @Test func `an audit rule reports and continues, also on resumed sessions`() async throws {
        let secure = try await SecureServer()
        let (reports, sink) = AsyncStream.makeStream(of: HTTPPin.Reporter.Mismatch.self)
        let client = secure.client {
            $0.connectionReuse = .off
            $0.security.pins = [HTTPPin.Rule(host: "localhost", pins: [wrong], mode: .audit)]
            $0.security.pinReporter = HTTPPin.Reporter { sink.yield($0) }
        }
        var iterator = reports.makeAsyncIterator()
        for round in 0..<2 {
            let response = try await client.send(HTTPRequest(secure.url))
            #expect(response.metrics.tls?.isResumed == (round == 1))
            let report = try #require(await iterator.next())
            #expect(report.host == "localhost")
            #expect(report.rule == client.configuration.security.pins[0])
            #expect(report.certificates.count == 3)
            #expect(report.isResumed == (round == 1))
        }
    }

    @Test func `a pinned request does not use a connection without pins`() async throws {
        let secure = try await SecureServer()
        let client = secure.client()
        #expect(try await client.send(HTTPRequest(secure.url)).text == "hello")
        var pinned = HTTPRequest(secure.url)
        var settings = secure.configuration.security
        settings.pins = [HTTPPin.Rule(host: nil, pins: [wrong])]
        pinned.security = settings
        let error = await failure { try await client.send(pinned) }
        guard case .pinMismatch? = error?.tlsReason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(secure.server.requests.count == 1)
    }

    @Test(arguments: [
        ("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", true),
        ("sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", true),
        ("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", true),
        ("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU", false),
        ("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=", false),
        ("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSu=U=", false),
        ("sha256//47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=", false),
        ("sha1//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", false),
        ("sha256//", false), ("", false), ("sha256//banana", false),
    ])
    func `pin text is validated`(text: String, isPin: Bool) {
        #expect(HTTPPin.publicKey(text).isValid == isPin)
        #expect(HTTPPin.certificate(text).isValid == isPin)
        let empty: [UInt8] = [
            0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4, 0xc8, 0x99, 0x6f,
            0xb9, 0x24, 0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b, 0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b,
            0x78, 0x52, 0xb8, 0x55,
        ]
        if isPin { #expect(HTTPPin.publicKey(text) == .publicKey(sha256: empty)) }
    }
}

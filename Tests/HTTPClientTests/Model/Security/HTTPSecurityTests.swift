import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTPSecurityTests {
    @Test func `a request's own security settings have separate connections and sessions`()
        async throws
    {
        let secure = try await SecureServer()
        let client = secure.client()
        var own = HTTPRequest(secure.url)
        var settings = secure.configuration.security
        settings.maximumVersion = .tls12
        own.security = settings
        #expect(own.security == settings)
        let first = try await client.send(HTTPRequest(secure.url))
        let other = try await client.send(own)
        #expect(other.metrics.connectionID != first.metrics.connectionID)
        #expect(other.metrics.tls?.version == .tls12)
        #expect(other.metrics.tls?.isResumed == false)
        // Both kinds of requests reuse their own connection, and equal settings share one.
        #expect(try await client.send(own).metrics.connectionID == other.metrics.connectionID)
        var again = HTTPRequest(secure.url)
        again.security = settings
        #expect(try await client.send(again).metrics.connectionID == other.metrics.connectionID)
        let last = try await client.send(HTTPRequest(secure.url))
        #expect(last.metrics.connectionID == first.metrics.connectionID)
        // Settings equal to the client's use the client's connection.
        again.security = secure.configuration.security
        #expect(try await client.send(again).metrics.connectionID == first.metrics.connectionID)
    }

    @Test func `a request with stricter trust does not use connections with laxer trust`()
        async throws
    {
        let secure = try await SecureServer()
        let careless = secure.client { $0.security.verification = .disabled }
        let response = try await careless.send(HTTPRequest(secure.url))
        #expect(response.metrics.tls?.isVerified == false)
        var strict = HTTPRequest(secure.url)
        strict.security = HTTPSecurity(trust: .pem(secure.certificates.otherRoot.certificate))
        for _ in 0..<2 {
            let error = await failure { try await careless.send(strict) }
            guard case .certificate? = error?.tlsReason else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        #expect(secure.server.requests.count == 1)
    }

    @Test func `requests with many different security settings succeed`() async throws {
        let secure = try await SecureServer()
        let client = secure.client()
        for number in 0..<36 {
            var request = HTTPRequest(secure.url)
            var settings = secure.configuration.security
            settings.pins = [
                HTTPPin.Rule(
                    host: "host\(number).test",
                    pins: [.publicKey(sha256: .init(repeating: 1, count: 32))]
                )
            ]
            request.security = settings
            #expect(try await client.send(request).status == .ok)
        }
    }

    @Test func `plain http ignores security settings`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("plain") }
        let client = HTTPClient()
        let first = try await client.send(HTTPRequest(server.url))
        var request = HTTPRequest(server.url)
        request.security = HTTPSecurity(trust: .file("/no/such/file"))
        let second = try await client.send(request)
        #expect(second.metrics.connectionID == first.metrics.connectionID)
    }

    @Test(arguments: [HTTPSecurity.Version.tls12, .tls13])
    func `only the configured TLS version is negotiated`(version: HTTPSecurity.Version) async throws
    {
        let secure = try await SecureServer()
        let client = secure.client {
            $0.security.minimumVersion = version
            $0.security.maximumVersion = version
        }
        #expect(try await client.send(HTTPRequest(secure.url)).metrics.tls?.version == version)
        let other: HTTPSecurity.Version = version == .tls12 ? .tls13 : .tls12
        let narrow = try await SecureServer { $0.versions = other...other }
        let refused = narrow.client {
            $0.security.minimumVersion = version
            $0.security.maximumVersion = version
        }
        let error = await failure { try await refused.send(HTTPRequest(narrow.url)) }
        #expect(error?.tlsReason == .version)
    }

    @Test(arguments: [HTTPSecurity.Version.tls12, .tls13])
    func `a client certificate is accepted, and a missing or wrong one rejected`(
        version: HTTPSecurity.Version
    ) async throws {
        let certificates = try TestCertificates.shared.get()
        let secure = try await SecureServer {
            $0.clientTrust = .pem(certificates.root.certificate)
        }
        let good = try certificates.client("me.test")
        let wrong = try certificates.selfSigned("me.test")
        for (identity, fits) in [(good, true), (wrong, false), (nil, false)] {
            let client = secure.client {
                $0.security.maximumVersion = version
                $0.security.identity = identity.map {
                    .bytes(certificate: $0.certificateChain, key: $0.privateKey)
                }
            }
            if fits {
                #expect(try await client.send(HTTPRequest(secure.url)).text == "hello")
                continue
            }
            let error = await failure { try await client.send(HTTPRequest(secure.url)) }
            #expect(error?.blame == .peer)
            switch error?.kind {
            case .tlsFailed(.alert): break
            // The server closed before the client read its alert, so sending the request failed first.
            case .connectionLost where version == .tls13: break
            default: Issue.record("\(String(describing: error))")
            }
        }
        #expect(secure.server.requests.count == 1)
    }

    @Test func `unusable security settings are named and blamed on the caller`() async throws {
        let secure = try await SecureServer()
        let pin = HTTPPin.publicKey("sha256//banana")
        #expect(!pin.isValid)
        let cases: [(inout HTTPSecurity) -> Void] = [
            { $0.trust = .file("/no/such/file") }, { $0.trust = .directory("/no/such/directory") },
            { $0.trust = .der([[1, 2, 3]]) }, { $0.identity = .files(certificate: "/no/file") },
            { $0.identity = .pkcs12([1, 2, 3]) }, { $0.ciphers = "BANANA" },
            { $0.cipherSuites = ["BANANA"] }, { $0.groups = ["BANANA"] },
            { $0.pins = [HTTPPin.Rule(host: nil, pins: [pin])] },
            { $0.pins = [HTTPPin.Rule(host: nil, pins: [])] },
            { $0.keyLog = .file("/no/such/directory/log") },
            { ($0.minimumVersion, $0.maximumVersion) = (.tls13, .tls12) },
        ]
        var names: [String] = []
        for change in cases {
            let client = secure.client { change(&$0.security) }
            let error = await failure { try await client.send(HTTPRequest(secure.url)) }
            #expect(error?.blame == .caller)
            #expect(error?.phase == .tlsHandshake)
            let reason = error?.tlsReason
            names.append(String("\(reason.map { "\($0)" } ?? "none")".prefix { $0 != ":" }))
        }
        #expect(secure.server.connectionCount > 0)
        #expect(secure.server.requests.isEmpty)
        #expect(names.allSatisfy { $0.hasPrefix("the ") || $0.hasPrefix("cannot read trusted") })
    }

    @Test func `a self-signed certificate is accepted only for the listed hosts`() async throws {
        let certificates = try TestCertificates.shared.get()
        let secure = try await SecureServer(try certificates.selfSigned("localhost", "a.localhost"))
        let client = secure.client {
            $0.security.verification = .acceptSelfSigned(hosts: ["LOCALHOST."])
        }
        #expect(try await client.send(HTTPRequest(secure.url)).text == "hello")
        let error = await failure {
            try await client.send(HTTPRequest(secure.url("a.localhost")))
        }
        guard case .certificate(let reason)? = error?.tlsReason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.kind == .selfSigned)
    }

    @Test func `a self-signed certificate is accepted for every spelling of an address`()
        async throws
    {
        let certificates = try TestCertificates.shared.get()
        let secure = try await SecureServer(try certificates.selfSigned("::1"))
        for host in ["::1", "[0:0::1]", "0:0:0:0:0:0:0:1"] {
            let client = secure.client {
                $0.security.verification = .acceptSelfSigned(hosts: [host])
            }
            for url in ["[::1]", "[0::0001]"] {
                #expect(try await client.send(HTTPRequest(secure.url(url))).text == "hello")
            }
        }
        for host in ["::2", "::ffff:0:1", "localhost", "127.0.0.1", ""] {
            let client = secure.client {
                $0.security.verification = .acceptSelfSigned(hosts: [host])
            }
            let error = await failure { try await client.send(HTTPRequest(secure.url("[::1]"))) }
            guard case .certificate(let reason)? = error?.tlsReason else {
                Issue.record("\(host): \(String(describing: error))")
                continue
            }
            #expect(reason.kind == .selfSigned)
        }
    }

    @Test func `trust extends or replaces the system's`() async throws {
        let secure = try await SecureServer()
        for trust in [
            HTTPSecurity.Trust.pem(secure.certificates.root.certificate),
            .pem(secure.certificates.otherRoot.certificate)
                .adding(.pem(secure.certificates.root.certificate)),
        ] {
            let client = secure.client { $0.security.trust = trust }
            #expect(try await client.send(HTTPRequest(secure.url)).text == "hello")
        }
        let trust = HTTPSecurity.Trust.system
        #expect(trust.adding(.pem([1])) != trust)
        #expect(trust.adding(.pem([1])) == .system.adding(.pem([1])))
    }

    @Test func `plain HTTP on a TLS port, and TLS on a plain port, are errors`() async throws {
        let origin = try ScriptedOrigin(
            perConnection: [[.reply("HTTP/1.1 400 Bad Request\r\n\r\n"), .close]]
        )
        let client = HTTPClient()
        let error = await failure {
            try await client.send(HTTPRequest("https://127.0.0.1:\(origin.port)/"))
        }
        #expect(error?.tlsReason == .notTLS)
        #expect(error?.metrics.tls?.certificates.isEmpty == true)
        origin.stop()
        let secure = try await SecureServer()
        let plain = await failure {
            try await client.send(HTTPRequest("http://127.0.0.1:\(secure.server.port)/"))
        }
        #expect(plain != nil)
    }

    @Test func `an identity is printed without its secrets`() {
        let identities: [HTTPSecurity.Identity] = [
            .bytes(certificate: [], key: Array("SECRET".utf8), passphrase: "SECRET"),
            .files(certificate: "me.pem", key: nil, passphrase: "SECRET"),
            .pkcs12(file: "me.p12", passphrase: "SECRET"),
        ]
        for identity in identities {
            var settings = HTTPSecurity()
            settings.identity = identity
            var text = ""
            dump(settings, to: &text)
            #expect(!text.contains("SECRET"))
            #expect(!"\(settings)\(identity)".contains("SECRET"))
            #expect(!String(reflecting: settings).contains("SECRET"))
        }
    }
}

import FoundationEssentials
import HTTPClient
import HTTPTestServer
import Testing

/// Tests the conversion of international hosts; Wire's tests cover hosts without the trait.
@Suite(.timeLimit(.minutes(10))) struct InternationalHostTests {
    @Test(arguments: [
        ("b\u{FC}cher.example", "xn--bcher-kva.example"),
        ("B\u{DC}CHER.Example", "xn--bcher-kva.example"),
        ("bu\u{308}cher.example", "xn--bcher-kva.example"),
        ("b%C3%BCcher.example", "xn--bcher-kva.example"),
        ("b%c3%9Ccher%2Eexample", "xn--bcher-kva.example"),
        // Nontransitional processing: not mapped to "ss" or to the sigma used within words.
        ("fa\u{DF}.de", "xn--fa-hia.de"), ("\u{3C2}.gr", "xn--3xa.gr"),
        ("\u{3A3}.gr", "xn--4xa.gr"),
        ("\u{1E9E}.de", "ss.de"),
        ("\u{915}\u{94D}\u{200D}\u{937}.com", "xn--11b2ezcw70k.com"),
        ("\u{4F8B}\u{3048}.\u{30C6}\u{30B9}\u{30C8}", "xn--r8jz45g.xn--zckzah"),
        ("\u{65E5}\u{672C}\u{8A9E}\u{3002}\u{FF2A}\u{FF30}", "xn--wgv71a119e.jp"),
        ("\u{5D0}\u{5D1}1.com", "xn--1-zhcd.com"),
        ("\u{131}.com", "xn--cfa.com"), ("\u{130}.com", "xn--i-9bb.com"),
        // Symbols, converted as in browsers.
        ("\u{2665}.ws", "xn--g6h.ws"), ("\u{270C}\u{FE0F}.ws", "xn--7bi.ws"),
        ("\u{2603}\u{FC}.com", "xn--tda170q.com"),
        // Mapped to ASCII.
        ("\u{FF41}\u{FF42}\u{FF43}.com", "abc.com"), ("a\u{FF0E}b", "a.b"), ("a\u{FF61}b", "a.b"),
        ("\u{212A}.com", "k.com"), ("\u{FB00}.com", "ff.com"), ("\u{2460}.com", "1.com"),
        ("\u{FF11}\u{FF12}\u{FF17}.0.0.1", "127.0.0.1"),
        ("127\u{3002}0\u{3002}0\u{3002}1", "127.0.0.1"),
        // Ignored characters.
        ("b\u{AD}\u{FC}.example", "xn--b-eha.example"), ("\u{FEFF}b\u{FC}.de", "xn--b-eha.de"),
        // Trailing dots, "_", and labels that are already encoded.
        ("b\u{FC}.example.", "xn--b-eha.example."),
        ("b\u{FC}.example\u{3002}", "xn--b-eha.example."),
        ("_dmarc.b\u{FC}.de", "_dmarc.xn--b-eha.de"),
        ("XN--bcher-KVA.b\u{FC}", "xn--bcher-kva.xn--b-eha"),
        ("\u{FF58}\u{FF4E}\u{FF0D}\u{FF0D}bcher-kva.de", "xn--bcher-kva.de"),
    ])
    func `UTS 46: a host has one ASCII form`(host: String, ascii: String) throws {
        let uri = try URI(percentEncoding: "https://u@\(host):8443/\u{FC}?q#f")
        #expect(uri.text == "https://u@\(ascii):8443/%C3%BC?q#f")
        #expect(uri.origin?.host == ascii)
        #expect(uri.origin == Origin(scheme: .https, host: host, port: 8443))
        #expect(try URI(percentEncoding: uri.text) == uri)
        #expect(HTTPRequest("http://\(host)/").url == "http://\(ascii)/")
        #expect(HTTPProxy(scheme: .http, host: host).host == ascii)
        #expect(
            HTTPConnectOptions.AddressOverride(host: host, port: nil, addresses: []).host == ascii
        )
    }

    @Test func `a host that maps to numbers is an address`() throws {
        let uri = try URI(percentEncoding: "https://\u{FF10}\u{FF58}\u{FF17}\u{FF46}.1/")
        #expect(uri.origin?.host == "127.0.0.1")
        #expect(Origin(scheme: .http, host: "\u{FF11}\u{FF12}\u{FF17}.1").host == "127.0.0.1")
    }

    @Test(arguments: [
        // Characters that map to a delimiter never change host or port.
        ("\u{2100}.com", InternationalHostError.forbiddenCharacter),
        ("a\u{FF1A}80.com", .forbiddenCharacter), ("a\u{FF0F}b.com", .forbiddenCharacter),
        ("a\u{FF03}b.com", .forbiddenCharacter), ("a\u{FF1F}b.com", .forbiddenCharacter),
        ("a\u{FF20}b.com", .forbiddenCharacter), ("a\u{FF3C}b.com", .forbiddenCharacter),
        ("\u{FF05}41.com", .forbiddenCharacter), ("\u{FF3B}\u{FF11}\u{FF3D}", .forbiddenCharacter),
        ("\u{FE56}.com", .forbiddenCharacter), ("a\u{3000}b.com", .forbiddenCharacter),
        ("b\u{FC}%2F.de", .forbiddenCharacter), ("b\u{FC}%00.de", .forbiddenCharacter),
        ("b\u{FC}%0D%0Ax.de", .forbiddenCharacter), ("b\u{FC} x.de", .forbiddenCharacter),
        ("b\u{FC}\\x.de", .forbiddenCharacter), ("b\u{FC}!x.de", .forbiddenCharacter),
        ("=\u{338}.com", .forbiddenCharacter),
        ("\u{2488}com", .forbiddenCharacter), ("\u{2024}com.\u{FC}", .forbiddenCharacter),
        ("\u{FFFF}.com", .forbiddenCharacter), ("\u{FFFD}.com", .forbiddenCharacter),
        ("\u{E0041}.com", .forbiddenCharacter), ("\u{3164}.com", .forbiddenCharacter),
        ("%FF.com", .invalidUTF8), ("\u{FC}%C3", .invalidUTF8),
        // A misplaced joiner is an error and is not dropped, which would give example.com.
        ("ex\u{200D}ample.com", .misplacedCharacter), ("ex\u{200C}ample.com", .misplacedCharacter),
        ("-b\u{FC}.de", .misplacedCharacter), ("b\u{FC}-.de", .misplacedCharacter),
        ("\u{301}a.de", .misplacedCharacter),
        ("\u{5D0}a.com", .mixedDirections), ("1\u{5D0}.com", .mixedDirections),
        ("\u{2665}\u{5D0}a.com", .forbiddenCharacter),
        ("\u{2665}fa\u{DF}.com", .forbiddenCharacter),
        ("b\u{FC}.xn--zzzzzz", .invalidALabel), ("b\u{FC}.xn--ex-", .invalidALabel),
        ("b\u{FC}.xn--", .invalidALabel), ("b\u{FC}.xn--a", .forbiddenCharacter),
        ("b\u{FC}..example", .emptyLabel), ("\u{AD}.example", .emptyLabel), ("\u{AD}", .emptyLabel),
        ("\u{FF0E}b\u{FC}", .emptyLabel), ("b\u{FC}..", .emptyLabel), ("\u{2060}.com", .emptyLabel),
        (String(repeating: "\u{FC}", count: 60), .labelTooLong),
        (String(repeating: "a", count: 64) + ".\u{FC}", .labelTooLong),
        (String(repeating: "\u{FC}b.", count: 40), .nameTooLong),
        (String(repeating: "\u{AD}", count: 600) + "a", .nameTooLong),
    ])
    func `a host without an ASCII form is rejected with the reason`(
        host: String,
        reason: InternationalHostError
    ) async {
        let typed = "http://u@\(host):80/"
        let parsing = #expect(throws: HTTPError.self) { try URI(percentEncoding: typed) }
        let expected = WireError.invalidURI(.internationalHost(reason), offset: 9)
        #expect(parsing?.kind == .invalidRequest(.url(typed, expected)))
        let text = "https://\(host)/"
        let error = await #expect(throws: HTTPError.self) {
            try await HTTPClient.shared.send(HTTPRequest(text))
        }
        let later = WireError.invalidURI(.internationalHost(reason), offset: 8)
        #expect(error?.kind == .invalidRequest(.url(text, later)))
    }

    @Test func `no character becomes a delimiter, and the conversion is idempotent`() throws {
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789-._".utf8)
        var converted = 0
        // Ideographs and Hangul are omitted: there are many, and none of them map to anything.
        let blocks: [ClosedRange<UInt32>] = [
            0x80...0x33FF, 0xF900...0xFFFF, 0x1_0000...0x1_12FF, 0x1_D000...0x1_FAFF,
            0x2_F800...0x2_FA1D,
        ]
        for value in blocks.joined() {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = "http://a\(scalar)b.example:8080/"
            guard let uri = try? URI(percentEncoding: text) else { continue }
            converted += 1
            let host = try #require(uri.host)
            guard host.utf8.allSatisfy({ allowed.contains($0) }), uri.port == 8080, uri.path == "/",
                uri.userinfo == nil, try URI(percentEncoding: uri.text) == uri
            else {
                Issue.record("U+\(String(value, radix: 16)): \(uri)")
                continue
            }
        }
        #expect(converted > 10_000)
    }

    @Test func `a Foundation URL has the same host`() throws {
        let url = try #require(URL(string: "http://B\u{FC}cher.example:8080/\u{FC}"))
        #expect(HTTPRequest(url).url == "http://xn--bcher-kva.example:8080/%C3%BC")
    }

    // MARK: - Calls

    /// Returns a client that connects to the server for every spelling of "bücher.example".
    private func client(
        _ server: HTTPTestServer,
        _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
    ) throws -> HTTPClient {
        let loopback = try #require(IPAddress("127.0.0.1"))
        var configuration = HTTPClient.Configuration()
        configuration.connectOptions.overrides = ["B\u{FC}cher.example", "first.example"].map {
            HTTPConnectOptions.AddressOverride(host: $0, port: nil, addresses: [loopback])
        }
        configuration.connectOptions.connectToRules = [
            HTTPConnectOptions.ConnectToRule(fromHost: "b%C3%BCcher.EXAMPLE", toPort: server.port)
        ]
        configuration.security.trust = .pem(server.certificateAuthorityPEM)
        change(&configuration)
        return HTTPClient(configuration)
    }

    @Test func `all spellings share a connection, Host and cookies`() async throws {
        let server = try await HTTPTestServer.start { _ in
            .text("hello").header("Set-Cookie", "a=b; Domain=xn--bcher-kva.example")
        }
        let jar = CookieJar()
        let cookie = Cookie("own", "1", domain: ".B\u{FC}cher.example", isHostOnly: false)
        #expect(cookie?.domain == "xn--bcher-kva.example")
        #expect(jar.set(try #require(cookie)) == nil)
        let client = try client(server) { $0.cookies = .jar(jar) }
        for host in [
            "b\u{FC}cher.example", "B\u{DC}CHER.example", "xn--bcher-kva.example",
            "b%C3%BCcher.example",
        ] {
            #expect(try await client.send(HTTPRequest("http://\(host)/")).text == "hello")
        }
        #expect(server.connectionCount == 1)
        #expect(Set(server.requests.map { $0.headers["Host"] }) == ["xn--bcher-kva.example"])
        #expect(
            server.requests.map { $0.headers["Cookie"] } == ["own=1"]
                + Array(repeating: "own=1; a=b", count: 3)
        )
        #expect(jar.cookies(for: try URI("http://xn--bcher-kva.example/")).count == 2)
    }

    @Test(arguments: ["http://b\u{FC}cher.example/there", "//B%C3%BCcher.example/there"])
    func `a redirect to an international host is followed`(location: String) async throws {
        let server = try await HTTPTestServer.start(routes: [
            "/": .redirect(to: location), "/there": .text("hello"),
        ])
        let client = try client(server)
        let response = try await client.send(HTTPRequest("http://first.example:\(server.port)/"))
        #expect(response.text == "hello")
        #expect(response.url.text == "http://xn--bcher-kva.example/there")
        #expect(server.requests.last?.headers["Host"] == "xn--bcher-kva.example")
    }

    @Test func `a redirect to an invalid host is an error`() async throws {
        let server = try await HTTPTestServer.start(routes: [
            "/": .redirect(to: "http://\u{2100}.com/")
        ])
        let client = try client(server)
        let error = await #expect(throws: HTTPError.self) {
            try await client.send(HTTPRequest("http://first.example:\(server.port)/"))
        }
        #expect(error?.kind == .redirectFailed(.invalidLocation("http://\u{2100}.com/")))
        #expect(
            error?.description.contains("a character that is not allowed in a host name") == true
        )
        #expect(server.requests.count == 1)
    }

    @Test func `TLS and pins compare the ASCII form`() async throws {
        let server = try await HTTPTestServer.start(
            tls: .selfIssued(for: ["xn--bcher-kva.example"])
        ) { _ in
            .text("hello")
        }
        #expect(try await client(server).send("https://b\u{FC}cher.example/").text == "hello")
        let wrong = HTTPPin.publicKey(sha256: [UInt8](repeating: 9, count: 32))
        for host in ["b\u{FC}cher.example", "xn--bcher-kva.example", "B\u{DC}CHER.EXAMPLE."] {
            let client = try client(server) {
                $0.security.pins = [HTTPPin.Rule(host: host, pins: [wrong])]
            }
            let error = await #expect(throws: HTTPError.self) {
                try await client.send("https://b\u{FC}cher.example/")
            }
            guard case .tlsFailed(.pinMismatch(host: "xn--bcher-kva.example", _))? = error?.kind
            else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        // A rule for an invalid host must not be ignored.
        let client = try client(server) {
            $0.security.pins = [HTTPPin.Rule(host: "\u{2100}.com", pins: [wrong])]
        }
        let error = await #expect(throws: HTTPError.self) {
            try await client.send("https://b\u{FC}cher.example/")
        }
        guard case .tlsFailed(.pinSettings)? = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: [
        ("b\u{FC}cher.example", true), (".B\u{FC}cher.example", true), ("*.example", true),
        ("b\u{FC}cher.example:8080", true), ("b\u{FC}cher.example:81", false),
        ("\u{2100}.com", false),
    ])
    func `a proxy exception can be an international host`(list: String, isExpected: Bool) throws {
        let origin = Origin(scheme: .http, host: "xn--bcher-kva.example", port: 8080)
        #expect(HTTPProxy.Exceptions(list).contains(origin) == isExpected)
        #expect(
            HTTPProxy.Exceptions("\u{FF11}27.0.0.1").contains(
                Origin(scheme: .http, host: "127.0.0.1")
            )
        )
    }
}

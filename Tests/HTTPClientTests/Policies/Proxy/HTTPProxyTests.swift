import ClientSupport
import HTTPClient
import Testing

@Suite struct HTTPProxyTests {
    @Test(arguments: [
        ("http://proxy.example:3128", "http://proxy.example:3128"),
        ("http://proxy.example", "http://proxy.example:1080"),
        ("proxy.example:8080", "http://proxy.example:8080"),
        ("proxy.example", "http://proxy.example:1080"),
        ("HTTP://Proxy.Example:1/", "http://proxy.example:1"),
        ("http://proxy.example:3128/ignored?too", "http://proxy.example:3128"),
        ("socks5://127.0.0.1", "socks5://127.0.0.1:1080"),
        ("socks5h://[::1]:9", "socks5h://[::1]:9"),
        ("[2001:db8::1]:8080", "http://[2001:db8::1]:8080"),
        ("user:secret@proxy.example:8080", "http://proxy.example:8080"),
    ])
    func `a proxy URL is parsed`(url: String, shown: String) throws {
        #expect(try HTTPProxy(url).description == shown)
    }

    @Test(
        arguments: [
            ("http://p", nil),
            ("http://ada@p", HTTPCredentials(user: "ada", password: "")),
            ("http://ada:secret@p", HTTPCredentials(user: "ada", password: "secret")),
            ("http://ada:a:b@p", HTTPCredentials(user: "ada", password: "a:b")),
            ("http://a%3Ab:c%40d@p", HTTPCredentials(user: "a:b", password: "c@d")),
            ("socks5://%FF:%00@p", HTTPCredentials(user: [0xFF], password: [0])),
            ("http://:@p", HTTPCredentials(user: "", password: "")),
        ] as [(String, HTTPCredentials?)]
    )
    func `user and password are percent-decoded separately`(
        url: String,
        credentials: HTTPCredentials?
    ) throws {
        #expect(try HTTPProxy(url).credentials == credentials)
    }

    @Test(arguments: ["https://p", "socks4://p", "socks4a://p", "socks://p", "ftp://p", "x://p"])
    func `an unsupported scheme is rejected by name`(url: String) {
        let scheme = String(url.prefix { $0 != ":" })
        #expect(invalidReason { try HTTPProxy(url) } == .proxy(.unsupportedScheme(scheme)))
    }

    @Test(arguments: [
        "", "http://", "http://:1", "http://p:0", "http://p:65536", "http://[::1", ":1",
    ])
    func `an invalid proxy URL is rejected`(url: String) {
        guard case .proxy(.malformed) = invalidReason({ try HTTPProxy(url) }) else {
            Issue.record("no proxy has this URL")
            return
        }
    }

    @Test func `credentials are not printed`() {
        let credentials = HTTPCredentials(user: "ada", password: "secret")
        var proxy = HTTPProxy(scheme: .http, host: "[::1]")
        proxy.credentials = credentials
        var dumped = ""
        dump(proxy, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), "\(proxy)", dumped] {
            #expect(!text.contains("secret"))
        }
        #expect(proxy.host == "::1")
    }
}

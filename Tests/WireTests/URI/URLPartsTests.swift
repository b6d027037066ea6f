import Testing
import Wire

@Suite struct URLPartsTests {
    @Test(arguments: [
        "http://u:p@a.test:80/b?c#d", "http://[::1]:8080", "//a.test/b", "/a?b", "a/b", "?a", "#a",
        "", "http:a",
        "http://a.test", "http://@a.test/", "http://a.test:/",
    ])
    func `text is the same after it was split`(text: String) {
        #expect(URLParts(text).text == text)
    }

    @Test func `a text has all parts`() {
        let parts = URLParts("http://u:p@[::1]:80/a/b?c=d#e")
        #expect(
            parts.scheme == "http" && parts.userinfo == "u:p" && parts.host == "[::1]"
                && parts.port == "80"
        )
        #expect(parts.path == "/a/b" && parts.query == "c=d" && parts.fragment == "e")
    }

    @Test(
        arguments: [
            ("a.test:80", "a.test", "80"), ("a.test", "a.test", nil), ("[::1]:80", "[::1]", "80"),
            ("[::1]", "[::1]", nil),
            ("a.test:b", "a.test:b", nil), ("a.test:", "a.test", ""),
        ] as [(String, String, String?)]
    )
    func `an authority is split before its port`(text: String, host: String, port: String?) {
        var parts = URLParts("")
        parts.setAuthority(text)
        #expect(parts.host == host && parts.port == port)
    }

    /// A relative reference must not become one with a host or a scheme (RFC 3986 §4.2).
    @Test(
        arguments: [
            (nil, nil, "//a", "/.//a"), (nil, nil, "a:b/c", "./a:b/c"),
            (nil, "a.test", "b", "//a.test/b"),
            ("x", nil, "a:b", "x:a:b"), (nil, nil, "a/b:c", "a/b:c"),
        ] as [(String?, String?, String, String)]
    )
    func `a path is separated from what precedes it`(
        scheme: String?,
        host: String?,
        path: String,
        text: String
    ) {
        var parts = URLParts("")
        (parts.scheme, parts.host, parts.path) = (scheme, host, path)
        #expect(parts.text == text)
    }

    @Test(
        arguments: [
            ("1x", nil, "a.test", WireError.invalidURI(.invalidScheme, offset: 0)),
            ("", nil, "a.test", .invalidURI(.invalidScheme, offset: 0)),
            ("http", nil, "a/b", .invalidURI(.forbiddenByte, offset: 8)),
            ("http", "u", "a:b", .invalidURI(.forbiddenByte, offset: 10)),
            (nil, nil, "a?b", .invalidURI(.forbiddenByte, offset: 3)),
        ] as [(String?, String?, String, WireError)]
    )
    func `a part with the delimiter of another part is rejected`(
        scheme: String?,
        userinfo: String?,
        host: String,
        error: WireError
    ) {
        var parts = URLParts("")
        (parts.scheme, parts.userinfo, parts.host) = (scheme, userinfo, host)
        #expect(throws: error) { try parts.uri() }
    }

    @Test func `parts become a URI whose bytes are encoded`() throws {
        var parts = URLParts("")
        (parts.scheme, parts.host, parts.path, parts.query) = ("x+1-.", "[::1]", "/a b", "ä")
        #expect(try parts.uri().text == "x+1-.://[::1]/a%20b?%C3%A4")
    }

    @Test func `delimiters are encoded`() {
        #expect(URLParts.encoding("/?#", in: "a/ä?b#c&d") == "a%2Fä%3Fb%23c&d")
        #expect(URLParts.encoding("/", in: "a?b") == "a?b")
    }

    @Test func `user name and password are removed`() throws {
        #expect(try URI("http://u:p@a.test/b").withoutUserinfo.text == "http://a.test/b")
        #expect(try URI("http://a.test/b").withoutUserinfo.text == "http://a.test/b")
        #expect(URLParts.withoutCredentials("http://u:p@a b/") == "http://a b/")
        #expect(URLParts.withoutCredentials("a b") == "a b")
    }
}

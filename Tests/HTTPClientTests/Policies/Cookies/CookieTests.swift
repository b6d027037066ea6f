import HTTPClient
import Testing

@Suite struct CookieTests {
    @Test func `a cookie's description shows its domain and hides its value`() throws {
        let cookie = try #require(Cookie("sid", "geheim", domain: "a.example", isHostOnly: false))
        #expect("\(cookie)" == "sid (*.a.example/)")
        var dumped = ""
        dump(cookie, to: &dumped)
        #expect(!"\(cookie) \(String(reflecting: cookie)) \([cookie]) \(dumped)".contains("geheim"))
        #expect(dumped.contains("a.example"))
        let jar = CookieJar(suffixes: .builtIn)
        jar.set(cookie)
        dumped = ""
        dump(jar, to: &dumped)
        #expect(!"\(jar) \(dumped)".contains("geheim"))
    }

    @Test(arguments: [
        ("a", "1", "a.example", "/", true), ("", "1", "a.example", "/", true),
        ("a", "", "a.example", "/", true), ("a", "b=c", "[::1]", "/x y", true),
        ("", "", "a.example", "/", false), ("a", "", "[[a]]", "/", false),
        ("a=b", "1", "a.example", "/", false),
        ("a;b", "1", "a.example", "/", false), ("a", "1\r\nX: y", "a.example", "/", false),
        ("a", "1; b=2", "a.example", "/", false), ("a", " 1", "a.example", "/", false),
        ("a ", "1", "a.example", "/", false), ("a", "1", "", "/", false),
        ("a", "1", "..a", "/", false), ("a", "1", "a/b", "/", false),
        ("a", "1", "\u{fffd}", "/", false),
        ("a", "1", "a b", "/", false), ("a", "1", "a.example", "", false),
        ("a", "1", "a.example", "x", false), ("a", "1", "a.example", "/\n", false),
        ("a", "\u{7F}", "a.example", "/", false), ("a", "\0", "a.example", "/", false),
    ])
    func `only a cookie with valid parts can be created`(
        name: String,
        value: String,
        domain: String,
        path: String,
        isGood: Bool
    ) {
        #expect((Cookie(name, value, domain: domain, path: path) != nil) == isGood)
    }

    @Test(arguments: ["::1", "[::1]", "[0:0::1]", "0:0:0:0:0:0:0:1"])
    func `a cookie for an IPv6 address matches every spelling`(domain: String) throws {
        let cookie = try #require(Cookie("a", "1", domain: domain, path: "/"))
        #expect(cookie.domain == "::1")
        let jar = CookieJar()
        #expect(jar.set(cookie) == nil)
        #expect(jar.field(for: try URI("http://[0::1]/")) == "a=1")
    }

    @Test(arguments: [
        ("a.example", "a.example", true), ("b.a.example", "a.example", true),
        ("ba.example", "a.example", false), ("a.example", "b.a.example", false),
        ("a.example", "", false), ("", "", true), ("1.2.3.4", "3.4", false),
        ("1.2.3.4", "1.2.3.4", true),
        ("x.example.", "example.", true), ("::1", "1", false), ("a.0x7f", "0x7f", false),
    ])
    func `domains match whole labels`(host: String, domain: String, isMatch: Bool) {
        #expect(CookieRules.matches(host, domain: domain) == isMatch)
    }

    @Test(arguments: [
        ("/", "/"), ("", "/"), ("x", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b", "/a"),
        ("/a/b/", "/a/b"), ("//", "/"), ("/a//b", "/a/"),
    ])
    func `the default path is the request path without its last segment`(
        path: String,
        expected: String
    ) {
        #expect(CookieRules.defaultPath(path) == expected)
    }
}

import HTTPClient
import Testing

/// Tests the storage of cookies with cases in the form of the public http-state suite.
///
/// Each case has the Set-Cookie lines, the URL that sets them, and the Cookie field sent to another
/// URL.
@Suite struct CookieTableTests {
    struct Row: Sendable, CustomStringConvertible {
        let from: String
        let lines: [String]
        let to: String
        let sent: String?

        init(
            _ lines: [String],
            from: String = "http://a.example/",
            to: String? = nil,
            _ sent: String?
        ) {
            self.from = from
            self.lines = lines
            self.to = to ?? from
            self.sent = sent
        }

        var description: String { "\(from) \(lines) -> \(to)" }
    }

    private static let now = 1_700_000_000

    private static let parsing: [Row] = [
        Row(["foo=bar"], "foo=bar"), Row(["foo=bar; x=y"], "foo=bar"), Row(["foo"], "foo"),
        Row(["=bar"], "bar"), Row([""], nil), Row(["="], nil), Row(["; Path=/"], nil),
        Row([" foo = bar ;"], "foo=bar"), Row(["foo=\"a b\""], "foo=\"a b\""),
        Row(["foo=a=b"], "foo=a=b"), Row(["==b"], "=b"), Row(["=a=b"], "a=b"),
        Row(["foo="], "foo="),
        Row(["FOO=1", "foo=2"], "FOO=1; foo=2"), Row(["foo=1", "foo=2"], "foo=2"),
        Row(["a=1,b=2"], "a=1,b=2"), Row(["a=1; SECURE "], nil),
        Row(["a=1; ;;=; HttpOnly"], "a=1"), Row(["a=\u{1}"], nil), Row(["a=é"], "a=é"),
        // These names are equal strings in Swift, but different names on the wire.
        Row(["e\u{301}=1", "\u{E9}=2"], "e\u{301}=1; \u{E9}=2"),
        Row(
            ["a=" + String(repeating: "b", count: 4095)],
            "a=" + String(repeating: "b", count: 4095)
        ),
        Row(["a=" + String(repeating: "b", count: 4096)], nil),
        Row(["a=1; SameSite=None"], "a=1"), Row(["a=1; SameSite=Strict"], "a=1"),
    ]

    private static let domains: [Row] = [
        Row(["a=1"], from: "http://A.Example/", to: "http://a.EXAMPLE/", "a=1"),
        Row(["a=1"], to: "http://b.a.example/", nil), Row(["a=1"], to: "http://example/", nil),
        Row(["a=1"], to: "http://a.example:8080/", "a=1"),
        Row(["a=1; Domain=a.example"], to: "http://b.a.example/", "a=1"),
        Row(["a=1; Domain=.A.Example"], to: "http://c.b.a.example/", "a=1"),
        Row(["a=1; Domain=..a.example"], nil), Row(["a=1; Domain="], "a=1"),
        Row(["a=1; Domain=a.example."], nil), Row(["a=1; Domain=.a.example."], nil),
        Row(["a=1; Domain=b.a.example"], nil), Row(["a=1; Domain=other.example"], nil),
        Row(["a=1; Domain=.example"], nil), Row(["a=1; Domain=xample"], nil),
        Row(["a=1; Domain=le"], nil), Row(["a=1; Domain=ä.example"], nil),
        Row(["a=1; Domain=b.example; Domain=a.example"], "a=1"),
        Row(["a=1; Domain=a.example; Domain="], to: "http://b.a.example/", nil),
        Row(["a=1; Domain=a.example"], from: "http://ba.example/", nil),
        Row(["a=1; Domain=a.example"], to: "http://ba.example/", nil),
        // A host-only cookie and a domain cookie of the same name are two cookies.
        Row(["a=1", "a=2; Domain=a.example"], "a=1; a=2"),
        Row(["a=1; Domain=a.example"], to: "http://a.example./", nil),
        Row(["a=1; Domain=example."], from: "http://a.example./", nil),
        Row(
            ["a=1; Domain=a.example."],
            from: "http://a.example./",
            to: "http://b.a.example./",
            "a=1"
        ),
        Row(["a=1; Domain=xn--bcher-kva.example"], from: "http://w.xn--bcher-kva.example/", "a=1"),
        Row(["a=1"], from: "ftp://a.example/", nil),
        // Public suffixes.
        Row(["a=1; Domain=co.uk"], from: "http://a.co.uk/", nil),
        Row(["a=1; Domain=CO.UK"], from: "http://a.co.uk/", nil),
        Row(["a=1; Domain=com."], from: "http://a.com./", nil),
        Row(["a=1; Domain=a.co.uk"], from: "http://w.a.co.uk/", "a=1"),
        Row(["a=1; Domain=github.io"], from: "http://github.io/", "a=1"),
        Row(["a=1; Domain=github.io"], from: "http://github.io/", to: "http://me.github.io/", nil),
        Row(["a=1; Domain=localhost"], from: "http://localhost/", "a=1"),
        Row(["a=1; Domain=localhost"], from: "http://localhost/", to: "http://a.localhost/", nil),
        // Not a public suffix itself, but wider than the registrable domain.
        Row(["a=1; Domain=sch.uk"], from: "http://b.a.sch.uk/", nil),
        Row(["a=1; Domain=ck"], from: "http://a.www.ck/", nil),
        Row(["a=1; Domain=www.ck"], from: "http://a.www.ck/", "a=1"),
        // An IP address matches only itself.
        Row(["a=1"], from: "http://127.0.0.1/", "a=1"),
        Row(["a=1; Domain=127.0.0.1"], from: "http://127.0.0.1/", "a=1"),
        Row(["a=1; Domain=0.0.1"], from: "http://127.0.0.1/", nil),
        Row(["a=1; Domain=1"], from: "http://127.0.0.1/", nil),
        Row(["a=1; Domain=0.0x1"], from: "http://127.0.0x1/", nil),
        Row(["a=1"], from: "http://[::1]/", "a=1"),
        Row(["a=1; Domain=1"], from: "http://[::1]/", nil),
    ]

    private static let paths: [Row] = [
        Row(["a=1"], from: "http://a.example/b/c", to: "http://a.example/b/d", "a=1"),
        Row(["a=1"], from: "http://a.example/b/c", to: "http://a.example/b", "a=1"),
        Row(["a=1"], from: "http://a.example/b/c", to: "http://a.example/bc", nil),
        Row(["a=1"], from: "http://a.example/b/c", to: "http://a.example/", nil),
        Row(["a=1"], from: "http://a.example/b/c?d=/e/f", to: "http://a.example/b?x=/q", "a=1"),
        Row(["a=1"], from: "http://a.example?q", to: "http://a.example/x", "a=1"),
        Row(["a=1; Path=/b"], to: "http://a.example/b", "a=1"),
        Row(["a=1; Path=/b"], to: "http://a.example/b/", "a=1"),
        Row(["a=1; Path=/b"], to: "http://a.example/bc", nil),
        Row(["a=1; Path=/b/"], to: "http://a.example/b", nil),
        Row(["a=1; Path=/b/"], to: "http://a.example/b/c", "a=1"),
        Row(["a=1; Path=/B"], to: "http://a.example/b", nil),
        Row(["a=1; Path=/%62"], to: "http://a.example/b", nil),
        Row(["a=1; Path=b"], to: "http://a.example/x", "a=1"),
        Row(["a=1; Path=/b; Path="], to: "http://a.example/x", "a=1"),
        Row(["a=1; Path=/b; Path=/"], to: "http://a.example/x", "a=1"),
        Row(["a=1; Path=/\"b"], to: "http://a.example/b", nil),
    ]

    private static let ends: [Row] = [
        Row(["a=1; Max-Age=10"], "a=1"), Row(["a=1; Max-Age=0"], nil),
        Row(["a=1; Max-Age=-5"], nil),
        Row(["a=1; Max-Age=x"], "a=1"), Row(["a=1; Max-Age=99999999999999999999"], "a=1"),
        Row(["a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], nil),
        Row(["a=1; Expires=Fri, 01 Jan 2500 00:00:00 GMT"], "a=1"),
        Row(["a=1; Expires=never"], "a=1"),
        Row(["a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=5"], "a=1"),
        Row(["a=1; Max-Age=0; Expires=Fri, 01 Jan 2500 00:00:00 GMT"], nil),
        Row(["a=1; Max-Age=0; Max-Age=5"], "a=1"),
        Row(["a=1", "a=2; Max-Age=0"], nil), Row(["a=1", "a=2; Max-Age=0; Path=/b"], "a=1"),
        Row(["a=1", "b=2", "a=; Expires=Thu, 01-Jan-70 00:00:01 GMT"], "b=2"),
    ]

    private static let orders: [Row] = [
        Row(["a=1", "b=2", "c=3"], "a=1; b=2; c=3"), Row(["a=1", "b=2", "a=3"], "a=3; b=2"),
        Row(
            ["a=1; Path=/", "b=2; Path=/x/y", "c=3; Path=/x", "d=4; Path=/x/y"],
            to: "http://a.example/x/y/z",
            "b=2; d=4; c=3; a=1"
        ),
        Row(["a=1; Domain=a.example", "b=2"], "a=1; b=2"),
        Row(["a=1", "a=0; Max-Age=0", "b=2", "a=3"], "b=2; a=3"),
    ]

    private static let secrets: [Row] = [
        Row(["a=1; Secure"], to: "https://a.example/", nil),
        Row(["__Secure-a=1; Secure"], to: "https://a.example/", nil),
        Row(["a=1"], to: "https://a.example/", "a=1"),
        Row(["a=1; Secure"], from: "https://a.example/", "a=1"),
        Row(["a=1; Secure"], from: "https://a.example/", to: "http://a.example/", nil),
        Row(["a=1"], from: "https://a.example/", to: "http://a.example/", "a=1"),
        Row(["a=1; HttpOnly"], "a=1"), Row(["a=1; Secure"], from: "http://localhost/", nil),
        Row(["__Secure-a=1"], from: "https://a.example/", nil),
        Row(["__secure-a=1"], from: "https://a.example/", nil),
        Row(["__Secure-a=1; Secure"], from: "https://a.example/", "__Secure-a=1"),
        Row(["__Secure-a=1; Secure"], nil),
        Row(["__Host-a=1; Secure; Path=/"], from: "https://a.example/", "__Host-a=1"),
        Row(["__HOST-a=1; Secure"], from: "https://a.example/", nil),
        Row(["__Host-a=1; Path=/"], from: "https://a.example/", nil),
        Row(["__Host-a=1; Secure; Path=/b"], from: "https://a.example/b", nil),
        Row(["__Host-a=1; Secure; Path=/; Domain=a.example"], from: "https://a.example/", nil),
        // A server would read a value without a name as name and value, so prefixes apply to it too.
        Row(["=__Host-a=1; Secure; Path=/"], from: "https://a.example/", nil),
        Row(["__Secure-a; Secure"], from: "https://a.example/", nil),
        Row(["__Hosta=1"], "__Hosta=1"),
    ]

    @Test(arguments: parsing + domains + paths + ends + orders + secrets)
    func `a cookie is sent to matching hosts and paths only`(row: Row) throws {
        var store = CookieTable()
        try Self.set(row.lines, from: row.from, in: &store)
        #expect(store.field(for: try URI(row.to), now: Self.now) == row.sent)
        #expect(store.cookies(for: try URI(row.to), now: Self.now).isEmpty == (row.sent == nil))
    }

    @Test(arguments: [
        ("a=2", "/", Cookie.RejectionReason.shadowsSecureCookie),
        ("a=2; Max-Age=0", "/", .shadowsSecureCookie),
        ("a=2; Domain=a.example", "/", .shadowsSecureCookie),
        ("a=2; Path=/b/c", "/", .shadowsSecureCookie),
        ("A=2", "/", nil), ("a=2; Path=/", "/", nil), ("a=2; Path=/bc", "/", nil),
    ])
    func `a plain HTTP response cannot replace a secure cookie`(
        line: String,
        path: String,
        refusal: Cookie.RejectionReason?
    ) throws {
        for domain in ["", "; Domain=a.example"] {
            var store = CookieTable()
            try Self.set(["a=1; Secure; Path=/b" + domain], from: "https://a.example/", in: &store)
            let parsed = try #require(SetCookie(line))
            let url = try URI("http://a.example\(line.contains("Path") ? "/" : "/b/")")
            #expect(store.add(parsed, from: url, now: Self.now) { .builtIn } == refusal)
            let sent = store.field(for: try URI("https://a.example/b"), now: Self.now)
            #expect(sent?.hasPrefix("a=1") == true)
        }
    }

    @Test func `a plain HTTP response cannot shadow a secure cookie of a parent or child domain`()
        throws
    {
        for (secure, open) in [("b.a.example", "a.example"), ("a.example", "b.a.example")] {
            var store = CookieTable()
            let wide = secure == "a.example" ? "; Domain=a.example" : ""
            try Self.set(["a=1; Secure" + wide], from: "https://\(secure)/", in: &store)
            let line = try #require(SetCookie("a=2; Domain=\(open)"))
            let url = try URI("http://b.a.example/")
            #expect(store.add(line, from: url, now: Self.now) { .builtIn } == .shadowsSecureCookie)
        }
    }

    @Test func `a cookie expires as declared, and after 400 days at most`() throws {
        let url = try URI("http://a.example/")
        var store = CookieTable()
        try Self.set(
            ["a=1; Max-Age=10", "b=2; Max-Age=999999999", "c=3"],
            from: url.text,
            in: &store
        )
        #expect(store.field(for: url, now: Self.now + 9) == "a=1; b=2; c=3")
        #expect(store.field(for: url, now: Self.now + 10) == "b=2; c=3")
        #expect(store.field(for: url, now: Self.now + 400 * 86_400 - 1) == "b=2; c=3")
        #expect(store.field(for: url, now: Self.now + 400 * 86_400) == "c=3")
        #expect(store.count == 3)
        store.removeExpired(now: Self.now + 10)
        #expect(store.count == 2)
        let far = try #require(Cookie("d", "4", domain: "a.example", expires: .max))
        #expect(store.add(far, now: Self.now) { .builtIn } == nil)
        #expect(store.cookies(now: Self.now).last?.expires == Self.now + 400 * 86_400)
        #expect(store.add(far, now: .max - 5) { .builtIn } == nil)
    }

    @Test func `a replaced cookie keeps its creation time`() throws {
        var store = CookieTable()
        let url = try URI("http://a.example/")
        try Self.set(["a=1", "b=1"], from: url.text, in: &store)
        _ = store.add(try #require(SetCookie("a=2")), from: url, now: Self.now + 5) { .builtIn }
        let cookies = store.cookies(now: Self.now + 5)
        #expect(cookies.map(\.name) == ["a", "b"])
        #expect(cookies[0].creation == Self.now)
        #expect(cookies[0].lastAccess == Self.now + 5)
        _ = store.field(for: url, now: Self.now + 9)
        #expect(store.cookies(now: Self.now).map(\.lastAccess) == [Self.now + 9, Self.now + 9])
    }

    @Test func `the attributes of a cookie are stored`() throws {
        var store = CookieTable()
        let line = "a=1; Domain=a.example; Path=/b; Secure; HttpOnly; SameSite=lax; Max-Age=7"
        try Self.set([line], from: "https://w.a.example/", in: &store)
        let cookie = try #require(store.cookies(now: Self.now).first)
        #expect(cookie.domain == "a.example")
        #expect(!cookie.isHostOnly && cookie.isSecure && cookie.isHTTPOnly)
        #expect(cookie.path == "/b")
        #expect(cookie.sameSite == .lax)
        #expect(cookie.expires == Self.now + 7)
    }

    static func set(_ lines: [String], from: String, in store: inout CookieTable) throws {
        for line in lines {
            guard let parsed = SetCookie(line) else { continue }
            _ = store.add(parsed, from: try URI(from), now: now) { .builtIn }
        }
    }
}

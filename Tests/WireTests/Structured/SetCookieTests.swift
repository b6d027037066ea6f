import Testing
import Wire

@Suite struct SetCookieTests {
    @Test(
        .tags(.rfc6265),
        arguments: [
            // The examples of RFC 6265bis §3.1.
            ("SID=31d4d96e407aad42", "SID=31d4d96e407aad42"),
            (
                "SID=31d4d96e407aad42; Path=/; Domain=site.example",
                "SID=31d4d96e407aad42; Domain=site.example; Path=/"
            ),
            (
                "SID=31d4d96e407aad42; Path=/; Secure; HttpOnly",
                "SID=31d4d96e407aad42; Path=/; Secure; HttpOnly"
            ),
            (
                "lang=en-US; Expires=Wed, 09 Jun 2021 10:18:14 GMT",
                "lang=en-US; Expires=Wed, 09 Jun 2021 10:18:14 GMT"
            ),
            (
                "lang=; Expires=Sun, 06 Nov 1994 08:49:37 GMT",
                "lang=; Expires=Sun, 06 Nov 1994 08:49:37 GMT"
            ),
            // Names and values (§5.6).
            ("a", "=a"), ("=a", "=a"), ("=a=b", "=a=b"), ("a=", "a="), (" a b = c d ", "a b=c d"),
            ("a=\"b c\"", "a=\"b c\""), ("a=\"b;c\"", "a=\"b"), ("a=b;;; ;", "a=b"),
            ("\ta\t=\tb\t", "a=b"), ("a=\u{e9}", "a=\u{e9}"), ("a==b", "a==b"),
            // Attributes: names in any case; the last one applies; unknown and invalid ones are ignored.
            ("a=b;SECURE=no;httponly", "a=b; Secure; HttpOnly"), ("a=b; Secure x", "a=b"),
            ("a=b; Max-Age=60", "a=b; Max-Age=60"), ("a=b; max-age=-060", "a=b; Max-Age=-60"),
            ("a=b; Max-Age=+1", "a=b"), ("a=b; Max-Age=", "a=b"), ("a=b; Max-Age=-", "a=b"),
            ("a=b; Max-Age=1.5", "a=b"), ("a=b; Max-Age=1; Max-Age=x", "a=b; Max-Age=1"),
            ("a=b; Max-Age=99999999999999999999", "a=b; Max-Age=9223372036854775807"),
            ("a=b; Max-Age=-99999999999999999999", "a=b; Max-Age=-9223372036854775807"),
            ("a=b; Expires=tomorrow", "a=b"),
            (
                "a=b; Expires=1 Jan 2030 0:0:0; Expires=x",
                "a=b; Expires=Tue, 01 Jan 2030 00:00:00 GMT"
            ),
            ("a=b; Domain=.EXAMPLE.com", "a=b; Domain=example.com"),
            ("a=b; Domain=..a", "a=b; Domain=..a"), ("a=b; Domain=x; Domain=", "a=b"),
            ("a=b; Domain=.", "a=b"), ("a=b; Domain", "a=b"),
            // Found by fuzzing: the whitespace must survive a round trip.
            ("a=b; Domain=.  9x1 in", "a=b; Domain=.  9x1 in"),
            ("a=b; Path=/x; Path=y", "a=b"), ("a=b; Path", "a=b"),
            ("a=b; Path= /x ", "a=b; Path=/x"),
            ("a=b; SameSite=LAX", "a=b; SameSite=Lax"),
            ("a=b; SameSite=None", "a=b; SameSite=None"),
            ("a=b; SameSite=strict; SameSite=x", "a=b"), ("a=b; Partitioned", "a=b"),
        ]
    )
    func `§5.6: a Set-Cookie line is parsed as browsers parse it`(
        text: String,
        formatted: String
    ) throws {
        let cookie = try #require(SetCookie(text))
        #expect(cookie.text == formatted)
        #expect(SetCookie(formatted) == cookie)
    }

    @Test(
        .tags(.rfc6265),
        arguments: ["", "=", ";", " ; Secure", "a=b\0", "a=b\r\nc: d", "a=b\u{7f}", "a\n=b"]
    )
    func `§5.6: lines that are not cookies are rejected`(text: String) {
        #expect(SetCookie(text) == nil)
    }

    @Test(.tags(.rfc6265))
    func `§5.6: a cookie that is too long is rejected, and an attribute ignored`() {
        let long = String(repeating: "v", count: 4095)
        #expect(SetCookie("n=\(long)")?.value == long)
        #expect(SetCookie("nn=\(long)") == nil)
        #expect(SetCookie("v\(long)v") == nil)
        let path = "/" + String(repeating: "p", count: 1023)
        #expect(SetCookie("a=b; Path=/x; Path=\(path)")?.path == path)
        #expect(SetCookie("a=b; Path=/x; Path=\(path)p")?.path == "/x")
    }

    @Test(.tags(.rfc6265)) func `a cookie written by a server is parsed back unchanged`() throws {
        let pair = try #require(CookiePair("id", "\"x\""))
        var cookie = try #require(SetCookie(pair, domain: "Example.com", path: "/a b"))
        #expect(cookie == SetCookie("id=\"x\"; Domain=example.com; Path=/a b"))
        cookie.expires = HTTPDate(secondsSince1970: 0)
        cookie.maxAge = 0
        cookie.isSecure = true
        cookie.isHTTPOnly = true
        cookie.sameSite = SetCookie.SameSite.unrestricted
        let text =
            "id=\"x\"; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; Domain=example.com; "
            + "Path=/a b; Secure; HttpOnly; SameSite=None"
        #expect(cookie.text == text)
        #expect(SetCookie(text) == cookie)
    }

    @Test(.tags(.rfc6265)) func `a server cannot inject an attribute into a cookie`() throws {
        let pair = try #require(CookiePair("id", "1"))
        let long = String(repeating: "a", count: 1025)
        for domain in ["", ".a", "a b", "a;b", "a\r\n", "\u{e9}", long] {
            #expect(SetCookie(pair, domain: domain) == nil, "\(domain)")
        }
        for path in ["", "a", "/a;Secure", "/a\n", "/a ", "/" + long] {
            #expect(SetCookie(pair, path: path) == nil, "\(path)")
        }
        for (name, value) in [
            ("", "a"), ("a b", "c"), ("a", "b;c"), ("a", "b c"), ("a", "b,c"), ("a", "\\"),
            ("a", "\""), ("a", "\"b\"c\""), ("a", "\u{e9}"), ("a", long + long + long + long),
        ] {
            #expect(CookiePair(name, value) == nil, "\(name)=\(value)")
        }
        #expect(CookiePair("a", "\"\"")?.value == "\"\"")
        #expect(CookiePair("a", "")?.text == "a=")
    }

    @Test(arguments: [("=a=b", "a=b"), ("==b", "=b"), ("=a", "a"), ("a", "a"), ("a=", "a=")])
    func `§5.8.3: a cookie without a name is sent as its value alone`(
        line: String,
        sent: String
    ) throws {
        let pair = try #require(SetCookie(line)).pair
        #expect(pair.text == sent && pair.bytes == Array(sent.utf8))
    }

    @Test(
        arguments: [
            ([0x61, 0x3D, 0xE9], "a", "é", true), ([0x61, 0x3D, 0xC3, 0xA9], "a", "é", false),
            ([0xE9, 0x3D, 0xC3, 0xA9], "é", "Ã©", true), ([0xFF, 0xFE], "", "ÿþ", true),
        ] as [([UInt8], String, String, Bool)]
    )
    func `a cookie pair keeps its bytes`(
        line: [UInt8],
        name: String,
        value: String,
        isLatin1: Bool
    )
        throws
    {
        let cookie = try #require(SetCookie(bytes: line + Array("; Path=/".utf8)))
        #expect(cookie.name == name && cookie.value == value && cookie.path == "/")
        #expect(cookie.pair.isLatin1 == isLatin1 && cookie.pair.bytes == line)
    }

    @Test(
        .tags(.rfc6265),
        arguments: [
            (["SID=31d4d96e407aad42; lang=en-US"], ["SID=31d4d96e407aad42", "lang=en-US"]),
            (["a=1;b=2 ;; c = 3 "], ["a=1", "b=2", "c=3"]), (["a=1", "a=2"], ["a=1", "a=2"]),
            (["a"], ["a"]), (["=a; =; c"], ["a", "c"]), ([""], []), ([], []),
            (["a=\"1;2\""], ["a=\"1", "2\""]), (["a=1\0; b=2", "c=3"], ["c=3"]),
        ] as [([String], [String])]
    )
    func `§4.2: a server parses the pairs of a Cookie field`(lines: [String], pairs: [String]) {
        let list = CookiePair.list(lines)
        #expect(list.map(\.text) == pairs)
        #expect(CookiePair.list([pairs.joined(separator: "; ")]) == list)
    }

    @Test(
        .tags(.rfc6265),
        arguments: [
            ("1 Jan 1601 00:00:00", "Mon, 01 Jan 1601 00:00:00 GMT"), ("1 Jan 1600 00:00:00", nil),
            ("1 Jan 69 0:0:0", "Tue, 01 Jan 2069 00:00:00 GMT"),
            ("1 Jan 70 0:0:0", "Thu, 01 Jan 1970 00:00:00 GMT"),
            ("29 Feb 2000 0:0:0", "Tue, 29 Feb 2000 00:00:00 GMT"), ("29 Feb 2001 0:0:0", nil),
            ("0 Jan 2000 0:0:0", nil), ("32 Jan 2000 0:0:0", nil), ("1 Jan 2000 24:0:0", nil),
            ("1 Jan 2000 0:60:0", nil), ("1 Jan 2000 0:0:60", nil), ("1 Jan 2000 0:0", nil),
            ("1 Jan 2000 0:0:0:9", "Sat, 01 Jan 2000 00:00:00 GMT"), ("1 Jan 2000 0:0:123", nil),
            ("1 Jan 2000 a0:0:0", nil), ("1 Jan 2000 0:0:0x", "Sat, 01 Jan 2000 00:00:00 GMT"),
            ("1st JANUARY 2000th 0:0:0", "Sat, 01 Jan 2000 00:00:00 GMT"), ("", nil),
            ("1 Jan 9999 0:0:0", "Fri, 01 Jan 9999 00:00:00 GMT"), ("1 Jan 10000 0:0:0", nil),
            ("1 Jan 2000", nil), ("Jan 2000 0:0:0", nil), ("1 2000 0:0:0", nil),
            ("1 Jan 0:0:0", nil),
        ] as [(String, String?)]
    )
    func `§5.1.1: the parts of a cookie date are found in any order`(text: String, date: String?) {
        #expect(HTTPDate(cookieDate: text)?.description == date)
    }
}

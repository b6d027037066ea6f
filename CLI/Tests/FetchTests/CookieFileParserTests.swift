import HTTPClient
import Testing
import fetch

@Suite struct CookieFileParserTests {
    private static let now = HTTPDate(secondsSince1970: 1_700_000_000)

    private func read(_ text: String, hosts: [String] = []) throws -> CookieFileParser {
        try CookieFileParser(Array(text.utf8), requestedHosts: hosts, now: Self.now)
    }

    @Test(
        arguments: [
            ("a.example\tFALSE\t/\tFALSE\t0\tn\tv", "n=v a.example/", 0),
            ("a.example\tTRUE\t/p\tTRUE\t0\tn\tv\r", "n=v *.a.example/p secure", 0),
            ("#HttpOnly_a.example\tFALSE\t/\tFALSE\t0\tn\tv", "n=v a.example/", 0),
            ("# a remark\n\n \t \n", "", 0),
            // curl accepts these deviations in files of other programs.
            ("a.example\tMAYBE\t/\tmaybe\t0\tn\tv", "n=v a.example/", 0),
            ("a.example\ttrue\tnopath\tTrue\t0\tn\tv", "n=v *.a.example/ secure", 0),
            ("a.example\tFALSE\tFALSE\t0\tn\tv", "n=v a.example/", 0),
            ("a.example\tFALSE\t\tFALSE\t0\tn\tv", "n=v a.example/", 0),
            ("a.example\tFALSE\t/\tFALSE\t0\tn", "n= a.example/", 0),
            // curl ignores these lines.
            (
                "rubbish\na.example\tFALSE\t/\tFALSE\t0\tn\tv\na.example\tFALSE\t/",
                "n=v a.example/", 2
            ),
            ("a.example\tFALSE\t/\tFALSE\tsoon\tn\tv", "", 1),
            ("a.example\tFALSE\t/\tFALSE\t0\tn\tv\tw", "", 1),
            ("a.example FALSE / FALSE 0 n v", "", 1),
        ] as [(String, String, Int)]
    )
    func `cookie columns are parsed leniently`(text: String, cookies: String, refused: Int) throws {
        let lines = try read(text)
        #expect(lines.cookies.map(Self.summary).joined(separator: ", ") == cookies)
        #expect(lines.rejectedLines == refused)
    }

    private static func summary(_ cookie: Cookie) -> String {
        "\(cookie.name)=\(cookie.value) \(cookie.isHostOnly ? "" : "*.")\(cookie.domain)\(cookie.path)"
            + (cookie.isSecure ? " secure" : "")
    }

    @Test func `Set-Cookie lines of a response head are parsed as cookies`() throws {
        let text = """
            HTTP/1.1 200 OK\r
            Content-Type: text/html\r
            Set-Cookie: a=1\r
            set-cookie:b=2; Domain=.A.example; Path=/x; Secure\r
            SET-COOKIE: c=3; domain=a.example; Max-Age=60\r
            Set-Cookie: d=4; domain=a.example; Max-Age=-1\r
            Set-Cookie: e=5; domain=a.example; Expires=Sun, 06 Nov 1994 08:49:37 GMT\r
            Set-Cookie: \u{1}\r
            \r\n
            """
        let lines = try read(text, hosts: ["127.0.0.1", "a.example", "::1"])
        #expect(
            lines.cookies.map(Self.summary) == [
                "a=1 127.0.0.1/", "a=1 ::1/", "b=2 *.a.example/x secure", "c=3 *.a.example/",
                "d=4 *.a.example/", "e=5 *.a.example/",
            ]
        )
        let seconds: [Int?] = [nil, nil, nil, 1_700_000_060, 1_699_999_999, 784_111_777]
        #expect(lines.cookies.map(\.expires) == seconds)
        #expect(lines.rejectedLines == 1)
    }

    @Test func `a cookie file in JSON is parsed as a whole or rejected`() throws {
        let cookie = try #require(Cookie("a", "1", domain: "a.example"))
        let json = CookieJar.FileFormat.json.encode([cookie])
        let lines = try CookieFileParser(json, requestedHosts: [], now: Self.now)
        #expect(lines.cookies.map(\.name) == ["a"])
        #expect(throws: HTTPError.self) { try read("{\"a\": ") }
    }
}

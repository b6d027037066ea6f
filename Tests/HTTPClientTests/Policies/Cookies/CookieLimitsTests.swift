import HTTPClient
import Testing

@Suite struct CookieLimitsTests {
    private let url = "https://a.example/"

    @Test func `a domain keeps the fifty most recently used cookies`() throws {
        var store = CookieTable()
        for number in 0..<50 { try set("c\(number)=\(number)", at: 1, in: &store) }
        // A cookie that is used is not evicted.
        let target = try URI("https://a.example/x")
        try set("kept=1; Path=/x", at: 2, in: &store)
        #expect(store.count == 50)
        #expect(!store.cookies(now: 2).contains { $0.name == "c0" })
        _ = store.cookies(for: target, now: 3)
        try set("c1=again", at: 4, in: &store)
        try set("new=1", at: 5, in: &store)
        let names = store.cookies(now: 5).map(\.name)
        #expect(names.count == 50)
        #expect(names.contains("c1") && !names.contains("c2") && names.contains("kept"))
    }

    @Test func `expired cookies are evicted first, then insecure ones`() throws {
        var store = CookieTable(limits: CookieJar.Limits(maxPerDomain: 3))
        try set("secure=1; Secure", at: 1, in: &store)
        try set("open=1", at: 2, in: &store)
        try set("ended=1; Max-Age=5", at: 3, in: &store)
        try set("a=1; Secure", at: 10, in: &store)
        #expect(store.cookies(now: 10).map(\.name) == ["secure", "open", "a"])
        try set("b=1; Secure", at: 11, in: &store)
        #expect(store.cookies(now: 11).map(\.name) == ["secure", "a", "b"])
        // Cookies set over http never evict secure cookies.
        try set("c=1", at: 12, in: &store)
        #expect(store.cookies(now: 12).map(\.name) == ["secure", "a", "b"])
        try set("d=1; Secure", at: 13, in: &store)
        #expect(store.cookies(now: 13).map(\.name) == ["a", "b", "d"])
    }

    @Test func `a jar keeps at most three thousand cookies`() throws {
        var store = CookieTable()
        for number in 0..<3100 {
            let line = try #require(SetCookie("a=\(number)"))
            let url = try URI("http://h\(number).example/")
            #expect(store.add(line, from: url, now: 1) { .builtIn } == nil)
            if number == 3050 { _ = store.field(for: try URI("http://h95.example/"), now: 1) }
        }
        #expect(store.count == 3000)
        #expect(store.cookies(now: 1).count == 3000)
        #expect(store.field(for: try URI("http://h95.example/"), now: 1) == "a=95")
        #expect(store.field(for: try URI("http://h100.example/"), now: 1) == nil)
        #expect(store.field(for: try URI("http://h101.example/"), now: 1) == "a=101")
    }

    @Test func `oversized cookies and attributes are not stored`() throws {
        let jar = CookieJar(suffixes: .builtIn) { 1 }
        let large = String(repeating: "x", count: 1 << 20)
        let url = try URI(url)
        var headers = HTTPHeaders()
        headers.append(.setCookie, "a=" + large)
        headers.append(.setCookie, large)
        headers.append(.setCookie, large + "=a")
        headers.append(.setCookie, "b=1; Path=/" + large + "; Domain=" + large + "; X=" + large)
        jar.store(headers, from: url)
        #expect(jar.field(for: url) == "b=1")
        #expect(Cookie("a", large, domain: "a.example") == nil)
        // Very long host names do not take long either.
        let long = String(repeating: "a.", count: 100_000) + "example"
        #expect(jar.field(for: try URI("http://\(long)/")) == nil)
        #expect(
            jar.set(
                try #require(SetCookie("c=1; Domain=example")),
                from: try URI("http://\(long)/")
            ) == .publicSuffix
        )
    }

    @Test func `a Cookie field is limited in length, and the cookies beyond are omitted`() throws {
        let url = try URI("http://a.example/x/y")
        let value = String(repeating: "v", count: 1000)
        for (limit, count) in [(8192, 8), (1005, 1), (1004, 0), (0, 0), (1 << 20, 12)] {
            let jar = CookieJar(limits: CookieJar.Limits(maxHeaderBytes: limit)) { 1 }
            for index in 0..<12 {
                // Cookies with longer paths are added later and sent first.
                let path = index < 6 ? "/" : "/x"
                let cookie = Cookie(
                    "\(index % 10)\(index / 10)",
                    value,
                    domain: "a.example",
                    path: path
                )
                #expect(jar.set(try #require(cookie)) == nil)
            }
            let names = ["60", "70", "80", "90", "01", "11", "00", "10", "20", "30", "40", "50"]
            #expect(jar.cookies(for: url).map(\.name) == Array(names.prefix(count)))
            #expect(jar.field(for: url)?.split(separator: ";").count ?? 0 == count)
            #expect((jar.field(for: url) ?? "").utf8.count <= limit)
        }
    }

    @Test func `limits of zero or less keep no cookies`() throws {
        for limits in [
            CookieJar.Limits(maxPairBytes: 0), .init(maxPerDomain: -1), .init(maxTotal: 0),
            .init(maxPairBytes: -1, maxPerDomain: 0, maxTotal: -5, maxLifetime: -1),
        ] {
            var store = CookieTable(limits: limits)
            try set("a=1; Max-Age=5", at: 1, in: &store)
            #expect(store.count == 0)
        }
        var store = CookieTable(limits: CookieJar.Limits(maxPairBytes: 3, maxLifetime: 5))
        try set("a=12; Max-Age=50", at: 1, in: &store)
        try set("a=123", at: 1, in: &store)
        #expect(store.cookies(now: 5).map(\.value) == ["12"])
        #expect(store.cookies(now: 6).isEmpty)
    }

    private func set(_ line: String, at now: Int, in store: inout CookieTable) throws {
        _ = store.add(try #require(SetCookie(line)), from: try URI(url), now: now) { .builtIn }
    }
}

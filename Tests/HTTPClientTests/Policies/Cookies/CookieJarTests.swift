import HTTPClient
import Support
import Synchronization
import Testing

@Suite struct CookieJarTests {
    private let url: URI
    private let jar = CookieJar(suffixes: .builtIn) { 1_700_000_000 }

    init() throws {
        url = try URI("https://a.example/b/c")
    }

    @Test func `every Set-Cookie line of a response is stored and sent with the next request`()
        throws
    {
        #expect(jar.isEmpty)
        #expect(jar.field(for: url) == nil)
        jar.store(["set-cookie": "a=1; Path=/", "server": "x"], from: url)
        var headers = HTTPHeaders()
        headers.append(.setCookie, "b=2; HttpOnly")
        headers.append(.setCookie, "c=3; Domain=example")
        headers.append("SET-COOKIE", "d=4; Secure")
        jar.store(headers, from: url)
        #expect(!jar.isEmpty)
        #expect(jar.field(for: url) == "b=2; d=4; a=1")
        #expect(jar.field(for: try URI("http://a.example/")) == "a=1")
        #expect(jar.field(for: try URI("http://b.example/")) == nil)
        #expect(jar.cookies(for: url).map(\.name) == ["b", "d", "a"])
        #expect(jar.cookies.map(\.name) == ["a", "b", "d"])
        #expect("\(jar)" == "3 cookies")
    }

    @Test func `cookies can be set and removed by the caller`() throws {
        #expect(jar.set("a", "1", for: url) == nil)
        #expect(jar.cookies.map(\.isSecure) == [true])
        #expect(jar.cookies.map(\.path) == ["/"])
        #expect(jar.set("a", "1;2", for: url) == .malformed)
        #expect(jar.set("a", "1", for: try URI("/a")) == .unsupportedScheme)
        #expect(jar.set("__Host-a", "1", for: url) == nil)
        #expect(jar.set("__Host-a", "1", for: try URI("http://a.example/")) == .invalidPrefix)
        let wide = try #require(Cookie("w", "1", domain: ".Co.UK", isHostOnly: false))
        #expect(jar.set(wide) == .publicSuffix)
        // A cookie file can claim that a cookie of a single-label host applies to subdomains.
        let lone = try #require(Cookie("l", "1", domain: "localhost", isHostOnly: false))
        #expect(jar.set(lone) == nil)
        #expect(jar.cookies(for: try URI("http://localhost/")).map(\.isHostOnly) == [true])
        #expect(jar.cookies(for: try URI("http://a.localhost/")).isEmpty)
        jar.remove { $0.name == "l" }
        let line = try #require(SetCookie("s=1; Domain=b.example"))
        #expect(jar.set(line, from: url) == .domainMismatch)
        let cookie = try #require(Cookie("a", "other", domain: "a.example"))
        #expect(jar.remove(cookie))
        #expect(!jar.remove(cookie))
        #expect(jar.cookies.map(\.name) == ["__Host-a"])
        jar.removeAll()
        #expect(jar.isEmpty && jar.cookies.isEmpty)
        let ended = try #require(Cookie("a", "1", domain: "a.example", expires: 5))
        jar.set("a", "1", for: url)
        #expect(jar.set(ended) == nil)
        #expect(jar.isEmpty)
    }

    @Test func `cookies are removed by a predicate`() throws {
        jar.set("session", "1", for: url)
        jar.set(try #require(SetCookie("kept=1; Max-Age=5")), from: url)
        jar.remove { [jar] cookie in
            // The predicate may read the jar.
            cookie.expires == nil && jar.cookies.count == 2
        }
        #expect(jar.cookies.map(\.name) == ["kept"])
    }

    @Test func `expired cookies are hidden`() throws {
        let time = Atomic<Int>(100)
        let jar = CookieJar(suffixes: .builtIn) { time.load(ordering: .relaxed) }
        jar.set(try #require(SetCookie("a=1; Max-Age=5")), from: url)
        #expect(jar.field(for: url) == "a=1")
        time.store(105, ordering: .relaxed)
        #expect(jar.field(for: url) == nil)
        #expect(jar.cookies.isEmpty && !jar.isEmpty)
    }

    @Test func `a jar's default clock is the wall clock`() throws {
        let jar = CookieJar()
        jar.set("a", "1", for: url)
        // A date before this test was written, in November 2026.
        #expect(try #require(jar.cookies.first).creation > 1_795_000_000)
    }

    @Test func `a jar can be used from many tasks`() async throws {
        let (jar, url) = (jar, url)
        await withTaskGroup { group in
            for task in 0..<16 {
                group.addTask {
                    for round in 0..<200 {
                        jar.store(["set-cookie": "c\(task)=\(round); Path=/"], from: url)
                        #expect(jar.field(for: url)?.contains("c\(task)=\(round)") == true)
                        if round % 50 == 0 { jar.remove { $0.name == "none" } }
                        _ = jar.cookies
                    }
                }
            }
        }
        #expect(jar.cookies.count == 16)
        #expect(jar.cookies.allSatisfy { $0.value == "199" })
    }

    /// For any lines, the field contains only cookies that the rules allow, and the limits are kept.
    @Test func `random Set-Cookie lines never store a cookie that breaks the rules`() throws {
        var random = SystemRandomNumberGenerator()
        let hosts = ["example", "a.example", "b.a.example", "127.0.0.1", "co.uk", "a.co.uk"]
        let words = ["a", "b", "__Host-a", "__Secure-b", "", "=", " "]
        let jar = CookieJar(limits: .init(maxPerDomain: 5, maxTotal: 12), suffixes: .builtIn) {
            1000
        }
        for _ in 0..<3000 {
            let host = hosts.randomElement(using: &random)!
            let scheme = Bool.random(using: &random) ? "http" : "https"
            var line =
                "\(words.randomElement(using: &random)!)=\(words.randomElement(using: &random)!)"
            if Bool.random(using: &random) {
                line += "; Domain=\(hosts.randomElement(using: &random)!)"
            }
            if Bool.random(using: &random) {
                line += "; Path=\(["/", "/x", ""].randomElement(using: &random)!)"
            }
            if Bool.random(using: &random) { line += "; Secure" }
            if Bool.random(using: &random) {
                line += "; Max-Age=\(Int.random(in: -1...5, using: &random))"
            }
            jar.store(["set-cookie": line], from: try URI("\(scheme)://\(host)/x/y"))
            let cookies = jar.cookies
            #expect(cookies.count <= 12, "\(line)")
            for cookie in cookies {
                #expect(
                    cookie.isHostOnly
                        || ["a.example", "b.a.example", "a.co.uk"].contains(cookie.domain)
                )
                #expect(!cookie.name.hasPrefix("__") || cookie.isSecure)
                #expect(
                    !cookie.name.hasPrefix("__Host") || (cookie.isHostOnly && cookie.path == "/")
                )
            }
            #expect(jar.cookies(for: try URI("http://\(host)/x")).allSatisfy { !$0.isSecure })
        }
    }
}

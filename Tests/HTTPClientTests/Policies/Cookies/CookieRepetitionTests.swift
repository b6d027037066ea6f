import HTTPClient
import SocketTransport
import Testing

/// Tests the cached result of repeated lookups within one second.
@Suite struct CookieRepetitionTests {
    private static let urls = [
        "http://a.example/", "http://a.example/p", "http://a.example/p/q", "https://a.example/p",
        "http://b.a.example/", "https://b.a.example/p", "http://other.example/",
    ]
    private static let attributes = [
        "", "; Path=/p", "; Domain=a.example", "; Secure", "; Max-Age=2", "; Max-Age=0",
        "; Path=/p; Domain=a.example; Max-Age=1",
    ]

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `repeated lookups send the same cookies as a fresh lookup`(seed: UInt64) throws {
        var random = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func pick(_ count: Int) -> Int {
            random ^= random << 13
            random ^= random >> 7
            random ^= random << 17
            return Int(random % UInt64(count))
        }
        let urls = try Self.urls.map { try URI($0) }
        let time = Locked<Int>(1_700_000_000)
        let jar = CookieJar(suffixes: .builtIn) { time.withLock { $0 } }
        for step in 0..<500 {
            let url = urls[pick(urls.count)]
            switch pick(8) {
            case 0, 1:
                let line = "n\(pick(4))=\(step)" + Self.attributes[pick(Self.attributes.count)]
                jar.set(try #require(SetCookie(line)), from: url)
            case 2: time.withLock { $0 += 1 }
            case 3: if let one = jar.cookies.first { jar.remove(one) }
            default:
                let found = jar.cookies(for: url).map { "\($0.name)=\($0.value)" }
                let expected = found.isEmpty ? nil : found.joined(separator: "; ")
                #expect(jar.field(for: url) == expected, "step \(step)")
                #expect(jar.field(for: url) == expected, "step \(step), again")
            }
        }
    }

    @Test func `the last use of a cookie is updated at least once a second`() throws {
        let time = Locked<Int>(1_700_000_000)
        let jar = CookieJar(suffixes: .builtIn) { time.withLock { $0 } }
        let url = try URI("http://a.example/")
        jar.set("a", "1", for: url)
        for second in 1...3 as ClosedRange<Int> {
            time.withLock { $0 = 1_700_000_000 + second }
            for _ in 0..<3 { #expect(jar.field(for: url) == "a=1") }
            #expect(jar.cookies.map(\.lastAccess) == [1_700_000_000 + second])
        }
    }
}

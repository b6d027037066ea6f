import HTTPClient
import SocketTransport
import Support
import Testing

/// Tests two jars that share one file, as in two processes.
@Suite struct SharedCookieFileTests {
    private static let start: Int = 1_700_000_000

    private final class Clock: Sendable {
        private let seconds = Locked(start)

        var now: Int { seconds.withLock { $0 } }

        func set(_ time: Int) { seconds.withLock { $0 = time } }
    }

    private let directory: TemporaryDirectory
    private let path: String
    private let url: URI
    private let clock = Clock()

    init() throws {
        directory = try TemporaryDirectory()
        path = "\(directory.path)/jar"
        url = try URI("https://a.example/")
    }

    private func open() throws -> CookieJar {
        try CookieJar(persistentAt: path, suffixes: .builtIn) { [clock] in clock.now }
    }

    private func pass(_ seconds: Int) { clock.set(clock.now + seconds) }

    /// Returns two jars that both have read the cookie `s=1`, which lasts 1000 seconds.
    private func openTwice() throws -> (first: CookieJar, second: CookieJar) {
        let jar = try open()
        try set("s=1; Max-Age=1000", in: jar)
        return (try open(), try open())
    }

    private func set(_ line: String, in jar: CookieJar) throws {
        #expect(jar.set(try #require(SetCookie(line)), from: url) == nil)
        try jar.flush()
    }

    /// Sends the jar's cookies one second later.
    private func send(_ jar: CookieJar) throws {
        pass(1)
        #expect(jar.field(for: url) != nil)
        try jar.flush()
    }

    private func kept() throws -> [String] {
        try open().cookies.map { "\($0.name)=\($0.value)" }
    }

    @Test func `a jar that only sends a cookie keeps the value set by another process`() throws {
        let (first, second) = try openTwice()
        try set("s=2; Max-Age=1000", in: second)
        try send(first)
        #expect(try kept() == ["s=2"])
        // A later write of this jar does not treat the cookie as its own either.
        try set("t=3; Max-Age=1000", in: first)
        #expect(try kept() == ["s=2", "t=3"])
    }

    @Test func `a jar that only sends a cookie does not restore a removed one`() throws {
        let (first, second) = try openTwice()
        second.remove { $0.name == "s" }
        try second.flush()
        #expect(try kept() == [])
        try send(first)
        #expect(try kept() == [])
    }

    @Test func `a cookie that another process only sent can be removed`() throws {
        let (first, second) = try openTwice()
        try send(second)
        try set("t=3; Max-Age=1000", in: second)
        first.remove { $0.name == "s" }
        try first.flush()
        #expect(try kept() == ["t=3"])
    }

    @Test func `a cookie whose expiry another process changed can be removed`() throws {
        let (first, second) = try openTwice()
        try set("s=1; Max-Age=2000", in: second)
        first.remove { $0.name == "s" }
        try first.flush()
        #expect(try kept() == [])
    }

    @Test func `a cookie expired in one jar stays if another process extended it`() throws {
        let (first, second) = try openTwice()
        try set("s=1; Max-Age=2000", in: second)
        pass(1500)
        try set("t=3; Max-Age=1000", in: first)
        #expect(first.cookies.map(\.name) == ["t"])
        #expect(try kept() == ["s=1", "t=3"])
    }

    @Test func `only the process that set a cookie last can remove it`() throws {
        let (first, second) = (try open(), try open())
        try set("x=1; Max-Age=1000", in: first)
        pass(5)
        try set("x=2; Max-Age=1000", in: second)
        #expect(try kept() == ["x=2"])
        pass(5)
        // A cookie that another jar set again stays; only that jar can remove it.
        first.remove { $0.name == "x" }
        try first.flush()
        #expect(try kept() == ["x=2"])
        second.remove { $0.name == "x" }
        try second.flush()
        #expect(try kept() == [])
    }

    @Test(arguments: [
        "s=2; Max-Age=1000", "s=1; Max-Age=1001", "s=1; Max-Age=1000; Secure",
        "s=1; Max-Age=1000; HttpOnly", "s=1; Max-Age=1000; SameSite=Lax",
    ])
    func `each changed part of a cookie is written`(line: String) throws {
        let (first, second) = try openTwice()
        try send(second)
        clock.set(Self.start)
        try set(line, in: first)
        let (own, stored) = (first.cookies, try open().cookies)
        #expect(stored.count == 1)
        #expect(stored.map(\.value) == own.map(\.value))
        #expect(stored.map(\.expires) == own.map(\.expires))
        #expect(stored.map(\.isSecure) == own.map(\.isSecure))
        #expect(stored.map(\.isHTTPOnly) == own.map(\.isHTTPOnly))
        #expect(stored.map(\.sameSite) == own.map(\.sameSite))
    }

    /// The two values are equal strings in Swift.
    @Test func `values are compared byte by byte`() throws {
        let jar = try open()
        try set("s=\u{E9}; Max-Age=1000", in: jar)
        pass(1)
        try set("s=e\u{301}; Max-Age=1000", in: jar)
        #expect(try open().cookies.map { Array($0.value.utf8) } == [[0x65, 0xCC, 0x81]])
    }

    @Test(arguments: [false, true])
    func `the last use is the later one of two processes`(isReversed: Bool) throws {
        let (first, second) = try openTwice()
        for jar in [first, second] {
            pass(10)
            #expect(jar.field(for: url) != nil)
        }
        for jar in isReversed ? [second, first] : [first, second] { try jar.flush() }
        let stored = try open().cookies
        #expect(stored.map(\.lastAccess) == [Self.start + 20])
        #expect(stored.map(\.creation) == [Self.start])
    }

    @Test func `a cookie that is only displayed does not count as used`() throws {
        let jar = try open()
        try set("s=1; Max-Age=1000", in: jar)
        pass(10)
        let client = HTTPClient().with { $0.cookies = .jar(jar) }
        let command = try HTTPRequest(url.text).curlDescription(in: client, secrets: .shown)
        #expect(command.contains("-H 'Cookie: s=1'"))
        #expect(jar.cookies.map(\.lastAccess) == [Self.start])
    }
}

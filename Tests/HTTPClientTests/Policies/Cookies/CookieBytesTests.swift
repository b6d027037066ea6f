import ClientSupport
import HTTPClient
import Support
import Testing
import Wire

/// Tests cookies with damaged lines or with values that are not UTF-8.
@Suite(.timeLimit(.minutes(10))) struct CookieBytesTests {
    /// Returns a response with these Set-Cookie lines and one valid cookie.
    private func reply(_ lines: [[UInt8]]) -> [UInt8] {
        var bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n".utf8)
        for line in lines + [Array("good=1".utf8)] {
            bytes += Array("Set-Cookie: ".utf8) + line + [0x0D, 0x0A]
        }
        return bytes + [0x0D, 0x0A]
    }

    private func client() -> HTTPClient { HTTPClient().with { $0.cookies = .automatic } }

    @Test(arguments: [0x00, 0x01, 0x08, 0x0B, 0x1F, 0x7F] as [UInt8])
    func `a control byte drops only its own cookie`(control: UInt8) async throws {
        let lines = [Array("a=1".utf8), Array("bad=x".utf8) + [control] + Array("y; Path=/".utf8)]
        let origin = try ScriptedOrigin([
            .expectHead, .reply(reply(lines)), .expectHead(lines: "Cookie: a=1; good=1"),
            .reply(reply([])),
        ])
        let client = client()
        let strict = try ScriptedOrigin([.expectHead, .reply(reply(lines))])
        let strictly = HTTPRequest(strict.url).with { $0.strictness = .strict }
        #expect(try await client.send(strictly).headers.values(.setCookie) == ["a=1", "good=1"])
        let response = try await client.send(HTTPRequest(origin.url))
        #expect(response.headers.values(.setCookie) == ["a=1", "good=1"])
        #expect(response.deviations.count == 1)
        #expect(client.cookies?.cookies.map(\.name) == ["a", "good"])
        #expect(try await client.send(HTTPRequest(origin.url)).status == .ok)
        #expect(origin.failures == [])
    }

    @Test(arguments: [0x00, 0x1F, 0x7F] as [UInt8])
    func `a control byte drops only its own cookie in a head with LF line endings`(
        control: UInt8
    ) async throws {
        var bad = Array("Set-Cookie: bad=x".utf8) + [control]
        bad += Array("y\nX: 1\nSet-Cookie: good=1\n\nhello".utf8)
        let origin = try ScriptedOrigin([
            .expectHead, .reply(Array("HTTP/1.1 200 OK\nSet-Cookie: a=1\n".utf8) + bad), .close,
        ])
        let client = client()
        let response = try await client.send(HTTPRequest(origin.url))
        #expect(response.text == "hello" && response.headers["X"] == "1")
        #expect(response.headers.values(.setCookie) == ["a=1", "good=1"])
        #expect(client.cookies?.cookies.map(\.name) == ["a", "good"])
    }

    @Test func `a cookie whose expiry is capped keeps its bytes`() throws {
        let cookie = try #require(
            Cookie("v", "\u{E9}\u{FF}", domain: "a.example", expires: 1 << 40, isLatin1: true)
        )
        let jar = CookieJar(suffixes: .builtIn)
        #expect(jar.set(cookie) == nil)
        #expect(jar.cookies.first?.expires != 1 << 40)
        #expect(jar.fieldBytes(for: try URI("http://a.example/")) == [0x76, 0x3D, 0xE9, 0xFF])
    }

    @Test(arguments: ["\0", "\r", "\u{1}"])
    func `a dropped cookie with LF line endings does not affect the next cookie`(
        control: String
    ) async throws {
        let head =
            "HTTP/1.1 200 OK\nSet-Cookie: a=\(control)b\nSet-Cookie: c=d\nContent-Length: 0\n\n"
        let origin = try ScriptedOrigin([.expectHead, .reply(head)])
        let client = client()
        let response = try await client.send(HTTPRequest(origin.url))
        #expect(response.headers.values(.setCookie) == ["c=d"])
        #expect(client.cookies?.cookies.map(\.name) == ["c"])
    }

    @Test(arguments: ["X-Other: a\u{1}", "Set-Cookie: a=\r1", "Set-Cookie2: a=\u{1}"])
    func `a control byte in another field rejects the response`(line: String) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\(line)\r\n\r\n"
        let origin = try ScriptedOrigin([.expectHead, .reply(head)])
        let client = client().with { $0.strictness = .strict }
        let error = await failure { try await client.send(HTTPRequest(origin.url)) }
        #expect(error?.blame == .peer)
    }

    @Test func `cookie values are sent byte for byte, also next to the request's own cookies`()
        async throws
    {
        let value: [UInt8] = Array("v=".utf8) + [0xE9, 0x20, 0xFF, 0x80]
        let sent = Array("ookie: own=".utf8) + [0xFE] + Array("; ".utf8) + value
        let origin = try ScriptedOrigin([
            .expectHead, .reply(reply([value])), .expectHead, .reply(reply([])), .expectHead,
            .reply(reply([])),
        ])
        let client = client()
        _ = try await client.send(HTTPRequest(origin.url))
        _ = try await client.send(HTTPRequest(origin.url))
        var request = HTTPRequest(origin.url)
        request.headers.append(.cookie, bytes: Array("own=".utf8) + [0xFE])
        _ = try await client.send(request)
        let received = origin.received()
        for field in [Array("ookie: ".utf8) + value, sent] {
            #expect(received.indices.contains { received[$0...].starts(with: field) })
        }
        let cookie = try #require(client.cookies?.cookies.first)
        #expect(cookie.isLatin1 && cookie.value == "\u{E9} \u{FF}\u{80}")
        #expect(cookie.pairBytes == value)
    }

    @Test(arguments: [CookieJar.FileFormat.netscape, .json])
    func `cookie files keep bytes that are not UTF-8`(format: CookieJar.FileFormat) throws {
        let url = try URI("http://a.example/")
        var headers = HTTPHeaders()
        let lines: [[UInt8]] = [
            [0xE9, 0x3D, 0xFF], Array("b=".utf8) + [0xC3, 0xA9], [0xFF, 0xC3, 0xA9],
            [0xC3, 0xA9, 0x3D, 0xFF], [0xC3, 0xA9, 0x3D, 0x31],
        ]
        for line in lines { headers.append(.setCookie, bytes: line) }
        let jar = CookieJar(suffixes: .builtIn)
        jar.store(headers, from: url)
        // The last cookie has the same name as the one before it, the bytes C3 A9, and replaces it.
        let kept = Array(lines[..<3]) + [lines[4]]
        let field = Array(kept.joined(separator: Array("; ".utf8)))
        #expect(jar.fieldBytes(for: url) == field)
        let read = try CookieJar.FileFormat.decode(format.encode(jar.cookies))
        #expect(
            read.map(\.pairBytes) == kept && read.map(\.isLatin1) == [true, false, true, false]
        )
        let copy = CookieJar(suffixes: .builtIn)
        for cookie in read { copy.set(cookie) }
        #expect(copy.fieldBytes(for: url) == field)
    }

    @Test func `characters above 255 are rejected in a Latin-1 cookie`() throws {
        #expect(Cookie("a", "\u{100}", domain: "a.example", isLatin1: true) == nil)
        let text = try #require(Cookie("a", "\u{C3}\u{A9}", domain: "a.example", isLatin1: true))
        #expect(text.value == "é" && !text.isLatin1 && text.pairBytes == Array("a=é".utf8))
        let half = String(repeating: "\u{FF}", count: 4095)
        #expect(Cookie("a", half, domain: "a.example", isLatin1: true) != nil)
        #expect(Cookie("ab", half, domain: "a.example", isLatin1: true) == nil)
    }
}

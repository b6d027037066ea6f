import Support
import Testing
import Wire

@Suite struct RequestHeadDecoderTests {
    private func decode(
        _ pieces: [[UInt8]],
        limits: WireLimits = .default
    ) throws -> (head: RequestHead, rest: [UInt8])? {
        var decoder = RequestHeadDecoder(limits: limits)
        var head: RequestHead?
        let rest = try ByteSplits.feed(pieces) { input in
            let step = try decoder.decode(input)
            head = step.head
            return .init(consumed: step.consumed, next: step.head == nil ? .whenMore : .done)
        }
        guard let head, let rest else { return nil }
        return (head, rest)
    }

    static let accepted: [(String, HTTPMethod, RequestTarget)] = [
        ("GET / HTTP/1.1\r\n", .get, .origin("/")),
        ("GET /a?b=c HTTP/1.0\r\n", .get, .origin("/a?b=c")),
        ("\r\nPOST /x HTTP/1.1\r\n", .post, .origin("/x")),
        ("OPTIONS * HTTP/1.1\r\n", .options, .asterisk),
        ("GET http://h/p HTTP/1.1\r\n", .get, .absolute("http://h/p")),
        ("CONNECT h:443 HTTP/1.1\r\n", .connect, .authority("h:443")),
        ("M-SEARCH /{}|\" HTTP/1.7\r\n", "M-SEARCH", .origin("/{}|\"")),
    ]

    @Test(.tags(.rfc9112), arguments: accepted)
    func `a request head is read for every split`(
        line: String,
        method: HTTPMethod,
        target: RequestTarget
    ) throws {
        for pieces in ByteSplits(line + "Host: h\r\nA: b\r\n\r\nrest") {
            let result = try #require(try decode(pieces))
            #expect(result.head.method == method)
            #expect(result.head.target == target)
            #expect(result.head.headers == [.host: "h", "a": "b"])
            #expect(result.rest == Array("rest".utf8))
        }
    }

    static let refused: [(String, WireError)] = [
        ("GET /\r\n\r\n", .foreignProtocol(.http09)),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .foreignProtocol(.http2)),
        ("\u{16}\u{03}\u{01}\u{02}", .foreignProtocol(.tls)),
        ("GET / HTTP/2.0\r\n\r\n", .unsupportedVersion(major: 2, minor: 0)),
        ("GET / HTTP/1\r\n\r\n", .malformedVersion(offset: 12)),
        ("GET / HTTP/1.1 \r\n\r\n", .malformedVersion(offset: 14)),
        ("GET / http/1.1\r\n\r\n", .malformedVersion(offset: 6)),
        ("GET / x HTTP/1.1\r\n\r\n", .malformedVersion(offset: 6)),
        ("GET  / HTTP/1.1\r\n\r\n", .malformedRequestLine(offset: 4)),
        (" GET / HTTP/1.1\r\n\r\n", .malformedRequestLine(offset: 0)),
        ("\r\n\r\nGET / HTTP/1.1\r\n\r\n", .malformedRequestLine(offset: 2)),
        ("G(T / HTTP/1.1\r\n\r\n", .malformedRequestLine(offset: 1)),
        ("GET /\u{00} HTTP/1.1\r\n\r\n", .malformedRequestLine(offset: 5)),
        ("GET /\u{e9} HTTP/1.1\r\n\r\n", .malformedRequestLine(offset: 5)),
        ("GET /#f HTTP/1.1\r\n\r\n", .malformedRequestLine(offset: 5)),
        ("GET * HTTP/1.1\r\n\r\n", .malformedRequestLine(offset: 4)),
        ("GET h HTTP/1.1\r\n\r\n", .malformedRequestLine(offset: 4)),
        ("CONNECT /x HTTP/1.1\r\n\r\n", .malformedRequestLine(offset: 8)),
        ("GET / HTTP/1.1\n\r\n", .bareLineFeed(offset: 14)),
        ("GET /\rx HTTP/1.1\r\n\r\n", .bareCarriageReturn(offset: 5)),
        ("GET / HTTP/1.1\r\nHost : h\r\n\r\n", .spaceBeforeColon(offset: 20)),
        ("\r\nGET / HTTP/1.1\r\n Host: h\r\n\r\n", .leadingWhitespace(offset: 18)),
    ]

    @Test(.tags(.rfc9112), arguments: refused)
    func `a malformed request head is rejected with a specific error`(
        text: String,
        error: WireError
    ) {
        for pieces in ByteSplits(text) {
            #expect(throws: error) { _ = try decode(pieces) }
        }
    }

    @Test
    func `a request with a control byte in a cookie is rejected, even if cookies may be dropped`() {
        var limits = WireLimits.default
        limits.dropsMalformedCookies = true
        let head = Array("GET / HTTP/1.1\r\nHost: h\r\nSet-Cookie: a=\u{1}\r\n\r\n".utf8)
        #expect(throws: WireError.malformedFieldValue(offset: 39)) {
            try decode([head], limits: limits)
        }
    }

    @Test func `pipelined requests are read one at a time`() throws {
        var decoder = RequestHeadDecoder()
        let text = Array("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n".utf8)
        let first = try decoder.decode(text.span)
        #expect(first.head?.target == .origin("/1"))
        #expect(decoder.isIdle)
        let second = try decoder.decode(text.span.extracting(first.consumed..<text.count))
        #expect(second.head?.target == .origin("/2"))
        #expect(first.consumed + second.consumed == text.count)
    }

    @Test func `a request line without end is limited by the head size`() {
        var limits = WireLimits()
        limits.headBytes = 40
        let text = "GET /" + String(repeating: "a", count: 50)
        for pieces in ByteSplits(text) {
            #expect(throws: WireError.limitExceeded(.headBytes(40))) {
                _ = try decode(pieces, limits: limits)
            }
        }
    }
}

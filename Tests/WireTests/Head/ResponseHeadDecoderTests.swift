import Support
import Testing
import Wire

@Suite struct ResponseHeadDecoderTests {
    /// Decodes pieces; returns the head and the remaining bytes, or nil if the head is incomplete.
    private func decode(
        _ pieces: [[UInt8]],
        limits: WireLimits = .default
    ) throws -> (head: ResponseHead, rest: [UInt8])? {
        var decoder = ResponseHeadDecoder(limits: limits)
        var head: ResponseHead?
        let rest = try ByteSplits.feed(pieces) { input in
            let step = try decoder.decode(input)
            head = step.head
            return .init(consumed: step.consumed, next: step.head == nil ? .whenMore : .done)
        }
        guard let head, let rest else { return nil }
        return (head, rest)
    }

    @Test func `a head keeps field order, case, repeats and its bytes`() throws {
        let text =
            "HTTP/1.1 200 Fine, thanks\r\nContent-TYPE: text/plain\r\nset-cookie: a=1\r\n"
            + "X-Empty:\r\nSet-Cookie:  b=2 \t \r\nX-Token!#$%&'*+-.^_`|~9: x\r\n\r\n"
        for pieces in ByteSplits(Array(text.utf8) + [0xff, 0x00]).dropFirst(0) {
            let result = try #require(try decode(pieces))
            #expect(result.rest == [0xff, 0x00])
            let head = result.head
            #expect(head.version == .http11)
            #expect(head.status == .ok)
            #expect(head.reason == "Fine, thanks")
            #expect(head.rawBytes == Array(text.utf8))
            #expect(
                head.headers.map { "\($0.name): \($0.value)" } == [
                    "Content-TYPE: text/plain", "set-cookie: a=1", "X-Empty: ", "Set-Cookie: b=2",
                    "X-Token!#$%&'*+-.^_`|~9: x",
                ]
            )
            #expect(head.headers.values(.setCookie) == ["a=1", "b=2"])
            #expect(head.headers[.contentType] == "text/plain")
        }
    }

    @Test(
        .tags(.rfc9112),
        arguments: [
            ("HTTP/1.1 200 \r\n\r\n", 200, ""), ("HTTP/1.1 200\r\n\r\n", 200, ""),
            ("HTTP/1.0 999 x\ty\r\n\r\n", 999, "x\ty"), ("HTTP/1.1 100  \r\n\r\n", 100, " "),
            ("HTTP/1.9 200 OK\r\n\r\n", 200, "OK"),
        ]
    )
    func `a status line without a reason phrase is accepted`(
        text: String,
        code: Int,
        reason: String
    ) throws {
        for pieces in ByteSplits(text) {
            let result = try #require(try decode(pieces))
            #expect(result.head.status == HTTPStatus(code))
            #expect(result.head.reason == reason)
            #expect(result.head.version <= .http11)
            #expect(result.head.headers.isEmpty)
        }
    }

    static let refused: [(String, WireError)] = [
        ("ICY 200 OK\r\n\r\n", .foreignProtocol(.unknown)),
        ("HTP/1.1 200 OK\r\n\r\n", .foreignProtocol(.unknown)),
        ("http/1.1 200 OK\r\n\r\n", .foreignProtocol(.unknown)),
        ("<html>no head</html>", .foreignProtocol(.unknown)),
        ("\r\nHTTP/1.1 200 OK\r\n\r\n", .foreignProtocol(.unknown)),
        ("\u{15}\u{03}\u{03}\u{00}\u{02}", .foreignProtocol(.tls)),
        ("\u{00}\u{00}\u{12}\u{04}", .foreignProtocol(.http2)),
        ("HTTP/2 200\r\n\r\n", .unsupportedVersion(major: 2, minor: 0)),
        ("HTTP/2.0 200 OK\r\n\r\n", .unsupportedVersion(major: 2, minor: 0)),
        ("HTTP/0.9 200 OK\r\n\r\n", .unsupportedVersion(major: 0, minor: 9)),
        ("HTTP/1 200 OK\r\n\r\n", .malformedVersion(offset: 6)),
        ("HTTP/11 200 OK\r\n\r\n", .malformedVersion(offset: 6)),
        ("HTTP/1.10 200 OK\r\n\r\n", .malformedVersion(offset: 8)),
        ("HTTP/1.1\r\n\r\n", .malformedVersion(offset: 8)),
        ("HTTP/1.1\t200 OK\r\n\r\n", .malformedVersion(offset: 8)),
        ("HTTP/1.1  200 OK\r\n\r\n", .malformedStatus(offset: 9)),
        ("HTTP/1.1 20 OK\r\n\r\n", .malformedStatus(offset: 9)),
        ("HTTP/1.1 2000 OK\r\n\r\n", .malformedStatus(offset: 9)),
        ("HTTP/1.1 +20 OK\r\n\r\n", .malformedStatus(offset: 9)),
        ("HTTP/1.1 099 OK\r\n\r\n", .malformedStatus(offset: 9)),
        ("HTTP/1.1 2x0 OK\r\n\r\n", .malformedStatus(offset: 9)),
        ("HTTP/1.1 200OK\r\n\r\n", .malformedStatus(offset: 9)),
        ("HTTP/1.1 200 O\u{00}K\r\n\r\n", .malformedReason(offset: 14)),
        ("HTTP/1.1 200 OK\n\r\n", .bareLineFeed(offset: 15)),
        ("HTTP/1.1 200\rOK\r\n\r\n", .bareCarriageReturn(offset: 12)),
        ("HTTP/1.1 200 OK\r\n A: b\r\n\r\n", .leadingWhitespace(offset: 17)),
        ("HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", .foldedLine(offset: 23)),
        ("HTTP/1.1 200 OK\r\nA: b\r\n\tc\r\n\r\n", .foldedLine(offset: 23)),
        ("HTTP/1.1 200 OK\r\nA: b\n\r\n", .bareLineFeed(offset: 21)),
        ("HTTP/1.1 200 OK\r\nA: b\r\n\n", .bareLineFeed(offset: 23)),
        ("HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n", .bareCarriageReturn(offset: 21)),
        ("HTTP/1.1 200 OK\r\n\rA: b\r\n\r\n", .bareCarriageReturn(offset: 17)),
        ("HTTP/1.1 200 OK\r\nA: b\r\r\n\r\n", .bareCarriageReturn(offset: 21)),
        ("HTTP/1.1 200 OK\r\n: b\r\n\r\n", .emptyFieldName(offset: 17)),
        ("HTTP/1.1 200 OK\r\nA : b\r\n\r\n", .spaceBeforeColon(offset: 18)),
        ("HTTP/1.1 200 OK\r\nA\t: b\r\n\r\n", .spaceBeforeColon(offset: 18)),
        ("HTTP/1.1 200 OK\r\nAB\r\n\r\n", .missingColon(offset: 19)),
        ("HTTP/1.1 200 OK\r\nA B: c\r\n\r\n", .malformedFieldName(offset: 18)),
        ("HTTP/1.1 200 OK\r\nA\"B: c\r\n\r\n", .malformedFieldName(offset: 18)),
        ("HTTP/1.1 200 OK\r\n\u{e9}: c\r\n\r\n", .malformedFieldName(offset: 17)),
        ("HTTP/1.1 200 OK\r\nA: b\u{00}c\r\n\r\n", .malformedFieldValue(offset: 21)),
        ("HTTP/1.1 200 OK\r\nA: b\u{0b}\r\n\r\n", .malformedFieldValue(offset: 21)),
        ("HTTP/1.1 200 OK\r\nA: \u{7f}\r\n\r\n", .malformedFieldValue(offset: 20)),
    ]

    @Test(.tags(.rfc9112), arguments: refused)
    func `a malformed head is rejected with a specific error`(text: String, error: WireError) {
        for pieces in ByteSplits(text) {
            #expect(throws: error) { _ = try decode(pieces) }
        }
    }

    @Test(arguments: refused) func `a malformed head gives an error of the kind head`(
        text: String,
        error: WireError
    ) {
        #expect(error.kind == .head)
    }

    @Test func `an incomplete head is not an error`() throws {
        let text = Array("HTTP/1.1 200 OK\r\nA: b\r\n\r\n".utf8)
        for count in 0..<text.count {
            for pieces in ByteSplits(Array(text.prefix(count))) {
                #expect(try decode(pieces) == nil)
            }
        }
    }

    @Test func `a head beyond the size limit is rejected, complete or not`() throws {
        let text = "HTTP/1.1 200 OK\r\nA: 0123456789\r\n\r\n"
        var limits = WireLimits()
        limits.headBytes = text.utf8.count
        for pieces in ByteSplits(text + "body") {
            #expect(try decode(pieces, limits: limits) != nil)
        }
        limits.headBytes -= 1
        for pieces in ByteSplits(text + "body") {
            #expect(throws: WireError.limitExceeded(.headBytes(limits.headBytes))) {
                _ = try decode(pieces, limits: limits)
            }
        }
        let endless = Array("HTTP/1.1 200 ".utf8) + [UInt8](repeating: 0x61, count: 64)
        limits.headBytes = 60
        for pieces in ByteSplits(endless) {
            #expect(throws: WireError.limitExceeded(.headBytes(60))) {
                _ = try decode(pieces, limits: limits)
            }
        }
    }

    @Test func `more fields than the limit are rejected`() throws {
        var limits = WireLimits()
        limits.fieldCount = 2
        for pieces in ByteSplits("HTTP/1.1 200 OK\r\nA: b\r\nC: d\r\n\r\n") {
            #expect(try decode(pieces, limits: limits)?.head.headers.count == 2)
        }
        for pieces in ByteSplits("HTTP/1.1 200 OK\r\nA: b\r\nC: d\r\nE: f\r\n\r\n") {
            #expect(throws: WireError.limitExceeded(.fieldCount(2))) {
                _ = try decode(pieces, limits: limits)
            }
        }
    }

    @Test(arguments: [63, 64, 65, 127, 128])
    func `more fields than fit in the stack table are read`(count: Int) throws {
        let fields = (0..<count).map { "X-\($0): v\($0)\r\n" }.joined()
        let text = Array("HTTP/1.1 200 OK\r\n\(fields)\r\n".utf8)
        for pieces in [[text], text.map { [$0] }] {
            let head = try #require(try decode(pieces)).head
            #expect(head.headers.count == count)
            #expect(head.headers[FieldName("x-\(count - 1)")] == "v\(count - 1)")
            #expect(head.rawBytes == text)
        }
    }

    @Test func `decoding byte by byte takes linear time`() throws {
        var limits = WireLimits()
        limits.headBytes = 1 << 20
        let value = [UInt8](repeating: 0x61, count: 1 << 19)
        let text = Array("HTTP/1.1 200 OK\r\nA: ".utf8) + value + Array("\r\n\r\n".utf8)
        var decoder = ResponseHeadDecoder(limits: limits)
        // Quadratic work would take 2^37 steps here.
        var head: ResponseHead?
        for count in 1...text.count {
            head = try decoder.decode(text.span.extracting(first: count)).head
        }
        #expect(head?.headers["a"]?.utf8.count == value.count)
    }

    @Test func `values that are not UTF-8 are read as Latin-1`() throws {
        let text = Array("HTTP/1.1 200 OK\r\nA: caf".utf8) + [0xe9] + Array("\r\n\r\n".utf8)
        let head = try #require(try decode([text])).head
        #expect(head.headers["A"] == "caf\u{e9}")
        #expect(head.headers[0].valueBytes == [0x63, 0x61, 0x66, 0xe9])
    }

    @Test(arguments: [0x00, 0x01, 0x1F, 0x7F] as [UInt8])
    func `a cookie with a control byte can be dropped without rejecting the head`(
        control: UInt8
    ) throws {
        let start = "HTTP/1.1 200 OK\r\nA: 1\r\nset-cookie: a=x"
        let text = Array(start.utf8) + [control] + Array("y\r\nSet-Cookie: b=2\r\n\r\n".utf8)
        var limits = WireLimits.default
        limits.dropsMalformedCookies = true
        for pieces in ByteSplits(text) {
            let head = try #require(try decode(pieces, limits: limits)).head
            #expect(head.headers.map { "\($0.name): \($0.value)" } == ["A: 1", "Set-Cookie: b=2"])
        }
        let error = WireError.malformedFieldValue(offset: start.utf8.count)
        #expect(throws: error) { try decode([text]) }
    }

    @Test(arguments: [0x00, 0x01, 0x0D, 0x7F] as [UInt8])
    func `a dropped cookie is reported by lenient and forensic`(control: UInt8) throws {
        let code: Diagnostic.Code =
            switch control {
            case 0x00: .nulByte
            case 0x0D: .bareCarriageReturn
            default: .controlInValue
            }
        let start = "HTTP/1.1 200 OK\r\nA: 1\r\nset-cookie: a=x"
        let ends = ["y\r\nSet-Cookie: b=2\r\n\r\n", "\r\n fold\r\nSet-Cookie: b=2\r\n\r\n"]
        var limits = WireLimits.default
        limits.dropsMalformedCookies = true
        for (end, folds) in zip(ends, [0, 1]) {
            let text = Array(start.utf8) + [control, 0x7A] + Array(end.utf8)
            var decoder = ResponseHeadDecoder(limits: limits, strictness: .lenient)
            let head = try decoder.decode(text.span).head
            #expect(head?.headers.map { "\($0.name): \($0.value)" } == ["A: 1", "Set-Cookie: b=2"])
            let codes = [code] + [Diagnostic.Code](repeating: .foldedLine, count: folds)
            #expect(decoder.diagnostics.map(\.code) == codes)
            #expect(decoder.diagnostics.first?.offset == start.utf8.count)
            decoder = ResponseHeadDecoder(limits: limits, strictness: .forensic)
            #expect(try decoder.decode(text.span).head?.headers.count == 3)
            #expect(decoder.diagnostics.first?.code == code)
        }
        // The control byte is in a folded line that continues a valid line.
        let folded =
            Array("HTTP/1.1 200 OK\r\nSet-Cookie: a=x\r\n y".utf8) + [control]
            + Array("z\r\n more\r\nB: 1\r\n c\r\n\r\n".utf8)
        var decoder = ResponseHeadDecoder(limits: limits, strictness: .lenient)
        #expect(try decoder.decode(folded.span).head?.headers.map(\.description) == ["B: 1 c"])
    }

    @Test func `a decoder reads one head after another`() throws {
        var decoder = ResponseHeadDecoder()
        let text = Array("HTTP/1.1 100 \r\n\r\nHTTP/1.1 200 \r\n\r\n".utf8)
        let first = try decoder.decode(text.span)
        #expect(first.head?.status == .continue)
        let second = try decoder.decode(text.span.extracting(first.consumed..<text.count))
        #expect(second.head?.status == .ok)
        #expect(decoder.isIdle)
    }

    @Test func `a reason phrase can be replaced, and it counts for equality`() throws {
        let text = Array("HTTP/1.1 404 Gone Fishing\r\nA: b\r\n\r\n".utf8)
        let received = try #require(try decode([text])).head
        var changed = received
        changed.reason = "Not Found"
        #expect(changed != received && changed.rawBytes.isEmpty && received.rawBytes == text)
        #expect(changed.rawByteCount == 0 && received.rawByteCount == text.count)
        #expect(changed == ResponseHead(status: .notFound, headers: ["a": "b"]))
        #expect(Set([changed, received, changed]).count == 2)
    }
}

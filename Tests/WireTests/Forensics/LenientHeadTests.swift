import Support
import Testing
import Wire

/// Tests the head deviations of the table of deviations at the level `lenient`.
@Suite(.tags(.rfc9112)) struct LenientHeadTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var rule: String
        var role: DecodedHead.Role
        var text: String
        var notes: [String]
        var fields: [String]
        var testDescription: String { rule }

        init(
            _ rule: String,
            _ role: DecodedHead.Role,
            _ text: String,
            _ notes: [String],
            _ fields: [String] = []
        ) {
            self.rule = rule
            self.role = role
            self.text = text
            self.notes = notes
            self.fields = fields
        }
    }

    static let tolerated = [
        Row(
            "§2.2 LF without CR ends a request line and fields",
            .request,
            "GET / HTTP/1.1\nA: b\nC: d\n\n",
            ["bareLineFeed@14", "bareLineFeed@19", "bareLineFeed@24", "bareLineFeed@25"],
            ["A: b", "C: d"]
        ),
        Row(
            "§2.2 LF without CR ends a status line",
            .response,
            "HTTP/1.1 200 OK\nA: b\r\n\r\n",
            ["bareLineFeed@15"],
            ["A: b"]
        ),
        Row(
            "§2.2 LF without CR ends the line of a framing field",
            .response,
            "HTTP/1.1 200 OK\r\nContent-Length: 5\n\r\n",
            ["bareLineFeed@34"],
            ["Content-Length: 5"]
        ),
        Row(
            "§2.2 LF without CR ends the head",
            .response,
            "HTTP/1.1 200 OK\r\nA: b\r\n\n",
            ["bareLineFeed@23"],
            ["A: b"]
        ),
        Row(
            "§2.2 empty lines precede a request",
            .request,
            "\r\n\r\n\r\nGET / HTTP/1.1\r\n\r\n",
            ["emptyLineBeforeStart@0"]
        ),
        Row(
            "§2.2 an empty line of LF precedes a request",
            .request,
            "\nGET / HTTP/1.1\r\n\r\n",
            ["bareLineFeed@0"]
        ),
        Row(
            "§2.2 a bare CR in a value becomes a space",
            .response,
            "HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n",
            ["bareCarriageReturn@21"],
            ["A: b c"]
        ),
        Row(
            "§2.2 a bare CR at the end of a value is dropped with the spaces there",
            .request,
            "GET / HTTP/1.1\r\nA: b \r\r\n\r\n",
            ["bareCarriageReturn@21"],
            ["A: b"]
        ),
        Row(
            "§2.2 a bare CR in a reason phrase becomes a space",
            .response,
            "HTTP/1.1 200 O\rK\r\n\r\n",
            ["bareCarriageReturn@14"]
        ),
        Row(
            "§3 words of a request line are set apart by more than a space",
            .request,
            "GET  /\t\tHTTP/1.1\r\n\r\n",
            ["irregularSpacing@3", "irregularSpacing@6"]
        ),
        Row(
            "§3 words of a request line are set apart by a tab",
            .request,
            "GET\t/ HTTP/1.1\r\n\r\n",
            ["irregularSpacing@3"]
        ),
        Row(
            "§3 whitespace surrounds a request line",
            .request,
            " GET / HTTP/1.1 \r\n\r\n",
            ["irregularSpacing@0", "irregularSpacing@15"]
        ),
        Row(
            "§3.2 a target holds bytes above 0x7F",
            .request,
            "GET /caf\u{e9} HTTP/1.1\r\n\r\n",
            ["obsTextInTarget@8"]
        ),
        Row(
            "§4 words of a status line are set apart by more than a space",
            .response,
            "HTTP/1.1 \t 200\tOK\r\n\r\n",
            ["irregularSpacing@8", "irregularSpacing@14"]
        ),
        Row(
            "§4 a control byte stands in a reason phrase",
            .response,
            "HTTP/1.1 200 O\u{07}K\r\n\r\n",
            ["controlInReason@14"]
        ),
        Row(
            "§5.1 whitespace precedes the colon in a response",
            .response,
            "HTTP/1.1 200 OK\r\nA \t: b\r\n\r\n",
            ["spaceBeforeColon@18"],
            ["A: b"]
        ),
        Row(
            "§5.2 a field line is folded",
            .response,
            "HTTP/1.1 200 OK\r\nA: b \r\n \t c\r\n\td\r\n\r\n",
            ["foldedLine@24", "foldedLine@30"],
            ["A: b c d"]
        ),
        Row(
            "§5.2 a field line of a request is folded",
            .request,
            "GET / HTTP/1.1\r\nA:\r\n b\r\nC: d\r\n\r\n",
            ["foldedLine@20"],
            ["A: b", "C: d"]
        ),
        Row(
            "§5.2 a folded line is empty",
            .request,
            "GET / HTTP/1.1\r\nA: b\r\n \r\nC: d\r\n\r\n",
            ["foldedLine@22"],
            ["A: b", "C: d"]
        ),
        Row(
            "RFC 9110 §5.5 a control byte stands in a value",
            .request,
            "GET / HTTP/1.1\r\nA: b\u{01}c\r\n\r\n",
            ["controlInValue@20"],
            ["A: b\u{01}c"]
        ),
    ]

    @Test(arguments: tolerated)
    func `a listed deviation is accepted and reported, for every split`(row: Row) {
        #expect(DecodedHead(row.text, row.role, .strict).error != nil)
        let whole = DecodedHead(row.text + "rest", row.role, .lenient)
        #expect(whole.error == nil)
        #expect(whole.notes == row.notes)
        #expect(whole.fields == row.fields)
        #expect(whole.rest == Array("rest".utf8))
        #expect(whole.raw == nil)
        for pieces in ByteSplits(row.text + "rest") {
            #expect(DecodedHead(pieces, row.role, .lenient) == whole)
        }
    }

    static let refused: [(String, DecodedHead.Role, String, WireError)] = [
        (
            "§2.2 an empty line precedes a response", .response,
            "\r\nHTTP/1.1 200 OK\r\n\r\n", .foreignProtocol(.unknown)
        ),
        (
            "§2.2 whitespace precedes the first field", .request,
            "GET / HTTP/1.1\r\n A: b\r\n\r\n", .leadingWhitespace(offset: 16)
        ),
        (
            "§2.2 a bare CR in a request line", .request,
            "GET /\rx HTTP/1.1\r\n\r\n", .malformedRequestLine(offset: 5)
        ),
        (
            "§2.2 a bare CR in a field name", .request,
            "GET / HTTP/1.1\r\nA\rB: c\r\n\r\n", .malformedFieldName(offset: 17)
        ),
        (
            "§2.2 a bare CR in a framing field", .response,
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\r\n\r\n", .bareCarriageReturn(offset: 34)
        ),
        (
            "§2.2 a line of CR alone", .request,
            "GET / HTTP/1.1\r\n\r\r\n\r\n", .missingColon(offset: 17)
        ),
        (
            "§2.3 a version in lower case", .request,
            "GET / http/1.1\r\n\r\n", .malformedVersion(offset: 6)
        ),
        (
            "§2.3 a version of other digits", .request,
            "GET / HTTP/1.1.1\r\n\r\n", .malformedVersion(offset: 14)
        ),
        (
            "§2.5 another major version", .request,
            "GET / HTTP/2.0\n\r\n", .unsupportedVersion(major: 2, minor: 0)
        ),
        ("HTTP/0.9", .request, "GET /\n\n", .foreignProtocol(.http09)),
        ("HTTP/2", .request, "PRI  * HTTP/2.0\r\n\r\n", .foreignProtocol(.http2)),
        ("TLS", .response, "\u{16}\u{03}\u{01}", .foreignProtocol(.tls)),
        (
            "§3 a space in the target", .request,
            "GET /a b HTTP/1.1\r\n\r\n", .malformedRequestLine(offset: 6)
        ),
        (
            "§3 a form feed between words", .request,
            "GET\u{0c}/ HTTP/1.1\r\n\r\n", .malformedRequestLine(offset: 3)
        ),
        ("§3 one word", .request, "GET\n\n", .malformedRequestLine(offset: 3)),
        (
            "§3.1 a method that is no token", .request,
            "G(T  / HTTP/1.1\r\n\r\n", .malformedRequestLine(offset: 1)
        ),
        (
            "§3.2 a target of no form", .request,
            "GET  h HTTP/1.1\r\n\r\n", .malformedRequestLine(offset: 0)
        ),
        (
            "§3.2 a fragment", .request,
            "GET  /#f HTTP/1.1\r\n\r\n", .malformedRequestLine(offset: 6)
        ),
        (
            "§4 a status of four digits", .response,
            "HTTP/1.1 2000 OK\r\n\r\n", .malformedStatus(offset: 9)
        ),
        (
            "§4 no status", .response,
            "HTTP/1.1\r\n\r\n", .malformedStatus(offset: 8)
        ),
        (
            "§4 NUL in a reason phrase", .response,
            "HTTP/1.1 200 O\u{00}K\r\n\r\n", .malformedReason(offset: 14)
        ),
        (
            "§5 a line without colon", .response,
            "HTTP/1.1 200 OK\r\nabc\r\n\r\n", .missingColon(offset: 20)
        ),
        (
            "§5 an empty name", .response,
            "HTTP/1.1 200 OK\r\n: a\r\n\r\n", .emptyFieldName(offset: 17)
        ),
        (
            "§5.1 whitespace before the colon in a request", .request,
            "GET / HTTP/1.1\r\nA : b\r\n\r\n", .spaceBeforeColon(offset: 17)
        ),
        (
            "§5.1 whitespace before the colon of a framing field", .response,
            "HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\n\r\n",
            .spaceBeforeColon(offset: 34)
        ),
        (
            "§5.2 a folded framing field", .response,
            "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n 2\r\n\r\n", .foldedLine(offset: 36)
        ),
        (
            "RFC 9110 §5.1 a name that is no token", .request,
            "GET / HTTP/1.1\r\nA(: b\r\n\r\n", .malformedFieldName(offset: 17)
        ),
        (
            "RFC 9110 §5.5 NUL in a value", .request,
            "GET / HTTP/1.1\r\nA: \u{00}\r\n\r\n", .malformedFieldValue(offset: 19)
        ),
        (
            "RFC 9110 §5.5 a control byte in a framing field", .request,
            "GET / HTTP/1.1\r\nContent-Length: 5\u{0b}\r\n\r\n", .malformedFieldValue(offset: 33)
        ),
    ]

    @Test(arguments: refused)
    func `a deviation not listed is rejected, for every split`(
        rule: String,
        role: DecodedHead.Role,
        text: String,
        error: WireError
    ) {
        for pieces in ByteSplits(text) {
            #expect(DecodedHead(pieces, role, .lenient).error == error, "\(rule)")
        }
    }

    @Test func `a start line with deviations is split into its parts`() throws {
        let request = try #require(
            DecodedHead("POST\t/caf\u{e9}  HTTP/1.0\n\n", .request, .lenient).request
        )
        #expect(request.method == .post)
        #expect(request.target.text == "/caf\u{e9}")
        #expect(request.version == .http10)
        let response = try #require(
            DecodedHead("HTTP/1.0  404 No\r such\u{07}\n\n", .response, .lenient).response
        )
        #expect(response.version == .http10)
        #expect(response.status == .notFound)
        #expect(response.reason == "No  such\u{07}")
        #expect(response.rawBytes == Array("HTTP/1.0  404 No\r such\u{07}\n\n".utf8))
    }

    @Test func `a value with a control byte is rejected when it is sent again`() throws {
        let head = try #require(
            DecodedHead("GET / HTTP/1.1\r\nA: b\u{01}\r\n\r\n", .request, .lenient).request
        )
        var output: [UInt8] = []
        #expect(throws: WireError.invalidFieldValue(index: 0)) {
            try RequestHeadEncoder.encode(head, into: &output)
        }
    }

    @Test func `an unfolded value is sent on one line`() throws {
        let head = try #require(
            DecodedHead("GET / HTTP/1.1\nA: b\r\n c\r\nD:e\r\n\r\n", .request, .lenient).request
        )
        var output: [UInt8] = []
        try RequestHeadEncoder.encode(head, into: &output)
        #expect(output == Array("GET / HTTP/1.1\r\nA: b c\r\nD: e\r\n\r\n".utf8))
    }

    @Test func `head limits apply to heads with deviations`() {
        var limits = WireLimits()
        limits.headBytes = 40
        limits.fieldCount = 2
        let rows: [(String, ExceededLimit)] = [
            ("GET / HTTP/1.1\nA: b\nC: d\nE: f\n\n", .fieldCount(2)),
            ("GET / HTTP/1.1\nA: b\n c\n d\n\n", .fieldCount(2)),
            ("GET / HTTP/1.1\nA: bbbbbbbbbbbbbbbbbbbbbbbb\n\n", .headBytes(40)),
            (String(repeating: "\n", count: 50), .headBytes(40)),
        ]
        for (text, limit) in rows {
            for pieces in ByteSplits(text) {
                let reading = DecodedHead(pieces, .request, .lenient, limits: limits)
                #expect(reading.error == .limitExceeded(limit))
            }
        }
    }

    @Test func `diagnostics are limited, and the last one marks omitted ones`() {
        var limits = WireLimits()
        limits.diagnosticCount = 2
        for pieces in ByteSplits("GET / HTTP/1.1\nA: b\nC: d\nE: f\n\n") {
            let reading = DecodedHead(pieces, .request, .lenient, limits: limits)
            #expect(reading.fields == ["A: b", "C: d", "E: f"])
            #expect(
                reading.notes == ["bareLineFeed@14", "bareLineFeed@19", "furtherDeviations@24"]
            )
        }
    }

    @Test func `a decoder reads the next head without earlier diagnostics`() throws {
        var decoder = RequestHeadDecoder(strictness: .lenient)
        let text = Array("GET /1 HTTP/1.1\n\nGET /2 HTTP/1.1\r\n\r\nGET /3 HTTP/1.1\n\n".utf8)
        #expect(decoder.isIdle)
        let first = try decoder.decode(text.span)
        #expect(first.head?.target.text == "/1")
        #expect(decoder.diagnostics.count == 2)
        #expect(decoder.isIdle)
        var start = first.consumed
        let second = try decoder.decode(text.span.extracting(start..<text.count))
        #expect(second.head?.target.text == "/2")
        #expect(decoder.diagnostics.isEmpty)
        start += second.consumed
        let third = try decoder.decode(text.span.extracting(start..<text.count))
        #expect(third.head?.target.text == "/3")
        #expect(decoder.diagnostics.map(\.offset) == [15, 16])
        let begun = try decoder.decode(Array("GET / HTTP/1.1\nA".utf8).span)
        #expect(begun.head == nil)
        #expect(!decoder.isIdle)
    }

    @Test(arguments: [([0xc3, 0xa9], "/\u{e9}"), ([0xe9], "/\u{e9}"), ([0xe9, 0x21], "/\u{e9}!")])
    func `target bytes that are not UTF-8 are read as Latin-1`(bytes: [UInt8], text: String) {
        let head = Array("GET /".utf8) + bytes + Array(" HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        let reading = DecodedHead([head], .request, .lenient)
        #expect(reading.request?.target.text == text)
        #expect(reading.notes == ["obsTextInTarget@5"])
    }
}

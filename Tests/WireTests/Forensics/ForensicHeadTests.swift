import Support
import Testing
import Wire

/// Tests the head deviations of the table of deviations at the level `forensic`.
@Suite(.tags(.rfc9112)) struct ForensicHeadTests {
    typealias Row = LenientHeadTests.Row

    static let kept = [
        Row(
            "§2.2 an empty line precedes a response",
            .response,
            "\r\nHTTP/1.1 200 OK\r\n\r\n",
            ["emptyLineBeforeStart@0"]
        ),
        Row(
            "§2.2 lines of LF precede a response",
            .response,
            "\n\nHTTP/1.1 200 OK\r\n\r\n",
            ["bareLineFeed@0", "bareLineFeed@1", "emptyLineBeforeStart@0"]
        ),
        Row(
            "§2.2 whitespace precedes the first field",
            .request,
            "GET / HTTP/1.1\r\n A: b\r\n\tC\r\nD: e\r\n\r\n",
            ["leadingWhitespace@16", "leadingWhitespace@23"],
            ["D: e"]
        ),
        Row(
            "§2.2 a bare CR in a request line",
            .request,
            "GET\r/x\rHTTP/1.1\r\n\r\n",
            ["irregularSpacing@3", "irregularSpacing@6"]
        ),
        Row(
            "§2.2 a bare CR in a framing field",
            .response,
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\r\n\r\n",
            ["bareCarriageReturn@34"],
            ["Content-Length: 5"]
        ),
        Row(
            "§2.2 a line of CR alone",
            .request,
            "GET / HTTP/1.1\r\n\r\r\nA: b\r\n\r\n",
            ["missingColon@16"],
            ["A: b"]
        ),
        Row(
            "§2.3 a version in lower case",
            .request,
            "GET / http/1.0\r\n\r\n",
            ["malformedVersion@6"]
        ),
        Row(
            "§2.3 a version in lower case, in a response",
            .response,
            "hTTp/1.1 200 OK\r\n\r\n",
            ["malformedVersion@0"]
        ),
        Row(
            "§2.3 a version without minor number",
            .response,
            "HTTP/1 200 OK\r\n\r\n",
            ["malformedVersion@0"]
        ),
        Row(
            "§2.5 another major version",
            .response,
            "HTTP/2 200 OK\r\n\r\n",
            ["unsupportedVersion@0"]
        ),
        Row(
            "§3 a space in the target",
            .request,
            "GET /a b HTTP/1.1\r\n\r\n",
            ["malformedTarget@6"]
        ),
        Row(
            "§3 NUL in the target",
            .request,
            "GET /a\u{00} HTTP/1.1\r\n\r\n",
            ["nulByte@6"]
        ),
        Row(
            "§3 a form feed between words",
            .request,
            "GET\u{0c}/ HTTP/1.1\r\n\r\n",
            ["irregularSpacing@3"]
        ),
        Row(
            "§3.1 a method that is no token",
            .request,
            "G(T / HTTP/1.1\r\n\r\n",
            ["malformedMethod@1"]
        ),
        Row(
            "§3.2 a target of no form",
            .request,
            "GET h HTTP/1.1\r\n\r\n",
            ["unknownTargetForm@0"]
        ),
        Row(
            "§3.2 a fragment",
            .request,
            "GET /#f HTTP/1.1\r\n\r\n",
            ["malformedTarget@5"]
        ),
        Row(
            "§4 whitespace precedes the status line",
            .response,
            " HTTP/1.1 200 OK\r\n\r\n",
            ["irregularSpacing@0"]
        ),
        Row(
            "§4 a status of four digits",
            .response,
            "HTTP/1.1 2000 OK\r\n\r\n",
            ["malformedStatus@9"]
        ),
        Row(
            "§4 no status",
            .response,
            "HTTP/1.1\r\n\r\n",
            ["irregularSpacing@8", "malformedStatus@8"]
        ),
        Row(
            "§4 a phrase that is not set off",
            .response,
            "HTTP/1.1 200OK\r\n\r\n",
            ["malformedStatus@9"]
        ),
        Row(
            "§4 NUL in a reason phrase",
            .response,
            "HTTP/1.1 200 O\u{00}K\r\n\r\n",
            ["nulByte@14"]
        ),
        Row(
            "§5 a line without colon",
            .response,
            "HTTP/1.1 200 OK\r\nA: b\r\nabc\r\n d\r\nC: e\r\n\r\n",
            ["missingColon@23", "leadingWhitespace@28"],
            ["A: b", "C: e"]
        ),
        Row(
            "§5 an empty name",
            .response,
            "HTTP/1.1 200 OK\r\n: a\r\n\r\n",
            ["emptyFieldName@17"],
            [": a"]
        ),
        Row(
            "§5.1 whitespace before the colon in a request",
            .request,
            "GET / HTTP/1.1\r\nHost : h\r\n\r\n",
            ["spaceBeforeColon@20"],
            ["Host: h"]
        ),
        Row(
            "§5.1 whitespace before the colon of a framing field",
            .response,
            "HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\n\r\n",
            ["spaceBeforeColon@34"],
            ["Transfer-Encoding: chunked"]
        ),
        Row(
            "§5.2 a folded framing field",
            .response,
            "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n 2\r\n\r\n",
            ["foldedLine@36"],
            ["content-length: 1 2"]
        ),
        Row(
            "RFC 9110 §5.1 a name that is no token",
            .request,
            "GET / HTTP/1.1\r\nA (: b\r\n\r\n",
            ["malformedFieldName@17"],
            ["A (: b"]
        ),
        Row(
            "RFC 9110 §5.5 NUL in a value",
            .request,
            "GET / HTTP/1.1\r\nA: \u{00}\r\n\r\n",
            ["nulByte@19"],
            ["A: \u{00}"]
        ),
        Row(
            "§6.3 framing fields that contradict each other are kept",
            .request,
            "GET / HTTP/1.1\r\nContent-Length: 1\nContent-Length: 2\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n",
            ["bareLineFeed@33"],
            ["Content-Length: 1", "Content-Length: 2", "Transfer-Encoding: chunked"]
        ),
    ]

    @Test(arguments: kept + LenientHeadTests.tolerated)
    func `a deviation is reported and its bytes are kept, for every split`(row: Row) {
        let whole = DecodedHead(row.text + "rest", row.role, .forensic)
        #expect(whole.error == nil)
        #expect(whole.notes == row.notes)
        #expect(whole.fields == row.fields)
        #expect(whole.rest == Array("rest".utf8))
        #expect(whole.raw?.bytes == Array(row.text.utf8))
        for pieces in ByteSplits(row.text + "rest") {
            #expect(DecodedHead(pieces, row.role, .forensic) == whole)
        }
    }

    @Test(arguments: kept)
    func `a head accepted only by forensic is rejected by strict and lenient`(row: Row) {
        // The head decoders of the other levels do not check combinations of framing fields.
        if row.rule.hasPrefix("§6.3") { return }
        #expect(DecodedHead(row.text, row.role, .strict).error != nil)
        #expect(DecodedHead(row.text, row.role, .lenient).error != nil)
    }

    static let refused: [(String, DecodedHead.Role, String, WireError)] = [
        ("TLS", .response, "\u{16}\u{03}\u{01}", .foreignProtocol(.tls)),
        ("TLS", .request, "\u{16}\u{03}\u{01}", .foreignProtocol(.tls)),
        ("HTTP/2 frame", .response, "\u{00}\u{00}\u{12}\u{04}", .foreignProtocol(.http2)),
        ("HTTP/2 preface", .request, "PRI * HTTP/2.0\r\n\r\n", .foreignProtocol(.http2)),
        ("HTTP/0.9", .request, "GET /\r\n", .foreignProtocol(.http09)),
        ("HTTP/0.9", .request, "GET \t /\n", .foreignProtocol(.http09)),
        ("page", .response, "<html>\r\n\r\n", .foreignProtocol(.unknown)),
        ("ICY", .response, "\r\n ICY 200 OK\r\n\r\n", .foreignProtocol(.unknown)),
        ("short", .response, "HTT\r\n\r\n", .foreignProtocol(.unknown)),
        ("one word", .request, "HELO\r\n", .malformedRequestLine(offset: 4)),
        ("no version", .request, "EHLO a b\r\n", .malformedVersion(offset: 7)),
    ]

    @Test(arguments: refused)
    func `bytes that are not HTTP are rejected, for every split`(
        name: String,
        role: DecodedHead.Role,
        text: String,
        error: WireError
    ) {
        for pieces in ByteSplits(text) {
            #expect(DecodedHead(pieces, role, .forensic).error == error, "\(name)")
        }
    }

    @Test(
        arguments: [
            ("HTTP/1.1 20 OK", 20, "OK"), ("HTTP/1.1 2x0 OK", 2, "OK"),
            ("HTTP/1.1 2000 OK", 0, "OK"), ("HTTP/1.1 200OK", 200, "OK"),
            ("HTTP/1.1 099 ", 99, ""), ("HTTP/1.1 OK", 0, ""), ("HTTP/1.1", 0, ""),
        ] as [(String, Int, String)]
    )
    func `a malformed status is read as its leading digits`(
        line: String,
        code: Int,
        reason: String
    ) {
        let head = DecodedHead(line + "\r\n\r\n", .response, .forensic).response
        #expect(head?.status.code == code)
        #expect(head?.reason == reason)
    }

    @Test(
        arguments: [
            ("HTTP/1", 1, 0), ("HTTP/1.10", 1, 1), ("HTTP/11", 1, 0), ("HTTP/2.7", 2, 7),
            ("http/0.9", 0, 9), ("HTTP/x.1", 0, 1), ("HTTP/", 0, 0),
        ] as [(String, UInt8, UInt8)]
    )
    func `a malformed version is read as the digits present`(
        word: String,
        major: UInt8,
        minor: UInt8
    ) {
        let version = HTTPVersion(major: major, minor: minor)
        let request = DecodedHead("GET / \(word)\r\n\r\n", .request, .forensic)
        #expect(request.request?.version == version)
        #expect(request.diagnostics.count == 1)
        let response = DecodedHead("\(word) 200 OK\r\n\r\n", .response, .forensic)
        #expect(response.response?.version == version)
        #expect(response.diagnostics.count == 1)
    }

    @Test func `bytes above 0x7F are kept in names, values and methods`() throws {
        let text = Array("M\u{e9}T / HTTP/1.1\r\n".utf8) + [0x41, 0xe9, 0x3a, 0xff, 0x0d, 0x0a]
        let reading = DecodedHead([text + [0x0d, 0x0a]], .request, .forensic)
        let field = try #require(reading.request?.headers.first)
        #expect(reading.request?.method == "M\u{e9}T")
        #expect(field.nameBytes == [0x41, 0xe9])
        #expect(field.valueBytes == [0xff])
        #expect(field.value == "\u{ff}")
        #expect(field.latin1Value == "\u{ff}")
        #expect(field.withValueBytes { $0.count } == 1)
    }

    @Test func `a field name too long to store is kept in the raw head`() {
        var limits = WireLimits()
        limits.headBytes = 200_000
        let name = String(repeating: "a", count: 65_536)
        let text = Array("GET / HTTP/1.1\r\n\(name): b\r\nC: d\r\n\r\n".utf8)
        let reading = DecodedHead([text], .request, .forensic, limits: limits)
        #expect(reading.notes == ["malformedFieldName@65551"])
        #expect(reading.fields == ["C: d"])
        #expect(reading.raw?.fields.first?.name.count == 65_536)
        let lenient = DecodedHead([text], .request, .lenient, limits: limits)
        #expect(lenient.error == .malformedFieldName(offset: 65_551))
    }
}

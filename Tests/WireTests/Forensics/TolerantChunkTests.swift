import Support
import Testing
import Wire

/// Tests the chunked-body deviations of the table of deviations at each level.
@Suite(.tags(.rfc9112)) struct TolerantChunkTests {
    struct Reading: Equatable {
        var body: [UInt8] = []
        var trailers: HTTPHeaders?
        var rest: [UInt8]?
        var diagnostics: [Diagnostic] = []
        var error: WireError?

        var notes: [String] { diagnostics.map { "\($0.code.rawValue)@\($0.offset)" } }

        init(_ pieces: [[UInt8]], _ strictness: Strictness, limits: WireLimits = .default) {
            var decoder = BodyDecoder(.chunked, limits: limits, strictness: strictness)
            do {
                rest = try ByteSplits.feed(pieces) { input in
                    let step = try decoder.decode(input)
                    switch step.event {
                    case .needMore:
                        return .init(consumed: step.consumed, next: .whenMore)
                    case .body(let range):
                        for index in range { body.append(input[index]) }
                        return .init(consumed: step.consumed, next: .again)
                    case .end(let trailers):
                        self.trailers = trailers
                        return .init(consumed: step.consumed, next: .done)
                    }
                }
            } catch {
                self.error = error as? WireError
            }
            diagnostics = decoder.diagnostics
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var rule: String
        /// The strictest level that tolerates the deviation.
        var level: Strictness
        var text: String
        var notes: [String]
        var testDescription: String { rule }
    }

    static let tolerated = [
        Row(
            rule: "§7.1 LF without CR behind a chunk size",
            level: .forensic,
            text: "5\nhello\r\n0\n\r\n",
            notes: ["bareLineFeed@1", "bareLineFeed@10"]
        ),
        Row(
            rule: "§7.1 LF without CR behind chunk data",
            level: .forensic,
            text: "5\r\nhello\n0\r\n\r\n",
            notes: ["bareLineFeed@8"]
        ),
        Row(
            rule: "§7.1.1 whitespace behind a chunk size",
            level: .forensic,
            text: "5 \t\r\nhello\r\n0  \r\n\r\n",
            notes: ["spaceAfterChunkSize@3", "spaceAfterChunkSize@15"]
        ),
        Row(
            rule: "§7.1.1 whitespace and LF behind a chunk size",
            level: .forensic,
            text: "5 \nhello\r\n0\r\n\r\n",
            notes: ["spaceAfterChunkSize@2", "bareLineFeed@2"]
        ),
        Row(
            rule: "§7.1.2 LF without CR ends trailers",
            level: .forensic,
            text: "5\r\nhello\r\n0\r\nA: b\nC: d\r\n\n",
            notes: ["bareLineFeed@17", "bareLineFeed@24"]
        ),
        Row(
            rule: "§7.1.2 LF without CR ends a body without trailers",
            level: .forensic,
            text: "5\r\nhello\r\n0\r\n\n",
            notes: ["bareLineFeed@13"]
        ),
        Row(
            rule: "§5.2 a trailer line is folded",
            level: .forensic,
            text: "5\r\nhello\r\n0\r\nA: b\r\n c\r\n\r\n",
            notes: ["foldedLine@19"]
        ),
        Row(
            rule: "§7.1.1 LF without CR behind an extension",
            level: .forensic,
            text: "5;a\nhello\r\n0\r\n\r\n",
            notes: ["bareLineFeed@3"]
        ),
        Row(
            rule: "§7.1.1 a control byte in an extension",
            level: .forensic,
            text: "5;a\u{00}b\r\nhello\r\n0\r\n\r\n",
            notes: ["malformedChunkExtension@3"]
        ),
        Row(
            rule: "§7.1.1 an extension without semicolon",
            level: .forensic,
            text: "5 a\r\nhello\r\n0\r\n\r\n",
            notes: ["malformedChunkExtension@2"]
        ),
        Row(
            rule: "§7.1.1 an empty extension",
            level: .forensic,
            text: "5;\r\nhello\r\n0 ; \r\n\r\n",
            notes: ["malformedChunkExtension@2", "malformedChunkExtension@15"]
        ),
        Row(
            rule: "§7.1.1 an empty extension and LF",
            level: .forensic,
            text: "5;\nhello\r\n0\r\n\r\n",
            notes: ["malformedChunkExtension@2", "bareLineFeed@2"]
        ),
        Row(
            rule: "§7.1.1 an extension without a value behind its equals sign",
            level: .forensic,
            text: "5;a=\r\nhello\r\n0;a=;b\r\n\r\n",
            notes: ["malformedChunkExtension@4", "malformedChunkExtension@17"]
        ),
        Row(
            rule: "§7.1.1 a quoted value without its end",
            level: .forensic,
            text: "5;a=\"b\r\nhello\r\n0;a=\"b\\\r\n\r\n",
            notes: ["malformedChunkExtension@6", "malformedChunkExtension@22"]
        ),
        Row(
            rule: "§7.1.1 an extension whose name is no token, with a control byte behind it",
            level: .forensic,
            text: "5;a(=b\u{00}\r\nhello\r\n0\r\n\r\n",
            notes: ["malformedChunkExtension@3", "malformedChunkExtension@6"]
        ),
        Row(
            rule: "§7.1 nothing behind chunk data",
            level: .forensic,
            text: "2\r\nhe3\r\nllo0\r\n\r\n",
            notes: ["missingChunkEnd@5", "missingChunkEnd@11"]
        ),
        Row(
            rule: "§5.1 whitespace before the colon of a trailer",
            level: .forensic,
            text: "5\r\nhello\r\n0\r\nA : b\r\n\r\n",
            notes: ["spaceBeforeColon@14"]
        ),
        Row(
            rule: "§5 a trailer line without colon",
            level: .forensic,
            text: "5\r\nhello\r\n0\r\nA\r\n\r\n",
            notes: ["missingColon@13"]
        ),
        Row(
            rule: "§2.2 whitespace before the first trailer",
            level: .forensic,
            text: "5\r\nhello\r\n0\r\n A: b\r\n\r\n",
            notes: ["leadingWhitespace@13"]
        ),
    ]

    @Test(arguments: tolerated)
    func `a deviation is accepted and reported from its level on, for every split`(row: Row) {
        for level in Strictness.allCases {
            let whole = Reading([Array((row.text + "rest").utf8)], level)
            if level < row.level {
                #expect(whole.error != nil)
            } else {
                #expect(whole.error == nil)
                #expect(whole.body == Array("hello".utf8))
                #expect(whole.notes == row.notes)
                #expect(whole.rest == Array("rest".utf8))
            }
            for pieces in ByteSplits(row.text + "rest") {
                #expect(Reading(pieces, level) == whole)
            }
        }
    }

    @Test func `trailers with deviations are delivered`() {
        let text = "0\r\nA: b\n c\nDigest: d\r\n\r\n"
        let reading = Reading([Array(text.utf8)], .forensic)
        #expect(reading.trailers == ["A": "b c", "Digest": "d"])
    }

    @Test(
        arguments: [
            ("+5\r\nhello\r\n", .malformedChunkSize(offset: 0)),
            (" 5\r\nhello\r\n", .malformedChunkSize(offset: 0)),
            ("0x5\r\nhello\r\n", .malformedChunkSize(offset: 1)),
            ("5_0\r\nhello\r\n", .malformedChunkSize(offset: 1)),
            ("\n", .malformedChunkSize(offset: 0)),
            ("00000000000000001\nx", .malformedChunkSize(offset: 16)),
            ("8000000000000000\n", .chunkSizeOverflow(offset: 15)),
            ("5\rhello\r\n", .malformedChunkEnd(offset: 2)),
            ("5;a\rb\r\nhello\r\n", .malformedChunkEnd(offset: 4)),
            ("1\r\nx\r\r", .malformedChunkEnd(offset: 5)),
            ("1\r\nxy\r\n", .malformedChunkSize(offset: 4)),
        ] as [(String, WireError)]
    )
    func `a malformed chunk size is rejected even by forensic`(text: String, error: WireError) {
        for pieces in ByteSplits(text) {
            #expect(Reading(pieces, .forensic).error == error)
        }
    }

    @Test func `chunk and trailer limits apply where deviations are accepted`() {
        var limits = WireLimits()
        limits.chunkLineBytes = 4
        limits.chunkExtensionBytes = 6
        limits.trailerBytes = 12
        limits.trailerCount = 1
        limits.diagnosticCount = 1
        let rows: [(String, ExceededLimit)] = [
            ("1    \nx", .chunkLineBytes(4)),
            ("1  \nx\n1  \nx\n1  \nx\n1  \nx\n", .chunkExtensionBytes(6)),
            ("0\nA: b\nC: d\n\n", .trailerCount(1)),
            ("0\nA: bbbbbbbbbbbbbbbbb\n\n", .trailerBytes(12)),
            ("0\nA: b\nccccccccccccccccc", .trailerBytes(12)),
        ]
        for (text, limit) in rows {
            for pieces in ByteSplits(text) {
                let reading = Reading(pieces, .forensic, limits: limits)
                #expect(reading.error == .limitExceeded(limit))
                #expect(reading.diagnostics.count <= 2)
            }
        }
    }

    @Test func `lenient reads chunk lines and trailers exactly as strict`() {
        for row in Self.tolerated {
            for pieces in ByteSplits(row.text) {
                #expect(Reading(pieces, .lenient) == Reading(pieces, .strict))
            }
        }
    }

    @Test
    func `lenient and forensic read chunks valid for strict identically, without diagnostics`() {
        for text in ["0\r\n\r\n", "1;a\r\nx\r\n1 ;b\r\ny\r\n0;c\r\nA: b\r\n\r\n"] {
            let strict = Reading([Array(text.utf8)], .strict)
            #expect(strict.error == nil && strict.diagnostics.isEmpty)
            #expect(Reading([Array(text.utf8)], .lenient) == strict)
            #expect(Reading([Array(text.utf8)], .forensic) == strict)
        }
    }
}

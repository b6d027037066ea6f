import Support
import Testing
import Wire

@Suite struct ChunkedDecoderTests {
    struct Result: Equatable {
        var body: [UInt8] = []
        var trailers: HTTPHeaders?
        var rest: [UInt8]?
    }

    /// The way in which content is returned, with the room for one call.
    enum Form: Hashable {
        case steps
        case ranges(Int)
        case copies(Int)

        static let all: [Form] = [
            .steps, .ranges(1), .ranges(2), .ranges(64), .copies(1), .copies(3), .copies(1024),
        ]
    }

    /// Decodes in every form; all forms must give the same result.
    private func decode(_ pieces: [[UInt8]], limits: WireLimits = .default) throws -> Result {
        let results = Form.all.map { form in
            Swift.Result<Result, WireError> { () throws(WireError) in
                try decode(pieces, form, limits)
            }
        }
        for (form, result) in zip(Form.all, results) where result != results[0] {
            Issue.record("\(form): \(result), not \(results[0])")
        }
        return try results[0].get()
    }

    private func decode(
        _ pieces: [[UInt8]],
        _ form: Form,
        _ limits: WireLimits
    ) throws(WireError) -> Result {
        var decoder = ChunkedDecoder(limits: limits)
        var result = Result()
        do {
            result.rest = try ByteSplits.feed(pieces) { input in
                let batch = try Self.decode(input, form, &decoder, &result.body)
                switch batch.state {
                case .needMore: return .init(consumed: batch.consumed, next: .whenMore)
                case .outputFull: return .init(consumed: batch.consumed, next: .again)
                case .end(let trailers):
                    result.trailers = trailers
                    return .init(consumed: batch.consumed, next: .done)
                }
            }
        } catch let error as WireError {
            throw error
        } catch {
            Issue.record("\(error)")
        }
        #expect(decoder.received == result.body.count)
        return result
    }

    private static func decode(
        _ input: Span<UInt8>,
        _ form: Form,
        _ decoder: inout ChunkedDecoder,
        _ body: inout [UInt8]
    ) throws -> BodyBatch {
        switch form {
        case .steps:
            let step = try decoder.decode(input)
            switch step.event {
            case .needMore: return BodyBatch(consumed: step.consumed, state: .needMore)
            case .end(let trailers):
                return BodyBatch(consumed: step.consumed, state: .end(trailers: trailers))
            case .body(let range):
                #expect(!range.isEmpty && range.upperBound == step.consumed)
                for index in range { body.append(input[index]) }
                return BodyBatch(consumed: step.consumed, state: .outputFull)
            }
        case .ranges(let room):
            var ranges: [Range<Int>] = []
            var batch = BodyBatch(consumed: 0, state: .needMore)
            defer {
                for range in ranges {
                    #expect(!range.isEmpty)
                    for index in range { body.append(input[index]) }
                }
            }
            try ranges.append(addingCapacity: room) { output throws(WireError) in
                batch = try decoder.decode(input, into: &output)
            }
            return batch
        case .copies(let room):
            var batch = BodyBatch(consumed: 0, state: .needMore)
            try body.append(addingCapacity: room) { output throws(WireError) in
                batch = try decoder.decode(input, into: &output)
            }
            return batch
        }
    }

    @Test(
        .tags(.rfc9112),
        arguments: [
            ("0\r\n\r\n", "", [:]),
            ("5\r\nhello\r\n0\r\n\r\n", "hello", [:]),
            ("3\r\nfoo\r\n03\r\nbar\r\n000\r\n\r\n", "foobar", [:]),
            ("0000000000000001\r\nx\r\n0\r\n\r\n", "x", [:]),
            ("a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n", "01234567890123456789", [:]),
            ("1;a\r\nx\r\n1;a=b;c=\"d;\\\"e\"\r\ny\r\n0;last\r\n\r\n", "xy", [:]),
            ("1 ;a\r\nx\r\n1\t ; b = c\r\ny\r\n0\r\n\r\n", "xy", [:]),
            ("1;a\t=\t\"\" ;b ; c=!#$%&'*+-.^_`|~9\r\nx\r\n0\r\n\r\n", "x", [:]),
            ("1;a=\";=\\\"\\\\\t\u{e9}\\\u{e9}\";b\r\nx\r\n0\r\n\r\n", "x", [:]),
            ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n", [:]),
            ("1\r\nx\r\n0\r\nA: b\r\nC: d\r\n\r\n", "x", ["A": "b", "C": "d"]),
            // Equal chunk sizes, and sizes that share a prefix or differ only in case.
            ("1\r\nx\r\n1\r\ny\r\n1\r\nz\r\n0\r\n\r\n", "xyz", [:]),
            ("1\r\nx\r\n10\r\n0123456789abcdef\r\n1\r\nz\r\n0\r\n\r\n", "x0123456789abcdefz", [:]),
            ("0A\r\n0123456789\r\n0a\r\n0123456789\r\n0\r\n\r\n", "01234567890123456789", [:]),
            ("1\r\nx\r\n1;1\r\ny\r\n1\r\nz\r\n1 ;a\r\na\r\n0\r\n\r\n", "xyza", [:]),
        ] as [(String, String, HTTPHeaders)]
    )
    func `a chunked body is decoded for every split`(
        text: String,
        body: String,
        trailers: HTTPHeaders
    ) throws {
        let expected = Result(
            body: Array(body.utf8),
            trailers: trailers,
            rest: Array("HTTP".utf8)
        )
        for pieces in ByteSplits(text + "HTTP") {
            #expect(try decode(pieces) == expected)
        }
    }

    @Test(
        .tags(.rfc9112),
        arguments: [
            ("\r\n", .malformedChunkSize(offset: 0)),
            ("+5\r\nhello\r\n", .malformedChunkSize(offset: 0)),
            ("-5\r\nhello\r\n", .malformedChunkSize(offset: 0)),
            (" 5\r\nhello\r\n", .malformedChunkSize(offset: 0)),
            ("0x5\r\nhello\r\n", .malformedChunkSize(offset: 1)),
            ("5_0\r\nhello\r\n", .malformedChunkSize(offset: 1)),
            ("g\r\n", .malformedChunkSize(offset: 0)),
            (";a\r\n", .malformedChunkSize(offset: 0)),
            ("1\r\nx\r\n\r\n", .malformedChunkSize(offset: 6)),
            ("00000000000000001\r\nx\r\n", .malformedChunkSize(offset: 16)),
            ("8000000000000000\r\n", .chunkSizeOverflow(offset: 15)),
            ("ffffffffffffffff\r\n", .chunkSizeOverflow(offset: 15)),
            ("5 \r\nhello\r\n", .malformedChunkExtension(offset: 2)),
            ("5 5\r\nhello\r\n", .malformedChunkExtension(offset: 2)),
            ("5;\r\nhello\r\n", .malformedChunkExtension(offset: 2)),
            ("5 ;\t\r\nhello\r\n", .malformedChunkExtension(offset: 4)),
            ("5;;a\r\nhello\r\n", .malformedChunkExtension(offset: 2)),
            ("5;=b\r\nhello\r\n", .malformedChunkExtension(offset: 2)),
            ("5;\"a\"\r\nhello\r\n", .malformedChunkExtension(offset: 2)),
            ("5;a;\r\nhello\r\n", .malformedChunkExtension(offset: 4)),
            ("5;a \r\nhello\r\n", .malformedChunkExtension(offset: 4)),
            ("5;a b\r\nhello\r\n", .malformedChunkExtension(offset: 4)),
            ("5;a(\r\nhello\r\n", .malformedChunkExtension(offset: 3)),
            ("5;\u{e9}\r\nhello\r\n", .malformedChunkExtension(offset: 2)),
            ("5;a=\r\nhello\r\n", .malformedChunkExtension(offset: 4)),
            ("5;a=;b\r\nhello\r\n", .malformedChunkExtension(offset: 4)),
            ("5;a= \t\r\nhello\r\n", .malformedChunkExtension(offset: 6)),
            ("5;a==b\r\nhello\r\n", .malformedChunkExtension(offset: 4)),
            ("5;a=b=c\r\nhello\r\n", .malformedChunkExtension(offset: 5)),
            ("5;a=b\"c\"\r\nhello\r\n", .malformedChunkExtension(offset: 5)),
            ("5;a=b c\r\nhello\r\n", .malformedChunkExtension(offset: 6)),
            ("5;a=b \r\nhello\r\n", .malformedChunkExtension(offset: 6)),
            ("5;a=\"b\r\nhello\r\n", .malformedChunkExtension(offset: 6)),
            ("5;a=\"b\\\r\nhello\r\n", .malformedChunkExtension(offset: 7)),
            ("5;a=\"b\\\u{00}\"\r\nhello\r\n", .malformedChunkExtension(offset: 7)),
            ("5;a=\"b\u{7f}\"\r\nhello\r\n", .malformedChunkExtension(offset: 6)),
            ("5;a=\"b\"c\r\nhello\r\n", .malformedChunkExtension(offset: 7)),
            ("5;a=\"b\n\"\r\nhello\r\n", .malformedChunkExtension(offset: 6)),
            ("5\u{0b};a\r\nhello\r\n", .malformedChunkSize(offset: 1)),
            ("5;a\u{00}\r\nhello\r\n", .malformedChunkExtension(offset: 3)),
            ("5;a\nhello\r\n", .malformedChunkExtension(offset: 3)),
            ("5;a\rb\r\nhello\r\n", .malformedChunkEnd(offset: 4)),
            ("5\nhello\r\n", .malformedChunkEnd(offset: 1)),
            ("5\rhello\r\n", .malformedChunkEnd(offset: 2)),
            ("1\r\nxy\r\n", .malformedChunkEnd(offset: 4)),
            ("1\r\nx\n", .malformedChunkEnd(offset: 4)),
            ("1\r\nx\r\r", .malformedChunkEnd(offset: 5)),
            ("0\r\n\n", .bareLineFeed(offset: 0)),
            ("0\r\nA: b\n\r\n", .bareLineFeed(offset: 4)),
            ("0\r\nA : b\r\n\r\n", .spaceBeforeColon(offset: 1)),
            ("0\r\n A: b\r\n\r\n", .leadingWhitespace(offset: 0)),
            ("0\r\nA: b\r\n c\r\n\r\n", .foldedLine(offset: 6)),
        ] as [(String, WireError)]
    )
    func `malformed chunks are rejected with a specific error`(text: String, error: WireError) {
        for pieces in ByteSplits(text) {
            #expect(throws: error) { try decode(pieces) }
        }
    }

    @Test func `the largest chunk size is 2^63 - 1`() throws {
        var decoder = ChunkedDecoder()
        let step = try decoder.decode(Array("7fffffffffffffff\r\n".utf8).span)
        #expect(step == BodyStep(consumed: 18, event: .needMore))
        #expect(decoder.remainingInChunk == Int.max)
        decoder.recordDirectRead(Int.max)
        #expect(try decoder.decode(Array("\r\n0\r\n\r\n".utf8).span).event == .end(trailers: [:]))
    }

    @Test(arguments: [
        "7fffffffffffffff", "8000000", "7FFFFFFF", "80000000", "ffffffff", "100000000",
    ])
    func `content of an enormous chunk is delivered as it arrives`(size: String) throws {
        for pieces in ByteSplits("1\r\nx\r\n\(size)\r\n0123456789abcdef") {
            let result = try decode(pieces)
            #expect(result == Result(body: Array("x0123456789abcdef".utf8)))
        }
    }

    @Test(arguments: [(Int.min, false), (-1, false), (0, false), (Int.max, true)])
    func `chunk limits of any value are enforced and affect only the body`(
        limit: Int,
        isMet: Bool
    ) throws {
        let text = Array("1;a\r\nx\r\n0\r\nA: b\r\n\r\n".utf8)
        for field in [
            \WireLimits.chunkLineBytes, \.chunkExtensionBytes, \.trailerBytes, \.trailerCount,
        ] {
            var limits = WireLimits()
            limits[keyPath: field] = limit
            for pieces in ByteSplits(text) {
                do {
                    let result = try decode(pieces, limits: limits)
                    #expect(isMet && result.trailers == ["A": "b"])
                } catch let error as WireError {
                    #expect(!isMet && error.kind == .limit)
                }
            }
        }
    }

    @Test func `random bodies decode identically in every form and split`() {
        var random = Random()
        for _ in 0..<120 {
            var bytes: [UInt8] = []
            for _ in 0..<random.below(6) {
                let size = random.below(random.below(3) == 0 ? 300 : 20) + 1
                let zeros = String(
                    repeating: "0",
                    count: random.below(4) == 0 ? random.below(8) : 0
                )
                let addition = ["", "", "", ";a", " ;b=\"c\"", ";"][random.below(6)]
                let digits = String(size, radix: 16, uppercase: random.below(2) == 0)
                bytes += "\(zeros)\(digits)\(addition)\r\n".utf8
                bytes += (0..<size).map { _ in UInt8(random.below(256)) }
                bytes += [13, 10]
            }
            bytes += "0\r\n".utf8
            if random.below(2) == 0 { bytes += "A: b\r\nC:d\r\n".utf8 }
            bytes += "\r\nHTTP".utf8
            for _ in 0..<random.below(3) {
                let place = random.below(bytes.count)
                switch random.below(3) {
                case 0: bytes[place] = [13, 10, 48, 59, 32, 0, 255][random.below(7)]
                case 1: bytes.remove(at: place)
                default: bytes.insert([13, 10, 48, 102][random.below(4)], at: place)
                }
            }
            var outcomes: [Outcome] = []
            for most in [bytes.count, 1, 3, 50, 300] {
                var pieces: [[UInt8]] = []
                var start = 0
                while start < bytes.count {
                    let end = min(start + 1 + random.below(most), bytes.count)
                    pieces.append(
                        Array(bytes[start..<(most == bytes.count ? bytes.count : end)])
                    )
                    start += pieces[pieces.count - 1].count
                }
                do { outcomes.append(.read(try decode(pieces))) } catch {
                    outcomes.append(.refused(error as? WireError))
                }
            }
            if outcomes.contains(where: { $0 != outcomes[0] }) {
                Issue.record("\(bytes): \(outcomes)")
            }
        }
    }

    private enum Outcome: Equatable {
        case read(Result)
        case refused(WireError?)
    }

    /// A random number generator with the same numbers in every run.
    private struct Random {
        private var state: UInt64 = 11

        mutating func below(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return bound > 0 ? Int(state >> 33) % bound : 0
        }
    }

    @Test func `the fast path for short size lines agrees with the byte-by-byte path`() {
        var random: UInt64 = 7
        let digits = Array("0123456789abcdefABCDEF".utf8)
        for round in 0..<200_000 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // Hex digits of any length; then one of the eight bytes is replaced by a random one.
            let length = Int(random >> 60) % 8
            var bytes: [UInt8] = []
            for place in 0..<length {
                bytes.append(digits[Int(random >> (place * 5) & 0xffff) % 22])
            }
            bytes += [13, 10, UInt8(random >> 20 & 0xff), 65, 13, 10, 13, 10]
            bytes.removeSubrange(8...)
            if round % 4 != 0 { bytes[Int(random >> 40) % 8] = UInt8(random >> 50 & 0xff) }
            var word: UInt64 = 0
            for byte in bytes.reversed() { word = word << 8 | UInt64(byte) }
            let end = bytes.firstIndex(of: 13) ?? 8
            var expected = (size: UInt64(0), digits: 0)
            if 1...6 ~= end, bytes[end + 1] == 10,
                let size = UInt64(String(decoding: bytes[..<end], as: UTF8.self), radix: 16),
                bytes[..<end].allSatisfy({ digits.contains($0) })
            {
                expected = (size, end)
            }
            let result = HeadScanner.chunkSize(of: word)
            if result != expected { Issue.record("\(bytes): \(result), not \(expected)") }
        }
    }

    @Test func `a chunk line at its limit is accepted, with or without an extension`() throws {
        var limits = WireLimits()
        limits.chunkLineBytes = 4
        for pieces in ByteSplits("0001\r\nx\r\n0;ab\r\n\r\n") {
            #expect(try decode(pieces, limits: limits).body == Array("x".utf8))
        }
        for text in ["00001\r\nx\r\n0\r\n\r\n", "1;abc\r\nx\r\n0\r\n\r\n"] {
            for pieces in ByteSplits(text) {
                #expect(throws: WireError.limitExceeded(.chunkLineBytes(4))) {
                    try decode(pieces, limits: limits)
                }
            }
        }
    }

    @Test func `without output capacity a decoder reads up to content or the end`() throws {
        var decoder = ChunkedDecoder()
        let bytes = Array("1\r\nx\r\n0\r\n\r\n".utf8)
        var none: [UInt8] = []
        var batch = BodyBatch(consumed: 0, state: .needMore)
        try none.append(addingCapacity: 0) { output throws(WireError) in
            batch = try decoder.decode(bytes.span, into: &output)
        }
        #expect(batch == BodyBatch(consumed: 3, state: .outputFull))
        let content = Array(bytes[3...])
        let step = try decoder.decode(content.span)
        #expect(step == BodyStep(consumed: 1, event: .body(0..<1)))
        let end = Array(bytes[4...])
        try none.append(addingCapacity: 0) { output throws(WireError) in
            batch = try decoder.decode(end.span, into: &output)
        }
        #expect(batch == BodyBatch(consumed: 7, state: .end(trailers: [:])))
    }

    @Test func `chunk lines, extensions and trailers are limited`() throws {
        var limits = WireLimits()
        limits.chunkLineBytes = 8
        limits.chunkExtensionBytes = 10
        limits.trailerBytes = 10
        limits.trailerCount = 1
        for pieces in ByteSplits("1;234567\r\nx\r\n0\r\nA: bcd\r\n\r\n") {
            #expect(try decode(pieces, limits: limits).trailers == ["A": "bcd"])
        }
        let rows: [(String, ExceededLimit)] = [
            ("1;2345678\r\nx\r\n0\r\n\r\n", .chunkLineBytes(8)),
            ("1;23456\r\nx\r\n1;2345\r\nx\r\n0\r\n\r\n", .chunkExtensionBytes(10)),
            ("0\r\nA: bcde\r\n\r\n", .trailerBytes(10)),
            ("0\r\nA: bcdefghijklmn", .trailerBytes(10)),
            ("0\r\nA:\r\nB:\r\n\r\n", .trailerCount(1)),
        ]
        for (text, limit) in rows {
            for pieces in ByteSplits(text) {
                #expect(throws: WireError.limitExceeded(limit)) {
                    try decode(pieces, limits: limits)
                }
            }
        }
    }
}

import Support
import Testing
import Wire

@Suite struct ChunkedDecoderTests {
    struct Result: Equatable {
        var body: [UInt8] = []
        var trailers: HTTPHeaders?
        var rest: [UInt8]?
    }

    private func decode(_ pieces: [[UInt8]], limits: WireLimits = .default) throws -> Result {
        var decoder = ChunkedDecoder(limits: limits)
        var result = Result()
        result.rest = try ByteSplits.feed(pieces) { input in
            let step = try decoder.decode(input)
            switch step.event {
            case .needMore:
                return .init(consumed: step.consumed, next: .whenMore)
            case .body(let range):
                #expect(!range.isEmpty && range.upperBound <= step.consumed)
                for index in range { result.body.append(input[index]) }
                return .init(consumed: step.consumed, next: .again)
            case .end(let trailers):
                result.trailers = trailers
                return .init(consumed: step.consumed, next: .done)
            }
        }
        #expect(decoder.received == UInt64(result.body.count))
        return result
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
            ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n", [:]),
            ("1\r\nx\r\n0\r\nA: b\r\nC: d\r\n\r\n", "x", ["A": "b", "C": "d"]),
        ] as [(String, String, HTTPHeaders)]
    )
    func `chunks are taken apart in every cut`(
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
    func `malformed chunks are refused with their own error`(text: String, error: WireError) {
        for pieces in ByteSplits(text) {
            #expect(throws: error) { try decode(pieces) }
        }
    }

    @Test func `a size of 2^63 - 1 is the greatest`() throws {
        var decoder = ChunkedDecoder()
        let step = try decoder.decode(Array("7fffffffffffffff\r\n".utf8).span)
        #expect(step == BodyStep(consumed: 18, event: .needMore))
        #expect(decoder.remainingInChunk == UInt64(Int64.max))
        decoder.consumedDirectly(UInt64(Int64.max))
        #expect(try decoder.decode(Array("\r\n0\r\n\r\n".utf8).span).event == .end(trailers: [:]))
    }

    @Test func `lines, extensions and trailers are bounded`() throws {
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

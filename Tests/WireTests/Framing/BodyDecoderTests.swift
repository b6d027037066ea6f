import Testing
import Wire

@Suite struct BodyDecoderTests {
    @Test func `an absent body ends at once`() throws {
        var decoder = BodyDecoder(.noBody)
        #expect(decoder.remainingLength == 0)
        let step = try decoder.decode([1, 2].span)
        #expect(step == BodyStep(consumed: 0, event: .end(trailers: [:])))
        try decoder.finish()
    }

    @Test func `a body of known length leaves the bytes after it`() throws {
        var decoder = BodyDecoder(.length(3))
        let bytes: [UInt8] = [1, 2, 3, 4]
        #expect(try decoder.decode([UInt8]().span).event == .needMore)
        #expect(try decoder.decode(bytes.span) == BodyStep(consumed: 3, event: .body(0..<3)))
        #expect(
            try decoder.decode(bytes.span) == BodyStep(consumed: 0, event: .end(trailers: [:]))
        )
        #expect(decoder.received == 3)
    }

    @Test func `a body until close ends when finished`() throws {
        var decoder = BodyDecoder(.untilClose)
        #expect(decoder.remainingLength == nil)
        #expect(try decoder.decode([7].span) == BodyStep(consumed: 1, event: .body(0..<1)))
        try decoder.finish()
        #expect(try decoder.decode([UInt8]().span).event == .end(trailers: [:]))
    }

    @Test func `reading more bytes directly than remain is reported`() {
        var decoder = BodyDecoder(.length(3))
        let fits = decoder.recordDirectRead(2)
        let fitsAgain = decoder.recordDirectRead(2)
        #expect(fits)
        #expect(!fitsAgain)
        #expect(decoder.received == 3)
    }

    @Test func `byte counts beyond the largest integer do not overflow`() throws {
        var decoder = BodyDecoder(.untilClose)
        decoder.recordDirectRead(.max)
        decoder.recordDirectRead(.max)
        #expect(try decoder.decode([1, 2].span).consumed == 2)
        #expect(decoder.received == .max)
        var chunks = ChunkedDecoder()
        let chunk = Array("7fffffffffffffff\r\n".utf8)
        let end = Array("\r\n".utf8)
        for _ in 0..<3 {
            _ = try chunks.decode(chunk.span)
            chunks.recordDirectRead(Int.max)
            _ = try chunks.decode(end.span)
        }
        #expect(chunks.received == .max)
    }

    @Test(arguments: [BodyFraming.noBody, .chunked])
    func `bytes can be read directly only from a body that is not chunked`(framing: BodyFraming) {
        var decoder = BodyDecoder(framing)
        let (nothing, something) = (decoder.recordDirectRead(0), decoder.recordDirectRead(1))
        #expect(nothing && !something)
    }

    static let bodies: [(BodyFraming, String, String, BodyBatch.State)] = [
        (.noBody, "ab", "", .end(trailers: [:])),
        (.length(0), "ab", "", .end(trailers: [:])),
        (.length(3), "abcd", "abc", .end(trailers: [:])),
        (.length(4), "abc", "abc", .needMore),
        (.untilClose, "abc", "abc", .needMore),
        (.chunked, "1\r\na\r\n2\r\nbc\r\n0\r\nA: b\r\n\r\nHTTP", "abc", .end(trailers: ["A": "b"])),
        (.chunked, "1\r\na\r\n2\r\nb", "ab", .needMore),
    ]

    @Test(arguments: bodies, [1, 2, 100])
    func `ranges and copies give the same result under every framing`(
        row: (framing: BodyFraming, text: String, body: String, state: BodyBatch.State),
        room: Int
    ) throws {
        let bytes = Array(row.text.utf8)
        for isCopy in [true, false] {
            var decoder = BodyDecoder(row.framing)
            var body: [UInt8] = []
            var start = 0
            var batch = BodyBatch(consumed: 0, state: .outputFull)
            while batch.state == .outputFull {
                let input = bytes.span.extracting(start..<bytes.count)
                if isCopy {
                    try body.append(addingCapacity: room) { output throws(WireError) in
                        batch = try decoder.decode(input, into: &output)
                    }
                } else {
                    var ranges: [Range<Int>] = []
                    try ranges.append(addingCapacity: room) { output throws(WireError) in
                        batch = try decoder.decode(input, into: &output)
                    }
                    for range in ranges { for index in range { body.append(input[index]) } }
                }
                start += batch.consumed
            }
            #expect(batch.state == row.state)
            #expect(body == Array(row.body.utf8))
            #expect(decoder.received == body.count)
            if case .end = row.state { try decoder.finish() }
        }
    }
}

import Testing
import Wire

@Suite struct BodyDecoderTests {
    @Test func `no body ends at once`() throws {
        var decoder = BodyDecoder(.none)
        #expect(decoder.remainingLength == 0)
        let step = try decoder.decode([1, 2].span)
        #expect(step == BodyStep(consumed: 0, event: .end(trailers: [:])))
        try decoder.finish()
    }

    @Test func `a body of known length leaves what follows`() throws {
        var decoder = BodyDecoder(.length(3))
        let bytes: [UInt8] = [1, 2, 3, 4]
        #expect(try decoder.decode([UInt8]().span).event == .needMore)
        #expect(try decoder.decode(bytes.span) == BodyStep(consumed: 3, event: .body(0..<3)))
        #expect(
            try decoder.decode(bytes.span) == BodyStep(consumed: 0, event: .end(trailers: [:]))
        )
        #expect(decoder.received == 3)
    }

    @Test func `a body until close ends when told`() throws {
        var decoder = BodyDecoder(.untilClose)
        #expect(decoder.remainingLength == nil)
        #expect(try decoder.decode([7].span) == BodyStep(consumed: 1, event: .body(0..<1)))
        try decoder.finish()
        #expect(try decoder.decode([UInt8]().span).event == .end(trailers: [:]))
    }

    @Test func `more read elsewhere than was due is told`() {
        var decoder = BodyDecoder(.length(3))
        let fits = decoder.consumedDirectly(2)
        let fitsAgain = decoder.consumedDirectly(2)
        #expect(fits)
        #expect(!fitsAgain)
        #expect(decoder.received == 3)
    }

    @Test func `counts that nobody can reach do not overflow`() throws {
        var decoder = BodyDecoder(.untilClose)
        decoder.consumedDirectly(.max)
        decoder.consumedDirectly(.max)
        #expect(try decoder.decode([1, 2].span).consumed == 2)
        #expect(decoder.received == .max)
        var chunks = ChunkedDecoder()
        let chunk = Array("7fffffffffffffff\r\n".utf8)
        let end = Array("\r\n".utf8)
        for _ in 0..<3 {
            _ = try chunks.decode(chunk.span)
            chunks.consumedDirectly(UInt64(Int64.max))
            _ = try chunks.decode(end.span)
        }
        #expect(chunks.received == .max)
    }

    @Test(arguments: [BodyFraming.none, .chunked])
    func `only a body without chunks is read elsewhere`(framing: BodyFraming) {
        var decoder = BodyDecoder(framing)
        let (nothing, something) = (decoder.consumedDirectly(0), decoder.consumedDirectly(1))
        #expect(nothing && !something)
    }
}

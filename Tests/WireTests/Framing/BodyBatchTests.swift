import Testing
import Wire

@Suite struct BodyBatchTests {
    private static let bytes = Array("1\r\na\r\n0\r\nX-Sum: 1\r\n\r\nnext".utf8)

    @Test func `after the end every decoding call returns the end again, without trailers`()
        throws
    {
        var chunks = ChunkedDecoder()
        var ranges: [Range<Int>] = []
        var batch = BodyBatch(consumed: 0, state: .needMore)
        try ranges.append(addingCapacity: 4) { output in
            batch = try chunks.decode(Self.bytes.span, into: &output)
        }
        #expect(ranges == [3..<4])
        #expect(batch == BodyBatch(consumed: 21, state: .end(trailers: ["X-Sum": "1"])))
        let rest = Array(Self.bytes[batch.consumed...])
        let end = BodyBatch(consumed: 0, state: .end(trailers: [:]))
        try ranges.append(addingCapacity: 4) { output in
            batch = try chunks.decode(rest.span, into: &output)
        }
        #expect(batch == end)
        var content: [UInt8] = []
        try content.append(addingCapacity: 4) { output in
            batch = try chunks.decode(rest.span, into: &output)
        }
        #expect(batch == end && content.isEmpty && ranges.count == 1)
        #expect(try chunks.decode(rest.span) == BodyStep(consumed: 0, event: .end(trailers: [:])))
    }
}

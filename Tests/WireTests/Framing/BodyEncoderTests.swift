import Testing
import Wire

@Suite struct BodyEncoderTests {
    private func encode(
        _ framing: BodyFraming,
        _ pieces: [String],
        trailers: HTTPHeaders = [:]
    ) throws -> String {
        var encoder = BodyEncoder(framing)
        var output: [UInt8] = []
        for piece in pieces {
            try encoder.begin(piece.utf8.count, into: &output)
            output += Array(piece.utf8)
            encoder.end(into: &output)
        }
        try encoder.finish(trailers: trailers, into: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test func `pieces are framed as declared`() throws {
        #expect(try encode(.noBody, []) == "")
        #expect(try encode(.length(5), ["he", "", "llo"]) == "hello")
        #expect(try encode(.untilClose, ["a", "b"]) == "ab")
        #expect(
            try encode(.chunked, ["hello", "", String(repeating: "x", count: 17)])
                == "5\r\nhello\r\n11\r\nxxxxxxxxxxxxxxxxx\r\n0\r\n\r\n"
        )
        #expect(try encode(.chunked, [], trailers: ["A": "b"]) == "0\r\nA: b\r\n\r\n")
    }

    @Test func `an empty piece neither ends the body nor writes a line ending`() throws {
        #expect(
            try encode(.chunked, ["", "a", "", "", "b", ""]) == "1\r\na\r\n1\r\nb\r\n0\r\n\r\n"
        )
        var encoder = BodyEncoder(.chunked)
        var output: [UInt8] = []
        encoder.end(into: &output)
        try encoder.begin(-1, into: &output)
        encoder.end(into: &output)
        #expect(output.isEmpty && encoder.sent == 0)
    }

    @Test func `a body that does not match its declared framing is rejected`() {
        #expect(throws: WireError.bodyTooLong(declared: 0)) { try encode(.noBody, ["a"]) }
        #expect(throws: WireError.bodyTooLong(declared: 2)) { try encode(.length(2), ["a", "bc"]) }
        #expect(throws: WireError.bodyTooShort(declared: 2, sent: 1)) {
            try encode(.length(2), ["a"])
        }
        #expect(throws: WireError.trailersWithoutChunks) {
            try encode(.length(0), [], trailers: ["A": "b"])
        }
        #expect(throws: WireError.invalidFieldValue(index: 0)) {
            try encode(.chunked, [], trailers: ["A": "b\r\n"])
        }
    }

    @Test func `whole chunks are encoded with their size and the last chunk`() throws {
        var output: [UInt8] = []
        ChunkedEncoder.encode([UInt8]().span, into: &output)
        #expect(output.isEmpty)
        ChunkedEncoder.encode(Array("hello".utf8).span, into: &output)
        try ChunkedEncoder.encodeEnd(into: &output)
        #expect(output == Array("5\r\nhello\r\n0\r\n\r\n".utf8))
    }
}

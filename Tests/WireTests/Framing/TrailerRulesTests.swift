import Support
import Testing
import Wire

@Suite struct TrailerRulesTests {
    private func decode(_ pieces: [[UInt8]]) throws -> HTTPHeaders? {
        var decoder = ChunkedDecoder()
        var trailers: HTTPHeaders?
        _ = try ByteSplits.feed(pieces) { input in
            let step = try decoder.decode(input)
            switch step.event {
            case .needMore: return .init(consumed: step.consumed, next: .whenMore)
            case .body: return .init(consumed: step.consumed, next: .again)
            case .end(let fields):
                trailers = fields
                return .init(consumed: step.consumed, next: .done)
            }
        }
        return trailers
    }

    @Test(.tags(.rfc9110), arguments: TrailerRules.forbidden)
    func `§6.5.1: a field that must be known before the content is no trailer`(
        name: FieldName
    ) throws {
        let text = "1\r\nx\r\n0\r\nA: b\r\n\(name.rawName.uppercased()): 1\r\nC: d\r\n\r\n"
        for pieces in ByteSplits(text) {
            #expect(throws: WireError.forbiddenTrailer(offset: 6)) { try decode(pieces) }
        }
        var output: [UInt8] = [1]
        #expect(throws: WireError.invalidTrailer(index: 1)) {
            try ChunkedEncoder.encodeEnd(trailers: ["A": "b", name: "1"], into: &output)
        }
        #expect(output == [1])
        #expect(WireError.forbiddenTrailer(offset: 6).kind == .head)
        #expect(WireError.invalidTrailer(index: 1).kind == .outgoing)
    }

    @Test(
        .tags(.rfc9110),
        arguments: [
            "ETag", "Date", "Accept-Ranges", "Server-Timing", "Authentication-Info", "Hosts",
        ]
    )
    func `§6.5.1: any other field is`(name: FieldName) throws {
        let trailers: HTTPHeaders = [name: "1"]
        var output: [UInt8] = []
        try ChunkedEncoder.encodeEnd(trailers: trailers, into: &output)
        #expect(output == Array("0\r\n\(name.rawName): 1\r\n\r\n".utf8))
        for pieces in ByteSplits(output) {
            #expect(try decode(pieces) == trailers)
        }
    }
}

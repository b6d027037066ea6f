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
    func `§6.5.1: a field forbidden in trailers is delivered and never sent`(
        name: FieldName
    ) throws {
        let text = "1\r\nx\r\n0\r\nA: b\r\n\(name.rawName.uppercased()): 1\r\nC: d\r\n\r\n"
        for pieces in ByteSplits(text) {
            #expect(try decode(pieces) == ["A": "b", name: "1", "C": "d"])
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
    func `§6.5.1: any other field is delivered and sent as a trailer`(name: FieldName) throws {
        let trailers: HTTPHeaders = [name: "1"]
        var output: [UInt8] = []
        try ChunkedEncoder.encodeEnd(trailers: trailers, into: &output)
        #expect(output == Array("0\r\n\(name.rawName): 1\r\n\r\n".utf8))
        for pieces in ByteSplits(output) {
            #expect(try decode(pieces) == trailers)
        }
    }

    /// Decodes at a strictness level that tolerates deviations.
    private func read(
        _ pieces: [[UInt8]],
        _ level: Strictness
    ) throws -> ([Diagnostic], HTTPHeaders?) {
        var decoder = ChunkedDecoder(strictness: level)
        var trailers: HTTPHeaders?
        _ = try ByteSplits.feed(pieces) { input in
            let step = try decoder.decode(input)
            if case .end(let fields) = step.event { trailers = fields }
            return .init(consumed: step.consumed, next: trailers == nil ? .whenMore : .done)
        }
        return (decoder.diagnostics, trailers)
    }

    @Test(.tags(.rfc9110), arguments: TrailerRules.forbidden)
    func `§6.5.1: forensic reports a forbidden trailer, and it is never sent`(
        name: FieldName
    ) throws {
        let text = Array("0\r\nA: b\r\n\(name.rawName): 1\r\n\r\n".utf8)
        let range = 9..<9 + name.rawName.utf8.count
        for level in Strictness.allCases {
            for pieces in ByteSplits(text) {
                let (diagnostics, trailers) = try read(pieces, level)
                let notes = [Diagnostic(.forbiddenTrailer, at: range)]
                #expect(diagnostics == (level == .forensic ? notes : []))
                #expect(trailers == ["A": "b", name: "1"])
                var output: [UInt8] = []
                #expect(throws: WireError.invalidTrailer(index: 1)) {
                    try ChunkedEncoder.encodeEnd(trailers: trailers ?? [:], into: &output)
                }
                #expect(output.isEmpty)
            }
        }
    }

    @Test(.tags(.rfc9110), arguments: TrailerRules.forbidden)
    func `§6.5.1: a server rejects a forbidden trailer in a request`(name: FieldName) throws {
        let text =
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "0\r\nA: b\r\n\(name.rawName): 1\r\n\r\n"
        let isFraming = name == .contentLength || name == .transferEncoding
        for level in Strictness.allCases {
            var server = ServerExchange(strictness: level)
            let bytes = Array(text.utf8)
            let head = try server.receive(bytes.span)
            let rest = Array(bytes[head.consumed...])
            if level == .strict || level == .lenient && isFraming {
                #expect(throws: WireError.forbiddenTrailer(offset: 6)) {
                    try server.receive(rest.span)
                }
            } else {
                _ = try server.receive(rest.span)
            }
        }
    }

    @Test func `a server rejects a framing field after another forbidden trailer`() throws {
        let text =
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "0\r\nAge: 1\r\nContent-Length: 1\r\n\r\n"
        var server = ServerExchange(strictness: .lenient)
        let bytes = Array(text.utf8)
        let head = try server.receive(bytes.span)
        let rest = Array(bytes[head.consumed...])
        #expect(throws: WireError.forbiddenTrailer(offset: 8)) { try server.receive(rest.span) }
    }

    @Test func `malformed trailers are rejected by strict and lenient`() throws {
        let text = "0\r\nHost: a\r\nContent-Length : 1\r\nTRANSFER-encoding: b\r\n\r\n"
        for pieces in ByteSplits(text) {
            for level in [Strictness.strict, .lenient] {
                #expect(throws: WireError.spaceBeforeColon(offset: 23)) { try read(pieces, level) }
            }
            let (notes, _) = try read(pieces, .forensic)
            #expect(notes.count { $0.code == .forbiddenTrailer } == 3)
        }
    }
}

import Support
import Testing
import Wire
import WireForensics

/// Compares heads decoded in place in a buffer with heads decoded from a span, at each level.
@Suite struct TolerantBufferTests {
    @Test(arguments: LenientHeadTests.tolerated + ForensicHeadTests.kept)
    func `a head in a buffer is read like one in a span, for every split`(
        row: LenientHeadTests.Row
    ) throws {
        for level in Strictness.allCases {
            let whole = DecodedHead(row.text, row.role, level)
            for pieces in ByteSplits("GET / HTTP/1.1\r\n\r\n" + row.text) where row.role == .request
            {
                var decoder = RequestHeadDecoder(strictness: level)
                var buffer = InputBuffer()
                var heads: [RequestHead] = []
                var error: WireError?
                do throws(WireError) {
                    for piece in pieces {
                        buffer.append(piece.span)
                        while let step = try step(&decoder, &buffer) { heads.append(step) }
                    }
                } catch let thrown {
                    error = thrown
                }
                #expect(error == whole.error)
                #expect(heads.dropFirst().first == whole.request)
                #expect(decoder.diagnostics == whole.diagnostics)
                #expect(error != nil || decoder.rawHead == whole.raw)
            }
            for pieces in ByteSplits("HTTP/1.1 200 OK\r\n\r\n" + row.text)
            where row.role == .response {
                var decoder = ResponseHeadDecoder(strictness: level)
                var buffer = InputBuffer()
                var heads: [ResponseHead] = []
                var error: WireError?
                do throws(WireError) {
                    for piece in pieces {
                        buffer.append(piece.span)
                        while let step = try step(&decoder, &buffer) { heads.append(step) }
                    }
                } catch let thrown {
                    error = thrown
                }
                #expect(error == whole.error)
                #expect(heads.dropFirst().first == whole.response)
                #expect(decoder.diagnostics == whole.diagnostics)
                #expect(error != nil || decoder.rawHead == whole.raw)
            }
        }
    }

    @Test func `diagnostic offsets of framing fields count from the start of the head`() throws {
        var buffer = InputBuffer()
        buffer.append(
            Array("GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\ncontent-length: x\r\n\r\n".utf8).span
        )
        var decoder = RequestHeadDecoder(strictness: .forensic)
        let first = try step(&decoder, &buffer)
        let second = try #require(try step(&decoder, &buffer))
        #expect(first?.headers.isEmpty == true)
        let analysis = FramingAnalysis.ofRequest(version: .http11, headers: second.headers)
        #expect(analysis.diagnostics == [Diagnostic(.malformedContentLength, at: 32..<33)])
    }

    private func step(
        _ decoder: inout RequestHeadDecoder,
        _ buffer: inout InputBuffer
    ) throws(WireError) -> RequestHead? {
        let step = try decoder.decode(in: &buffer)
        buffer.consume(step.consumed)
        return step.head
    }

    private func step(
        _ decoder: inout ResponseHeadDecoder,
        _ buffer: inout InputBuffer
    ) throws(WireError) -> ResponseHead? {
        let step = try decoder.decode(in: &buffer)
        buffer.consume(step.consumed)
        return step.head
    }
}

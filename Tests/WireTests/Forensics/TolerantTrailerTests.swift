import Testing
import Wire

@Suite(.tags(.rfc9110)) struct TolerantTrailerTests {
    private static let bytes = Array(
        "0\r\nHost: a\r\nX-Sum: 1\r\ncontent-length: 5\r\nExpires: 0\r\n\r\n".utf8
    )

    @Test func `§6.5.1: forensic reports and delivers each forbidden trailer`()
        throws
    {
        var decoder = BodyDecoder(.chunked, strictness: .forensic)
        let step = try decoder.decode(Self.bytes.span)
        guard case .end(let trailers) = step.event else {
            Issue.record("\(step)")
            return
        }
        #expect(
            trailers.map(\.description) == [
                "Host: a", "X-Sum: 1", "content-length: 5", "Expires: 0",
            ]
        )
        #expect(
            decoder.diagnostics.map(\.code) == [
                .forbiddenTrailer, .forbiddenTrailer, .forbiddenTrailer,
            ]
        )
        #expect(decoder.diagnostics.map(\.offset) == [3, 22, 41])
    }

    @Test(arguments: [Strictness.strict, .lenient])
    func `§6.5.1: strict and lenient deliver forbidden trailers without diagnostics`(
        level: Strictness
    ) throws {
        var decoder = BodyDecoder(.chunked, strictness: level)
        let step = try decoder.decode(Self.bytes.span)
        guard case .end(let trailers) = step.event else {
            Issue.record("\(step)")
            return
        }
        #expect(trailers.map(\.name) == ["Host", "X-Sum", "content-length", "Expires"])
        #expect(decoder.diagnostics.isEmpty)
    }
}

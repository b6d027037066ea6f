import Testing
import Wire

@Suite(.tags(.rfc9112)) struct ForensicMethodTests {
    @Test func `§3.1: each byte of a Latin-1 method is kept as a character`() throws {
        let bytes = [0x47, 0xe9, 0x54] + Array(" / HTTP/1.1\r\n\r\n".utf8)
        var decoder = RequestHeadDecoder(strictness: .forensic)
        let head = try #require(try decoder.decode(bytes.span).head)
        #expect(head.method.rawValue == "G\u{e9}T")
        #expect(!decoder.diagnostics.isEmpty)
        var strict = RequestHeadDecoder()
        #expect(throws: WireError.self) { try strict.decode(bytes.span) }
    }
}

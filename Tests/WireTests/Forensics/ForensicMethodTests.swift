import Testing
import Wire

@Suite(.tags(.rfc9112)) struct ForensicMethodTests {
    @Test func `3_1 a method in Latin-1 keeps each of its bytes as a character`() throws {
        let bytes = [0x47, 0xe9, 0x54] + Array(" / HTTP/1.1\r\n\r\n".utf8)
        var decoder = RequestHeadDecoder(strictness: .forensic)
        let head = try #require(try decoder.decode(bytes.span).head)
        #expect(head.method.rawValue == "G\u{e9}T")
        #expect(!decoder.diagnostics.isEmpty)
        var strict = RequestHeadDecoder()
        #expect(throws: WireError.self) { try strict.decode(bytes.span) }
    }
}

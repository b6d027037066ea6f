import Testing
import Wire

@Suite struct UncheckedWriterTests {
    @Test func `a head is written as it is told`() {
        var writer = UncheckedWriter()
        writer.requestLine("G T", "/a b", "HTTP/9", separator: "\t", end: .lineFeed)
        writer.field("content-LENGTH", "1")
        writer.field("Content-Length", "2", separator: " :", end: .carriageReturn)
        writer.field([0xff], [0x00], end: .omitted)
        writer.line(" folded\u{00}")
        writer.line([0xfe], end: .omitted)
        writer.end()
        #expect(
            writer.octets == Array("G T\t/a b\tHTTP/9\ncontent-LENGTH: 1\r\n".utf8)
                + Array("Content-Length :2\r".utf8) + [0xff, 0x3a, 0x20, 0x00]
                + Array(" folded\u{00}\r\n".utf8) + [0xfe, 0x0d, 0x0a]
        )
        writer.removeAll()
        writer.statusLine("99", "no\rne")
        writer.append([0x01])
        #expect(writer.octets == Array("HTTP/1.1 99 no\rne\r\n\u{01}".utf8))
    }

    @Test func `chunks are written as they are told`() {
        var writer = UncheckedWriter()
        writer.chunk(Array("0123456789abcdef".utf8))
        writer.chunk([0x78], sizeLine: "+5;a", sizeEnd: .lineFeed, end: .omitted)
        writer.lastChunk(sizeLine: "-0")
        writer.field("A", "b")
        writer.end()
        #expect(
            writer.octets
                == Array("10\r\n0123456789abcdef\r\n+5;a\nx-0\r\nA: b\r\n\r\n".utf8)
        )
    }
}

import Testing
import Wire
import WireForensics

@Suite struct UncheckedWriterTests {
    @Test func `a head is written exactly as given`() {
        var writer = UncheckedWriter()
        writer.appendRequestLine("G T", "/a b", "HTTP/9", separator: "\t", end: .lineFeed)
        writer.appendField("content-LENGTH", "1")
        writer.appendField("Content-Length", "2", separator: " :", end: .carriageReturn)
        writer.appendField([0xff], [0x00], end: .omitted)
        writer.appendLine(" folded\u{00}")
        writer.appendLine([0xfe], end: .omitted)
        writer.appendLineEnd()
        #expect(
            writer.bytes == Array("G T\t/a b\tHTTP/9\ncontent-LENGTH: 1\r\n".utf8)
                + Array("Content-Length :2\r".utf8) + [0xff, 0x3a, 0x20, 0x00]
                + Array(" folded\u{00}\r\n".utf8) + [0xfe, 0x0d, 0x0a]
        )
        writer.removeAll()
        writer.appendStatusLine("99", "no\rne")
        writer.append([0x01])
        #expect(writer.bytes == Array("HTTP/1.1 99 no\rne\r\n\u{01}".utf8))
    }

    @Test func `chunks are written exactly as given`() {
        var writer = UncheckedWriter()
        writer.appendChunk(Array("0123456789abcdef".utf8))
        writer.appendChunk([0x78], sizeLine: "+5;a", sizeEnd: .lineFeed, end: .omitted)
        writer.appendLastChunk(sizeLine: "-0")
        writer.appendField("A", "b")
        writer.appendLineEnd()
        #expect(
            writer.bytes
                == Array("10\r\n0123456789abcdef\r\n+5;a\nx-0\r\nA: b\r\n\r\n".utf8)
        )
    }
}

import Testing
import Wire

@Suite struct RawHeadTests {
    @Test func `every part of a head has its byte range`() throws {
        let text = "\r\nGET / HTTP/1.1\nA \t:  b \r\n\tc\r\nxyz\r\nD:\r\n\r\n"
        let head = RawHead(Array(text.utf8))
        #expect(head.lines.map(\.kind) == [.empty, .start, .field, .fold, .other, .field, .empty])
        let start = try #require(head.startLine)
        #expect(start.content == 2..<16)
        #expect(start.end == 16..<17)
        #expect(head.text(in: start.content) == "GET / HTTP/1.1")
        let field = try #require(head.fields.first)
        #expect(field.range == 17..<27)
        #expect(field.name == 17..<18)
        #expect(head.text(in: field.value) == "b")
        #expect(head.bytes(in: field.end) == [0x0d, 0x0a])
        #expect(head.text(in: head.lines[3].value) == "c")
        #expect(head.lines[4].name.isEmpty && head.lines[4].value.isEmpty)
        #expect(head.fields.count == 2)
        #expect(head.fields[1].value.isEmpty)
    }

    @Test func `arbitrary bytes are split into lines`() {
        #expect(RawHead([]).lines.isEmpty)
        #expect(RawHead([]).startLine == nil)
        let head = RawHead([0x20, 0xff, 0x00])
        #expect(head.lines.map(\.kind) == [.start])
        #expect(head.lines[0].end.isEmpty)
        #expect(head.text(in: 1..<2) == "\u{ff}")
        let folded = RawHead(Array("s\n a\n b: c\nd\r".utf8))
        #expect(folded.lines.map(\.kind) == [.start, .other, .other, .other])
        #expect(folded.lines[3].content == 11..<13)
    }
}

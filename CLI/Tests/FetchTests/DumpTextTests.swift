import Testing
import fetch

@Suite struct DumpTextTests {
    @Test func `a hexadecimal dump has 16 bytes per line`() {
        let text = DumpText.block(
            "=> Send data",
            Array("0123456789abcdef\r\n\u{E9}".utf8),
            .hexadecimal
        )
        #expect(
            text == """
                => Send data, 20 bytes (0x14)
                0000: 30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66 0123456789abcdef
                0010: 0d 0a c3 a9                                     ....

                """
        )
    }

    @Test func `a text dump starts a line after CRLF and after 64 bytes`() {
        let wide = String(repeating: "x", count: 64)
        let bytes = Array("GET /\r\nA: b\r\n\r\n\(wide)\r\n\(wide)yz\n".utf8)
        #expect(
            DumpText.block("=> Send header", bytes, .text) == """
                => Send header, 148 bytes (0x94)
                0000: GET /
                0007: A: b
                000d: 
                000f: \(wide)
                0051: \(wide)
                0091: yz.

                """
        )
    }

    @Test func `a dump block without bytes is only its title`() {
        #expect(DumpText.block("<= Recv data", [], .text) == "<= Recv data, 0 bytes (0x0)\n")
    }

    @Test func `a head is split after each LF`() {
        let head = "HTTP/1.1 200 OK\r\nA: b\n\r\nrest"
        let lines = DumpText.lines(of: Array(head.utf8)).map { String(decoding: $0, as: UTF8.self) }
        #expect(lines == ["HTTP/1.1 200 OK\r\n", "A: b\n", "\r\n", "rest"])
    }
}

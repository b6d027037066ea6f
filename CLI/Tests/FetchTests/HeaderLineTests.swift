import Testing
import fetch

@Suite struct HeaderLineTests {
    @Test(
        arguments: [
            ("A: b", .field(name: "A", value: Array("b".utf8))),
            ("A:b:c;", .field(name: "A", value: Array("b:c;".utf8))),
            ("A : b", .field(name: "A", value: Array("b".utf8))),
            ("A;", .field(name: "A", value: [])),
            ("A; \t", .field(name: "A", value: [])),
            ("A:", .removal(name: "A")),
            ("A: \t", .removal(name: "A")),
            ("A", nil),
            ("A; b", nil),
            ("", nil),
        ] as [(String, HeaderLine?)]
    )
    func `a header line is a field, an empty field, a removal or invalid`(
        line: String,
        expected: HeaderLine?
    ) throws {
        #expect(try HeaderLine.parse(Array(line.utf8)) == expected)
    }

    @Test(arguments: ["A: b\r\nEvil: 1", "A: b\n", "A\r: b", "A: \0", "A\n;", "\nA"])
    func `a header line with CR, LF or NUL is rejected`(line: String) {
        #expect(throws: FetchError.usage("a header must not contain CR, LF or NUL")) {
            try HeaderLine.parse(Array(line.utf8))
        }
    }

    @Test func `non-ASCII bytes in a header value are kept`() throws {
        let line = Array("A: ".utf8) + [0xE9]
        #expect(try HeaderLine.parse(line) == .field(name: "A", value: [0xE9]))
    }
}

import Testing
import fetch

@Suite struct RequestDataTests {
    private func joined(
        _ pieces: [(RequestData.Form, String)],
        file: String = ""
    ) throws -> RequestData? {
        let positioned = pieces.enumerated().map { position, piece in
            (piece.0, PositionedArgument(position: position, bytes: Array(piece.1.utf8)))
        }
        return try RequestData.join(positioned.reversed()) { _ in Array(file.utf8) }
    }

    @Test(
        arguments: [
            ([(.text, "a"), (.raw, "b"), (.binary, "c")], "a&b&c"),
            ([(.text, "@f"), (.raw, "@f")], "xy&@f"),
            ([(.binary, "@f")], "x\r\n\0y"),
            ([(.json, "{"), (.json, "}")], "{}"),
            ([(.encoded, "a b&c"), (.encoded, "=d=e~")], "a+b%26c&d%3De~"),
            ([(.encoded, "n=ü@")], "n=%C3%BC%40"),
            ([(.encoded, "n@f"), (.encoded, "@f")], "n=x%0D%0A%00y&x%0D%0A%00y"),
            ([(.text, "")], ""),
            ([(.text, ""), (.text, "")], "&"),
        ] as [([(RequestData.Form, String)], String)]
    )
    func `data values are joined in the order of the command line`(
        pieces: [(RequestData.Form, String)],
        expected: String
    ) throws {
        let data = try #require(try joined(pieces, file: "x\r\n\0y"))
        #expect(data.bytes == Array(expected.utf8))
        #expect(data.isJSON == pieces.contains { $0.0 == .json })
    }

    @Test func `a request without data values has no data`() throws {
        #expect(try joined([]) == nil)
    }

    @Test func `an unreadable data file is an error`() {
        let failure = FetchError(.readFailed, "no")
        #expect(throws: failure) {
            try RequestData.join([(.text, PositionedArgument(position: 0, bytes: [0x40]))]) {
                (_: String) throws(FetchError) in throw failure
            }
        }
    }
}

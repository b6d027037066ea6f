import Support
import Testing
import Wire

@Suite struct LineDecoderTests {
    /// Decodes lines from pieces, and returns them with the error that ended them.
    private func decode(
        _ pieces: [[UInt8]],
        maxLength: Int = 100
    ) throws -> (lines: [String], error: HTTPRecordError?) {
        var decoder = LineDecoder(maxLength: maxLength)
        var lines: [String] = []
        var rest: [UInt8] = []
        do {
            _ = try ByteSplits.feed(pieces) { bytes in
                let step = try decoder.decode(bytes)
                rest = [UInt8](copying: bytes)
                guard let line = step.line else { return .init(consumed: 0, next: .whenMore) }
                lines.append(String(decoding: rest[line], as: UTF8.self))
                rest.removeFirst(step.consumed)
                return .init(consumed: step.consumed, next: .again)
            }
            if let last = try decoder.finish(rest.span) {
                lines.append(String(decoding: rest[last], as: UTF8.self))
            }
        } catch let error as HTTPRecordError {
            return (lines, error)
        }
        return (lines, nil)
    }

    @Test(
        arguments: [
            ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\r\n", ["a"]), ("a\nb", ["a", "b"]),
            ("a\r\nb\r\n", ["a", "b"]), ("\n", [""]), ("\r\n", [""]), ("\n\r\n\n", ["", "", ""]),
            ("a\rb\n", ["a\rb"]), ("a\r", ["a\r"]), ("\r", ["\r"]), ("a\r\r\n", ["a\r"]),
            ("a\n\rb", ["a", "\rb"]), ("\r\r", ["\r\r"]), ("a\u{0}b\nc", ["a\u{0}b", "c"]),
            (
                "a line of more than sixteen bytes\r\nand another one of this kind\n",
                ["a line of more than sixteen bytes", "and another one of this kind"]
            ),
        ] as [(String, [String])]
    )
    func `lines are the same however the bytes are split`(text: String, lines: [String]) throws {
        for pieces in ByteSplits(text) {
            let result = try decode(pieces)
            #expect(result.lines == lines && result.error == nil, "\(pieces)")
        }
    }

    @Test(
        arguments: [
            ("aaaa\n", ["aaaa"], false), ("aaaa\r\n", ["aaaa"], false), ("aaaa", ["aaaa"], false),
            ("aaaaa\n", [], true), ("aaaaa", [], true), ("aaaa\r", [], true),
            ("aaaa\rb\n", [], true), ("b\naaaaa", ["b"], true), ("aaa\r\r\n", ["aaa\r"], false),
            ("aaaa\r\r\n", [], true), ("\naaaa\naaaaaaaa", ["", "aaaa"], true),
        ] as [(String, [String], Bool)]
    )
    func `a line above the limit throws after the lines before it`(
        text: String,
        lines: [String],
        isTooLong: Bool
    ) throws {
        for pieces in ByteSplits(text) {
            let result = try decode(pieces, maxLength: 4)
            #expect(result.lines == lines, "\(pieces)")
            #expect(result.error == (isTooLong ? .lineTooLong(limit: 4) : nil), "\(pieces)")
        }
    }

    @Test func `an endless line throws before its end arrives`() throws {
        var decoder = LineDecoder(maxLength: 1 << 10)
        let bytes = [UInt8](repeating: 0x61, count: (1 << 10) + 1)
        #expect(try decoder.decode(bytes.span.extracting(first: 1 << 10)).line == nil)
        #expect(throws: HTTPRecordError.lineTooLong(limit: 1 << 10)) {
            try decoder.decode(bytes.span)
        }
    }

    @Test func `line ends are found at every position of a block`() throws {
        for length in 0..<70 {
            for start in 0..<3 {
                var bytes = [UInt8](repeating: 0x61, count: start + length)
                bytes += [0x0a] + [UInt8](repeating: 0x0a, count: 20)
                var decoder = LineDecoder(maxLength: 100)
                let step = try decoder.decode(bytes.span.extracting(droppingFirst: start))
                #expect(step == .init(consumed: length + 1, line: 0..<length))
            }
        }
    }
}

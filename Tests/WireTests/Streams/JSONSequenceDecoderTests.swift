import Support
import Testing
import Wire

@Suite struct JSONSequenceDecoderTests {
    /// An element with its text, or its offset in the body.
    private enum Found: Equatable {
        case text(String)
        case unseparated(Int)
        case truncated(Int)
        case tooLong
    }

    private func decode(_ pieces: [[UInt8]], maxLength: Int = 100) throws -> [Found] {
        var decoder = JSONSequenceDecoder(maxLength: maxLength)
        var found: [Found] = []
        var rest: [UInt8] = []
        var offset = 0
        func add(_ element: JSONSequenceDecoder.Element) {
            switch element {
            case .text(let range): found.append(.text(String(decoding: rest[range], as: UTF8.self)))
            case .unseparated(let place): found.append(.unseparated(offset + place))
            case .truncated(let range): found.append(.truncated(offset + range.lowerBound))
            }
        }
        do {
            _ = try ByteSplits.feed(pieces) { bytes in
                let step = try decoder.decode(bytes)
                rest = [UInt8](copying: bytes)
                if let element = step.element { add(element) }
                rest.removeFirst(step.consumed)
                offset += step.consumed
                let next: ByteSplits.Consumption.Next = step.element == nil ? .whenMore : .again
                return .init(consumed: step.consumed, next: next)
            }
            if let last = decoder.finish(rest.span) { add(last) }
        } catch HTTPRecordError.recordTooLong(let limit) {
            #expect(limit == maxLength)
            found.append(.tooLong)
        }
        return found
    }

    /// Writes RS as "^".
    private func bytes(_ text: String) -> [UInt8] {
        text.utf8.map { $0 == UInt8(ascii: "^") ? 0x1e : $0 }
    }

    @Test(
        arguments: [
            ("", []), ("\n \t\r", []), ("^", []), ("^^^\n^", []),
            ("^{}\n", [.text("{}")]), ("^{}\n^[]\n", [.text("{}"), .text("[]")]),
            ("^{\n \"a\": [\n1\n]}\n", [.text("{\n \"a\": [\n1\n]}")]),
            ("^\"\\\"{\n\"\n^1\n", [.text("\"\\\"{\n\""), .text("1")]),
            ("^{\"}\\\\\": \"\\\"]\"} \n^2\n", [.text("{\"}\\\\\": \"\\\"]\"} "), .text("2")]),
            ("^{}", [.text("{}")]), ("^{}^{}", [.text("{}"), .text("{}")]),
            ("^\"a\"", [.text("\"a\"")]),
            ("^12", [.truncated(1)]), ("^12^true\n", [.truncated(1), .text("true")]),
            ("^12 ^null", [.text("12 "), .truncated(5)]), ("^ \n12\n", [.text(" \n12")]),
            ("{}\n^1\n", [.unseparated(0), .text("1")]),
            ("^{}\n x\n{}\n^1\n", [.text("{}"), .unseparated(5), .text("1")]),
            ("^{}x\n\n^1\n", [.text("{}x\n\n"), .text("1")]),
            ("^{\"a\":^1\n", [.text("{\"a\":"), .text("1")]),
            ("^}\n", [.text("}")]), ("^[}}\n", [.text("[}}\n")]),
        ] as [(String, [Found])]
    )
    private func `texts are the same however the bytes are split`(
        text: String,
        found: [Found]
    ) throws {
        for pieces in ByteSplits(bytes(text)) {
            #expect(try decode(pieces) == found, "\(pieces)")
        }
    }

    @Test(
        arguments: [
            ("^[11]\n", [.text("[11]")]), ("^[111]\n", [.text("[111]")]),
            ("^[111", [.text("[111")]),
            ("^[1111\n", [.tooLong]), ("^1\n^[1111111", [.text("1"), .tooLong]),
            ("^     \n", [.tooLong]), ("xxxxxxxxxxxx^1\n", [.unseparated(0), .text("1")]),
        ] as [(String, [Found])]
    )
    private func `a text above the limit throws after the texts before it`(
        text: String,
        found: [Found]
    ) throws {
        for pieces in ByteSplits(bytes(text)) {
            #expect(try decode(pieces, maxLength: 5) == found, "\(pieces)")
        }
    }

    @Test func `a text is returned with its line end, before the next separator`() throws {
        var decoder = JSONSequenceDecoder(maxLength: 100)
        let step = try decoder.decode(bytes("^{\"a\": 1}\n").span)
        #expect(step == .init(consumed: 10, element: .text(1..<9)))
    }
}

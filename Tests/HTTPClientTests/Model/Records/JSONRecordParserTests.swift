import ClientSupport
import HTTPClient
import Support
import Testing

@Suite struct JSONRecordParserTests {
    private typealias Values = RecordCollector<HTTPJSON>

    /// Reads values from every split of a text; "^" stands for RS.
    private func values(
        _ text: String,
        _ format: HTTPJSON.RecordFormat = .lines,
        maxLength: Int = 100,
        at location: SourceLocation = #_sourceLocation
    ) -> [Values.Entry] {
        let bytes = text.utf8.map { $0 == UInt8(ascii: "^") ? 0x1E : $0 }
        let parser = JSONRecordParser(format, maxLength: maxLength) { try HTTPJSON(parsing: $0) }
        let whole = Values(parser, [bytes].filter { !$0.isEmpty })
        for pieces in ByteSplits(bytes) where !bytes.isEmpty {
            #expect(Values(parser, pieces) == whole, "\(pieces)", sourceLocation: location)
        }
        return whole.entries
    }

    private func isDecodingFailure(_ entry: Values.Entry, startingWith start: String) -> Bool {
        guard case .failure(.decodingFailed(let reason)) = entry else { return false }
        return reason.hasPrefix(start)
    }

    @Test(
        arguments: [
            ("", []), ("1\n2\n", [1, 2]), ("{\"a\": 1}\r\n[true]\r\n", [["a": 1], [true]]),
            ("1\n\n \t\r\n2\n\n", [1, 2]), ("1\n\"a\"", [1, "a"]), ("\n\n", []), (" null ", [nil]),
            ("1\n  ", [1]),
        ] as [(String, [HTTPJSON])]
    )
    func `each line that is not empty has one value`(text: String, expected: [HTTPJSON]) {
        #expect(values(text) == expected.map { .record($0) })
    }

    @Test(
        arguments: [
            ("", []), ("^1\n^2\n", [1, 2]), ("^{\"a\":\n 1}\n^[\ntrue]\n", [["a": 1], [true]]),
            ("^^\"\n\\n\"", []), ("^{}", [[:]]), ("^[1]^[2]", [[1], [2]]),
        ] as [(String, [HTTPJSON])]
    )
    func `each separator begins a value of a sequence`(text: String, expected: [HTTPJSON]) {
        let entries = values(text, .sequence).filter { !isDecodingFailure($0, startingWith: "") }
        #expect(entries == expected.map { .record($0) })
    }

    @Test func `a malformed value throws with its number, and later values are read`() {
        let lines = values("1\n{]\n\n3 4\n5\n")
        #expect(lines.count == 4 && lines.first == .record(1) && lines.last == .record(5))
        #expect(isDecodingFailure(lines[1], startingWith: "value 2: "))
        #expect(isDecodingFailure(lines[2], startingWith: "value 3: "))
        let texts = values("x^1\n^{\"a\":^tru^5\n y ^6\n", .sequence)
        #expect(texts.count == 7)
        #expect(texts[0] == .failure(.recordFailed(.missingRecordSeparator(offset: 0))))
        #expect(texts[1] == .record(1))
        #expect(isDecodingFailure(texts[2], startingWith: "value 2: "))
        #expect(texts[3] == .failure(.recordFailed(.truncatedRecord(offset: 11))))
        #expect(texts[4] == .record(5))
        #expect(texts[5] == .failure(.recordFailed(.missingRecordSeparator(offset: 18))))
        #expect(texts[6] == .record(6))
    }

    @Test func `a value above the limit ends the records`() {
        #expect(
            values("12\n123\n1\n", maxLength: 2)
                == [.record(12), .failure(.recordFailed(.lineTooLong(limit: 2)))]
        )
        #expect(
            values("^12\n^123\n^1\n", .sequence, maxLength: 2)
                == [.record(12), .failure(.recordFailed(.recordTooLong(limit: 2)))]
        )
        #expect(values("12", maxLength: 2) == [.record(12)])
    }
}

import ClientSupport
import HTTPClient
import Support
import Testing

@Suite struct TextLineParserTests {
    private typealias Lines = RecordCollector<String>

    private func lines(
        _ bytes: [UInt8],
        charset: String? = nil,
        _ action: HTTPCharset.MalformedTextAction = .replace,
        maxLength: Int = 100,
        at location: SourceLocation = #_sourceLocation
    ) -> [Lines.Entry] {
        let parser = TextLineParser(charset: charset, action, maxLength: maxLength)
        let whole = Lines(parser, [bytes].filter { !$0.isEmpty })
        for pieces in ByteSplits(bytes) where !bytes.isEmpty {
            let split = Lines(parser, pieces)
            #expect(split == whole, "\(pieces)", sourceLocation: location)
        }
        return whole.entries
    }

    private func malformed(_ charset: String, _ offset: Int) -> Lines.Entry {
        .failure(.undecodableText(.malformed(charset: charset, offset: offset)))
    }

    @Test func `a byte order mark is removed only at the start of the body`() {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let bytes = Array("\u{FEFF}a\n\u{FEFF}b\n\n\u{FEFF}".utf8)
        let expected: [Lines.Entry] = ["a", "\u{FEFF}b", "", "\u{FEFF}"].map { .record($0) }
        #expect(lines(bytes) == expected)
        #expect(lines(bytes, .fail) == expected)
        #expect(lines(mark) == [.record("")])
        #expect(lines([0xEF, 0xBB], .replace) == [.record("\u{FFFD}")])
    }

    @Test func `malformed UTF-8 is replaced, or throws with its offset, and later lines are read`()
    {
        var bytes = Array("ä\nb".utf8)
        bytes += [0xFF, 0x0A, 0xC3, 0x0A]
        bytes += Array("€".utf8)
        #expect(
            lines(bytes) == [
                .record("ä"), .record("b\u{FFFD}"), .record("\u{FFFD}"), .record("€"),
            ]
        )
        #expect(
            lines(bytes, .fail) == [
                .record("ä"), malformed("utf-8", 4), malformed("utf-8", 6), .record("€"),
            ]
        )
        #expect(lines([0x61, 0xE2, 0x82], .fail) == [malformed("utf-8", 1)])
    }

    @Test func `other charsets are decoded`() {
        let bytes: [UInt8] = [0x80, 0xE4, 0x0D, 0x0A, 0x61]
        #expect(lines(bytes, charset: "windows-1252") == [.record("€ä"), .record("a")])
        #expect(lines(bytes, charset: "ISO-8859-1") == [.record("\u{80}ä"), .record("a")])
        #expect(lines(bytes, charset: "US-ASCII") == [.record("\u{FFFD}\u{FFFD}"), .record("a")])
        #expect(
            lines(bytes, charset: "us-ascii", .fail) == [malformed("us-ascii", 0), .record("a")]
        )
        // An unknown charset is read as UTF-8, unless malformed text is an error.
        #expect(lines(Array("ä".utf8), charset: "x-other") == [.record("ä")])
        #expect(
            lines([0x61, 0x0A, 0x62], charset: "x-other", .fail)
                == [.failure(.undecodableText(.unknownCharset("x-other")))]
        )
    }

    @Test(
        arguments: ["utf-16", "UTF-16LE", "utf-16be"],
        [.replace, .fail] as [HTTPCharset.MalformedTextAction]
    )
    func `lines in UTF-16 are not supported`(
        charset: String,
        action: HTTPCharset.MalformedTextAction
    ) {
        #expect(
            lines([0x61, 0, 0x0A, 0, 0x62, 0], charset: charset, action)
                == [.failure(.undecodableText(.unknownCharset(charset)))]
        )
    }

    @Test func `a line above the limit ends the records`() {
        #expect(
            lines(Array("ab\nabc\nab\n".utf8), maxLength: 2)
                == [.record("ab"), .failure(.recordFailed(.lineTooLong(limit: 2)))]
        )
        #expect(
            lines(Array("ab\nabc".utf8), maxLength: 2)
                == [.record("ab"), .failure(.recordFailed(.lineTooLong(limit: 2)))]
        )
    }
}

import Support
import Testing
import Wire

@Suite struct MultipartDecoderTests {
    private struct Part: Equatable {
        var fields: [String]
        var content = ""
        var isComplete = false
    }

    private struct Result: Equatable {
        var parts: [Part] = []
        var error: MultipartError?
    }

    private func decode(
        _ pieces: [[UInt8]],
        boundary: String = "b",
        _ partEnd: MultipartDecoder.PartEnd = .delimiter,
        limits: WireLimits = .default,
        maxParts: Int = 64
    ) throws -> Result {
        var decoder = try MultipartDecoder(
            boundary: boundary,
            endingParts: partEnd,
            limits: limits,
            maxParts: maxParts
        )
        var result = Result()
        do {
            let rest = try ByteSplits.feed(pieces) { bytes in
                let step = try decoder.decode(bytes)
                switch step.event {
                case .needMore: return .init(consumed: step.consumed, next: .whenMore)
                case .part(let headers):
                    result.parts.append(Part(fields: headers.map { "\($0.name): \($0.value)" }))
                case .content(let range):
                    #expect(!range.isEmpty && result.parts.last?.isComplete == false)
                    let content = [UInt8](copying: bytes.extracting(range))
                    result.parts[result.parts.count - 1].content += String(
                        decoding: content,
                        as: UTF8.self
                    )
                case .partEnd: result.parts[result.parts.count - 1].isComplete = true
                case .end: return .init(consumed: step.consumed, next: .done)
                }
                return .init(consumed: step.consumed, next: .again)
            }
            if rest == nil { result.error = decoder.endError }
        } catch let error as MultipartError {
            result.error = error
        }
        return result
    }

    /// Decodes every split of a body, in which "|" stands for CRLF.
    private func decodeAll(
        _ text: String,
        boundary: String = "b",
        _ partEnd: MultipartDecoder.PartEnd = .delimiter,
        limits: WireLimits = .default,
        maxParts: Int = 64,
        at location: SourceLocation = #_sourceLocation
    ) throws -> Result {
        let bytes = text.utf8.flatMap { $0 == UInt8(ascii: "|") ? [0x0d, 0x0a] : [$0] }
        func decode(_ pieces: [[UInt8]]) throws -> Result {
            try self.decode(
                pieces,
                boundary: boundary,
                partEnd,
                limits: limits,
                maxParts: maxParts
            )
        }
        let whole = try decode([bytes])
        for pieces in ByteSplits(bytes) {
            #expect(try decode(pieces) == whole, "\(pieces)", sourceLocation: location)
        }
        return whole
    }

    private func part(_ content: String, _ fields: String...) -> Part {
        Part(fields: fields, content: content, isComplete: true)
    }

    @Test func `parts have fields and content`() throws {
        let text = "--b|A: 1|B: 2||one|--b||two|lines|--b|C: 3|||--b--|"
        let result = try decodeAll(text)
        #expect(
            result
                == Result(parts: [
                    part("one", "A: 1", "B: 2"), part("two\r\nlines"), part("", "C: 3"),
                ])
        )
    }

    @Test(
        arguments: [
            // An empty part, whose empty line is also the line end of the delimiter, and the usual one.
            ("--b||--b--", [""]), ("--b|||--b--", [""]), ("--b||||--b--", ["\r\n"]),
            // Bytes before the first delimiter and after the last one.
            ("x|--b||a|--b--x|--b||y", ["a"]), ("|--b||a|--b--", ["a"]),
            ("--a|--b||a|--b--", ["a"]),
            // Whitespace after a delimiter.
            ("--b \t|||a|--b--", ["\r\na"]),
            // Content that looks like the start of a delimiter.
            (
                "--b||a\r|\r|-|--|--a|-\r\n-b\n--b|--b--",
                ["a\r\r\n\r\r\n-\r\n--\r\n--a\r\n-\r\n-b\n--b"]
            ),
            // A multipart body inside a part.
            ("--b||--c||x|--c--|--b--", ["--c\r\n\r\nx\r\n--c--"]),
            ("--b||--a|--b--", ["--a"]), ("--b||-|--b--", ["-"]), ("--b||\r|--b--", ["\r"]),
        ] as [(String, [String])]
    )
    func `the content ends before the line end of the delimiter`(
        text: String,
        contents: [String]
    ) throws {
        #expect(try decodeAll(text) == Result(parts: contents.map { part($0) }))
    }

    @Test(
        arguments: [
            ("", .missingDelimiter(offset: 0)), ("x", .missingDelimiter(offset: 0)),
            ("--a", .missingDelimiter(offset: 0)), ("--b--", .missingPart),
            ("--b", .truncated(offset: 3)),
            ("--b-", .truncated(offset: 3)), ("--b|", .truncated(offset: 5)),
            ("--b|A: b|", .truncated(offset: 5)), ("--b||", .truncated(offset: 7)),
            ("--b||abc", .truncated(offset: 10)), ("--b||abc|--", .truncated(offset: 10)),
            ("--b||abc|--b", .truncated(offset: 15)),
            ("--bx||a|--b--", .missingDelimiter(offset: 3)),
            ("--b||a|--bx|", .missingDelimiter(offset: 13)),
            ("--b x|", .missingDelimiter(offset: 3)),
            ("--b\r\r\n", .missingDelimiter(offset: 3)), ("--b\n\na", .missingDelimiter(offset: 3)),
            ("--b-x|", .missingDelimiter(offset: 3)),
            ("--b \t||a|--b\t--|", .missingDelimiter(offset: 15)),
        ] as [(String, MultipartError)]
    )
    func `a malformed or incomplete body throws with its offset`(
        text: String,
        error: MultipartError
    ) throws {
        #expect(try decodeAll(text).error == error)
    }

    @Test func `malformed fields throw with the offset of the part`() throws {
        for text in ["--b|A b||", "--b| A: b||", "--b|: b||"] {
            guard case .malformedFields(_, offset: 5) = try decodeAll(text).error else {
                Issue.record("\(text): \(String(describing: try decodeAll(text).error))")
                continue
            }
        }
    }

    @Test func `fields, parts, padding and preamble have limits`() throws {
        var limits = WireLimits()
        limits.fieldCount = 2
        let three = "--b|A: 1|B: 2|C: 3||x|--b--"
        #expect(
            try decodeAll(three, limits: limits).error
                == .malformedFields(.limitExceeded(.fieldCount(2)), offset: 5)
        )
        limits = WireLimits()
        limits.headBytes = 8
        #expect(try decodeAll("--b|A: 1||x|--b--", limits: limits).parts == [part("x", "A: 1")])
        #expect(
            try decodeAll("--b|A: 12||x|--b--", limits: limits).error
                == .malformedFields(.limitExceeded(.headBytes(8)), offset: 5)
        )
        #expect(try decodeAll("--b||1|--b||2|--b--", maxParts: 2).parts.count == 2)
        #expect(try decodeAll("--b||1|--b||2|--b||", maxParts: 2).error == .tooManyParts)
        for (length, isTooLong) in [(1023, false), (1024, true)] {
            let spaces = String(repeating: " ", count: length)
            let padded = try decode([Array("--b\(spaces)\r\n\r\nx\r\n--b--".utf8)])
            #expect((padded.error == .missingDelimiter(offset: 3)) == isTooLong)
            let preamble = try decode([Array("\(spaces)\r\n--b\r\n\r\nx\r\n--b--".utf8)])
            #expect((preamble.error == .missingDelimiter(offset: 0)) == isTooLong)
        }
        let endless = [[UInt8]](repeating: [0x20], count: 1100)
        #expect(try decode([Array("--b".utf8)] + endless).error == .missingDelimiter(offset: 3))
        #expect(try decode(endless).error == .missingDelimiter(offset: 0))
    }

    @Test func `a boundary has 1 to 70 bytes`() throws {
        for (length, isValid) in [(0, false), (1, true), (70, true), (71, false)] {
            let boundary = String(repeating: "x", count: length)
            let result = try? decode([Array("--\(boundary)".utf8)], boundary: boundary)
            #expect((result != nil) == isValid)
        }
    }

    @Test func `parts of ranges end after the length of their Content-Range`() throws {
        let text = "--b|Content-Range: bytes 0-5/9||a|--b|--b|Content-Range: bytes 8-8/9||c|--b--"
        #expect(
            try decodeAll(text, .contentRange).parts
                == [
                    part("a\r\n--b", "Content-Range: bytes 0-5/9"),
                    part("c", "Content-Range: bytes 8-8/9"),
                ]
        )
        #expect(
            try decodeAll("--b|Content-Range: bytes 0-1/9||abc|--b--", .contentRange).error
                == .missingDelimiter(offset: 37)
        )
        #expect(
            try decodeAll("--b|Content-Range: bytes 0-1/9||a", .contentRange).error
                == .truncated(offset: 36)
        )
        for fields in ["", "Content-Range: bytes */9|", "Content-Range: x|"] {
            #expect(
                try decodeAll("--b|\(fields)|a|--b--", .contentRange).error
                    == .malformedContentRange(offset: 5)
            )
        }
    }

    @Test(
        .tags(.rfc9110),
        arguments: [
            ("", .missingDelimiter(offset: 0)), ("--b--", .missingPart),
            ("--b|a: b||", .malformedContentRange(offset: 5)),
            // The length of the part is near the greatest integer.
            ("--b|Content-Range: bytes 0-9223372036854775806/*||", .truncated(offset: 53)),
            (
                "--b|Content-Range: bytes 0-0/1|Content-Range: bytes 0-0/1||a|--b--",
                .malformedContentRange(offset: 5)
            ),
            ("--b|Content-Range: bytes 0-0/1||ab|--b--", .missingDelimiter(offset: 36)),
        ] as [(String, MultipartError)]
    )
    func `§14.6: a malformed body of ranges is rejected`(text: String, error: MultipartError) throws
    {
        #expect(try decodeAll(text, .contentRange).error == error)
    }

    @Test func `bytes after the last delimiter are ignored`() throws {
        var decoder = try MultipartDecoder(
            boundary: "b",
            endingParts: .delimiter,
            limits: .default,
            maxParts: 1
        )
        let body = Array("--b\r\n\r\n--b--".utf8)
        var start = 0
        while decoder.endError != nil {
            start += try decoder.decode(body.span.extracting(droppingFirst: start)).consumed
        }
        #expect(start == body.count)
        #expect(try decoder.decode([0x61, 0x62].span) == .init(consumed: 2, event: .end))
    }

    @Test func `content is delivered as it arrives, except for a possible delimiter`() throws {
        var decoder = try MultipartDecoder(
            boundary: "b",
            endingParts: .delimiter,
            limits: .default,
            maxParts: 1
        )
        #expect(try decoder.decode(Array("--b\r\n\r\n".utf8).span).event == .part([:]))
        let bytes = Array("a\rbc\r\n--".utf8)
        #expect(try decoder.decode(bytes.span) == .init(consumed: 4, event: .content(0..<4)))
        #expect(try decoder.decode(bytes.span.extracting(droppingFirst: 4)).event == .needMore)
    }
}

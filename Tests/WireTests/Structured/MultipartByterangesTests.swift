import Testing
import Wire

@Suite struct MultipartByterangesTests {
    private static let example =
        "--THIS\r\nContent-Type: a/b\r\nContent-Range: bytes 500-503/8000\r\n\r\nabcd\r\n"
        + "--THIS \t\r\ncontent-range: bytes 7000-7004/*\r\n\r\n\r\n--T\r\n--THIS--\r\nepilogue"

    private func parts(
        _ text: String,
        boundary: String = "THIS",
        limits: WireLimits = .default,
        maxParts: Int = 64
    ) throws(MultipartError) -> [ByteRangePart] {
        try MultipartByteranges.parts(
            of: Array(text.utf8).span,
            boundary: boundary,
            limits: limits,
            maxParts: maxParts
        )
    }

    @Test(.tags(.rfc9110), arguments: ["", "\r\n", "preamble\r\n\r\n"])
    func `§14.6: part lengths come from Content-Range, not from a search for the boundary`(
        preamble: String
    ) throws {
        let text = preamble + Self.example
        let parts = try parts(text)
        let contents = parts.map {
            String(decoding: Array(text.utf8)[$0.content], as: UTF8.self)
        }
        #expect(contents == ["abcd", "\r\n--T"])
        #expect(parts.map(\.positions) == [500...503, 7000...7004])
        #expect(parts.map(\.completeLength) == [8000, nil])
        #expect(parts[0].headers[.contentType] == "a/b")
    }

    @Test func `§14.6: a truncated body is rejected at every length`() {
        for count in 0..<(Self.example.utf8.count - "--\r\nepilogue".utf8.count) {
            let cut = String(decoding: Self.example.utf8.prefix(count), as: UTF8.self)
            #expect(throws: MultipartError.self) { try parts(cut) }
        }
    }

    @Test(
        .tags(.rfc9110),
        arguments: [
            ("", .missingDelimiter(offset: 0)), ("x--THIS\r\n", .missingDelimiter(offset: 0)),
            ("--THIS--", .missingPart), ("--THISx", .missingDelimiter(offset: 6)),
            ("--THIS\n", .missingDelimiter(offset: 6)), ("--THIS\r\n", .truncated(offset: 8)),
            ("--THIS\r\n\r\n", .malformedContentRange(offset: 8)),
            ("--THIS\r\na: b\r\n\r\n", .malformedContentRange(offset: 8)),
            ("--THIS\r\nContent-Range: bytes */5\r\n\r\n", .malformedContentRange(offset: 8)),
            (
                "--THIS\r\nContent-Range: bytes 0-9223372036854775806/*\r\n\r\n",
                .truncated(offset: 56)
            ),
            (
                "--THIS\r\nContent-Range: bytes 0-0/1\r\nContent-Range: bytes 0-0/1\r\n\r\na\r\n--THIS--",
                .malformedContentRange(offset: 8)
            ),
            (
                "--THIS\r\nContent-Range: bytes 0-0/1\r\n\r\nab\r\n--THIS--",
                .missingDelimiter(offset: 39)
            ),
            ("--THIS\r\nbroken\r\n\r\n", .malformedFields(.missingColon(offset: 6), offset: 8)),
        ] as [(String, MultipartError)]
    )
    func `§14.6: malformed bodies are rejected with a specific error`(
        text: String,
        fault: MultipartError
    ) {
        #expect(throws: fault) { try parts(text) }
    }

    @Test func `parts, fields, preamble and boundary are limited`() {
        let text = Self.example
        #expect(throws: MultipartError.tooManyParts) { try parts(text, maxParts: 1) }
        #expect(throws: MultipartError.malformedBoundary) { try parts(text, boundary: "") }
        let long = String(repeating: "b", count: 71)
        #expect(throws: MultipartError.malformedBoundary) { try parts(text, boundary: long) }
        let preamble = String(repeating: "p", count: 1024)
        #expect(throws: MultipartError.missingDelimiter(offset: 0)) {
            try parts(preamble + "\r\n" + text)
        }
        var limits = WireLimits()
        limits.fieldCount = 1
        #expect(throws: MultipartError.malformedFields(.limitExceeded(.fieldCount(1)), offset: 8)) {
            try parts(text, limits: limits)
        }
        limits.headBytes = 20
        limits.fieldCount = 9
        #expect(throws: MultipartError.malformedFields(.limitExceeded(.headBytes(20)), offset: 8)) {
            try parts(text, limits: limits)
        }
    }
}

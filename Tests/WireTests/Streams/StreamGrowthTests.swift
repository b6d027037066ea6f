import Support
import Testing
import Wire

/// Measures how the work of each decoder of a stream grows with the length of the stream.
///
/// The streams arrive whole, and in small pieces after which a decoder that forgets its position begins again.
@Suite(.timeLimit(.minutes(10))) struct StreamGrowthTests {
    @Test(arguments: recordDecoders + headDecoders + bodyDecoders)
    func `the work of a decoder grows no faster than the stream`(decoder: ParserGrowth) {
        #expect(decoder.superlinearTexts() == [])
    }

    private static let recordDecoders = [
        ParserGrowth(
            "EventStreamDecoder",
            ["…", "data: a\n…", "id: …\n\n", "data: …", "\u{feff}…"],
            of: [
                "a", ":", " ", "\n", "\r", "\r\n", "data\n", "data: a\n", "data: a\n\n",
                "data: a\r\n\r\n", "data: a\r\r", "id: {n}\n", "id: {n}\n\n", "event: a\n",
                "retry: 9\n", ":\n", "a\n", "data: \u{e9}\n", "\0", "9",
            ]
        ) { text in
            feed(text) {
                var decoder = EventStreamDecoder(maxLength: .max)
                return { bytes in
                    let step = try decoder.decode(bytes)
                    return Progress(step.consumed, step.event == nil ? .needMore : .again)
                }
            }
        },
        ParserGrowth("LineDecoder", of: ["a", "\r", "\n", "\r\n", "a\n", "\ra\r\n"]) { text in
            feed(text) {
                var decoder = LineDecoder(maxLength: .max)
                return { bytes in
                    let step = try decoder.decode(bytes)
                    return Progress(step.consumed, step.line == nil ? .needMore : .again)
                }
            }
        },
        ParserGrowth(
            "JSONSequenceDecoder",
            ["…", "\u{1e}…", "\u{1e}\"…", "\u{1e}1…"],
            of: [
                "a", "\u{1e}", "\n", " ", "[", "{", "\"", "\\", "\\\"", "[]", "]", "1\n",
                "\u{1e}{}\n",
            ]
        ) { text in
            feed(text) {
                var decoder = JSONSequenceDecoder(maxLength: .max)
                return { bytes in
                    let step = try decoder.decode(bytes)
                    return Progress(step.consumed, step.element == nil ? .needMore : .again)
                }
            }
        },
    ]

    private static let headDecoders = [
        ParserGrowth(
            "response head",
            ["HTTP/1.1 200 OK\r\n…", "…", "HTTP/1.1 200 …"],
            of: fieldLines
        ) {
            text in
            for strictness in [Strictness.strict, .lenient, .forensic] {
                feed(text) {
                    var decoder = ResponseHeadDecoder(limits: limits, strictness: strictness)
                    return { bytes in
                        let step = try decoder.decode(bytes)
                        _ = step.head?.headers.values(.setCookie)
                        return Progress(step.consumed, step.head == nil ? .needMore : .done)
                    }
                }
            }
        },
        ParserGrowth(
            "multipart",
            ["--b\r\n…", "--b\r\n\r\n…", "--b…", "…", "--b\r\n\r\n\r\n--b--…"],
            of: fieldLines + [
                "\r\n-", "\r\n--", "\r\n--b", "-", "\r\n--b\r\n\r\n", "\r\n--b\r\na: b\r\n\r\n",
            ]
        ) { text in
            feed(text) {
                var decoder = try MultipartDecoder(
                    boundary: "b",
                    endingParts: .delimiter,
                    limits: limits,
                    maxParts: .max
                )
                return { bytes in try progress(&decoder, bytes) }
            }
        },
        ParserGrowth(
            "multipart/byteranges",
            ["--b\r\n…", "--b\r\nContent-Range: bytes …"],
            of: fieldLines + [
                "Content-Range: bytes 0-0/9\r\n\r\nx\r\n--b\r\n", "0", "0-", "0/9\r\n\r\nx\r\n",
            ]
        ) { text in
            feed(text) {
                var decoder = try MultipartDecoder(
                    boundary: "b",
                    endingParts: .contentRange,
                    limits: limits,
                    maxParts: .max
                )
                return { bytes in try progress(&decoder, bytes) }
            }
        },
    ]

    private static let bodyDecoders = [
        ParserGrowth(
            "chunks",
            ["…", "1…", "1;…", "1;a=\"…", "0\r\n…", "0\r\nTrailer: …"],
            of: fieldLines + [
                ";", "0", "a=b;", "a=\"\\\";", "1\r\na\r\n", "1;a\r\na\r\n", "1 ;a=b\r\na\r\n",
                "1\r\na", "2\r\na\r\n\r\n",
            ]
        ) { text in
            for strictness in [Strictness.strict, .lenient, .forensic] {
                feed(text) {
                    var decoder = ChunkedDecoder(limits: limits, strictness: strictness)
                    return { bytes in
                        let step = try decoder.decode(bytes)
                        switch step.event {
                        case .needMore: return Progress(step.consumed, .needMore)
                        case .body: return Progress(step.consumed, .again)
                        case .end: return Progress(step.consumed, .done)
                        }
                    }
                }
            }
        }
    ]

    /// Pieces of a field section.
    private static let fieldLines = [
        "a", " ", "\t", ":", "\r", "\n", "\r\n", "\0", "\"", "a: b\r\n", "a{n}: b\r\n", "a: b\n",
        " a\r\n", "a: b\r\n \r\n", ":\r\n", "a\r\n", "a : b\r\n", "a: \u{e9}\r\n",
        "Set-Cookie: \u{1}\r\n", "Set-Cookie: a\r\n", "Content-Length: 0\r\n",
        "Transfer-Encoding: chunked\r\n", "Connection: a,\r\n",
    ]

    /// Limits that no stream of these tests reaches.
    private static let limits = {
        var limits = WireLimits()
        limits.headBytes = 1 << 30
        limits.fieldCount = 1 << 20
        limits.chunkLineBytes = 1 << 30
        limits.chunkExtensionBytes = 1 << 30
        limits.trailerBytes = 1 << 30
        limits.trailerCount = 1 << 20
        limits.dropsMalformedCookies = true
        return limits
    }()

    private struct Progress {
        enum Next {
            case again
            case needMore
            case done
        }

        let consumed: Int
        let next: Next

        init(_ consumed: Int, _ next: Next) {
            self.consumed = consumed
            self.next = next
        }
    }

    private static func progress(
        _ decoder: inout MultipartDecoder,
        _ bytes: Span<UInt8>
    ) throws -> Progress {
        let step = try decoder.decode(bytes)
        switch step.event {
        case .needMore: return Progress(step.consumed, .needMore)
        case .part, .content, .partEnd: return Progress(step.consumed, .again)
        case .end: return Progress(step.consumed, .done)
        }
    }

    /// Passes a text to new decoders: whole, and in pieces of 16 bytes; an error ends it.
    private static func feed(
        _ text: String,
        to makeDecoder: () throws -> (Span<UInt8>) throws -> Progress
    ) {
        let bytes = Array(text.utf8)
        for pieceLength in [bytes.count, 16] {
            guard let decode = try? makeDecoder() else { return }
            var (start, end) = (0, 0)
            while end < bytes.count {
                end = min(end + max(pieceLength, 1), bytes.count)
                var next = Progress.Next.again
                while case .again = next {
                    guard let progress = try? decode(bytes.span.extracting(start..<end)) else {
                        next = .done
                        break
                    }
                    start += progress.consumed
                    next = progress.next
                }
                if case .done = next { break }
            }
        }
    }
}

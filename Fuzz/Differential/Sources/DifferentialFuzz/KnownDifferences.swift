import Wire

/// The rules on which Wire in its strict level and http_parser 2.9.4 differ.
///
/// The parser is Debian's build, not in its own strict mode. Any other difference is a finding.
let knownDifferences: [KnownDifference] = [
    // MARK: - Lines

    .wireRejects(
        "A line ends in LF alone.",
        "RFC 9112 §2.2: a recipient may accept it; §11: a difference between recipients allows attacks.",
        example: .request,
        "GET / HTTP/1.1\nA: b\n\n"
    ) { error, byte in
        if case .bareLineFeed = error { byte == 0x0a || byte == nil } else { false }
    },
    .wireRejects(
        "A line contains CR, or ends in CR alone.",
        "RFC 9112 §2.2: a bare CR makes the element invalid, or is replaced by SP.",
        example: .response,
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\rXa"
    ) { error, byte in
        if case .bareCarriageReturn = error { byte == 0x0d || byte == nil } else { false }
    },
    .wireRejects(
        "Whitespace precedes the first field line.",
        "RFC 9112 §2.2: a recipient rejects the message or ignores the lines.",
        example: .request,
        "GET / HTTP/1.1\r\n A: b\r\n\r\n"
    ) { error, _ in if case .leadingWhitespace = error { true } else { false } },
    .wireRejects(
        "A field line is folded.",
        "RFC 9112 §5.2: a server rejects it or replaces it by SP; a sender must not generate it.",
        example: .request,
        "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n"
    ) { error, _ in if case .foldedLine = error { true } else { false } },
    .wireRejects(
        "A field name contains or ends with a space; http_parser accepts SP in a name.",
        "RFC 9112 §5.1: a server must reject it.",
        example: .request,
        "GET / HTTP/1.1\r\nA : b\r\n\r\n"
    ) { error, byte in
        switch error {
        case .spaceBeforeColon, .malformedFieldName: byte == 0x20 || byte == nil
        default: false
        }
    },
    .wireRejects(
        "A field value or a reason phrase contains a control byte.",
        "RFC 9110 §5.5 and RFC 9112 §4 allow HTAB, SP, visible bytes and those from 0x80 on.",
        example: .response,
        "HTTP/1.1 204 No\u{1}\r\n\r\n"
    ) { error, byte in
        switch error {
        case .malformedFieldValue, .malformedReason:
            byte.map { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f } ?? true
        default: false
        }
    },

    // MARK: - Start lines

    .wireRejects(
        "An empty line precedes the status line, or several precede the request line.",
        "RFC 9112 §2.2: a server should ignore at least one before the request line.",
        example: .response,
        "\r\nHTTP/1.1 204 No\r\n\r\n"
    ) { error, byte in
        switch error {
        case .foreignProtocol(.unknown): true
        case .malformedRequestLine: byte == 0x0d || byte == 0x0a
        default: false
        }
    },
    .wireRejects(
        "The target contains a space, a control byte, a fragment or bytes outside ASCII.",
        "RFC 9112 §3.2: no whitespace; RFC 9110 §7.1: no fragment; RFC 3986 §2: only ASCII.",
        example: .request,
        "GET /a#b HTTP/1.1\r\n\r\n"
    ) { error, byte in
        guard case .malformedRequestLine = error, let byte else { return false }
        return byte <= 0x20 || byte == 0x23 || byte >= 0x7f
    },
    .wireRejects(
        "The target has a form that the method does not allow.",
        "RFC 9112 §3.2: a server should respond with 400.",
        example: .request,
        "GET * HTTP/1.1\r\n\r\n"
    ) { error, byte in
        guard case .malformedRequestLine = error, let byte else { return false }
        return byte > 0x20 && byte < 0x7f && byte != 0x23
    },
    .wireRejects(
        "The request line has no version: HTTP/0.9.",
        "RFC 9112 §3: a request line of HTTP/1.1 has three parts.",
        example: .request,
        "GET /\r\n\r\n"
    ) { error, _ in error == .foreignProtocol(.http09) },
    .wireRejects(
        "The major version is not 1.",
        "RFC 9110 §2.5 and §15.6.6: another major version is another protocol.",
        example: .response,
        "HTTP/2.0 204 No\r\n\r\n"
    ) { error, _ in
        switch error {
        case .unsupportedVersion, .foreignProtocol(.http2): true
        default: false
        }
    },
    .wireRejects(
        "More than one space separates the parts of a request line.",
        "RFC 9112 §3: one SP; tolerating more can cause security vulnerabilities.",
        example: .request,
        "GET /  HTTP/1.1\r\n\r\n"
    ) { error, _ in if case .malformedVersion = error { true } else { false } },
    .wireRejects(
        "The status has fewer than three digits, or begins with 0, or something follows it.",
        "RFC 9112 §4: 3DIGIT; RFC 9110 §15: the first digit is 1 to 5; Wire also accepts 6 to 9.",
        example: .response,
        "HTTP/1.1 20 OK\r\n\r\n"
    ) { error, _ in if case .malformedStatus = error { true } else { false } },

    // MARK: - Framing

    .wireRejects(
        "A response has a transfer coding other than chunked, or chunked is not the last.",
        "RFC 9112 §6.3 rule 4: such a body ends at close; Wire rejects it because it cannot decode it.",
        example: .response,
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\na"
    ) { error, _ in
        switch error {
        case .unknownTransferCoding, .chunkedNotLast, .chunkedTwice, .malformedTransferEncoding:
            true
        default: false
        }
    },
    .wireRejects(
        "A message of HTTP/1.0 has Transfer-Encoding.",
        "RFC 9112 §6.1: its framing is faulty.",
        example: .response,
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ) { error, _ in error == .transferEncodingInHTTP10 },
    .wireRejects(
        "A chunk size has more than 16 digits, or is above 2^63 - 1.",
        "RFC 9112 §7.1: recipients must prevent overflow.",
        example: .request,
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n00000000000000001\r\na\r\n0\r\n\r\n"
    ) { error, _ in
        switch error {
        case .malformedChunkSize, .chunkSizeOverflow: true
        default: false
        }
    },
    .wireRejects(
        "A chunk extension does not follow the grammar; http_parser skips almost any bytes.",
        "RFC 9112 §7.1.1.",
        example: .request,
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0;\u{1}\r\n\r\n"
    ) { error, _ in if case .malformedChunkExtension = error { true } else { false } },
    .wireRejects(
        "Something other than CRLF follows a chunk or its size; http_parser skips any two bytes.",
        "RFC 9112 §7.1: CRLF.",
        example: .request,
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\naXY0\r\n\r\n"
    ) { error, _ in
        if case .malformedChunkEnd = error { true } else { false }
    },
    .wireRejects(
        "The message exceeds one of the WireLimits.",
        "RFC 9110 §5.4, §17.5: a recipient chooses its limits; http_parser limits only the whole head.",
        example: .request,
        "GET / HTTP/1.1\r\n" + String(repeating: "a:\r\n", count: 129) + "\r\n"
    ) { error, _ in error.kind == .limit },

    // MARK: - Rejected by http_parser

    .httpParserRejects(
        ["HPE_INVALID_METHOD"],
        "The method is a token that http_parser does not know.",
        "RFC 9110 §9.1: any token is a method; a server responds with 501 if it does not know it.",
        example: .request,
        "BREW / HTTP/1.1\r\n\r\n"
    ) { message in message.role == .request },
    .httpParserRejects(
        ["HPE_UNEXPECTED_CONTENT_LENGTH"],
        "A response has Content-Length and Transfer-Encoding.",
        "RFC 9112 §6.3 rule 3: Transfer-Encoding overrides; Wire does not reuse the connection.",
        example: .response,
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ) { message in
        message.role == .response && message.has("transfer-encoding")
            && message.has("content-length")
    },
    .httpParserRejects(
        ["HPE_UNEXPECTED_CONTENT_LENGTH"],
        "Content-Length is repeated with the same value.",
        "RFC 9110 §8.6 and RFC 9112 §6.3 rule 5: the value counts once.",
        example: .request,
        "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na"
    ) { message in message.values("content-length").count > 1 },
    .httpParserRejects(
        ["HPE_INVALID_CONTENT_LENGTH"],
        "Content-Length is a list of equal values, or has empty elements.",
        "RFC 9110 §8.6, §5.6.1.2: the value counts once.",
        example: .request,
        "GET / HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\na"
    ) { message in message.values("content-length").contains { $0.contains(",") } },
    .httpParserRejects(
        ["HPE_INVALID_CONTENT_LENGTH"],
        "A tab follows the number of Content-Length.",
        "RFC 9110 §5.5, §5.6.3: SP and HTAB after a value are not part of it.",
        example: .response,
        "HTTP/1.1 200 OK\r\nContent-Length: 1\t\r\n\r\na"
    ) { message in
        message.headLines.contains { $0.hasPrefix("content-length:") && $0.contains("\t") }
    },
    .httpParserRejects(
        ["HPE_INVALID_CONTENT_LENGTH", "HPE_UNEXPECTED_CONTENT_LENGTH"],
        "The Content-Length of a chunked response or of one without content is not a number.",
        "RFC 9112 §6.3 rules 1 and 3: the field is ignored.",
        example: .response,
        "HTTP/1.1 204 No\r\nContent-Length: x\r\n\r\n"
    ) { message in
        message.role == .response && message.has("content-length")
            && (message.isWithoutContent || message.has("transfer-encoding"))
    },
    .httpParserRejects(
        ["HPE_INVALID_TRANSFER_ENCODING", "HPE_UNEXPECTED_CONTENT_LENGTH"],
        "A longer name begins with Transfer-Encoding; http_parser takes it for that field.",
        "RFC 9110 §5.1: it is a different field.",
        example: .request,
        "POST / HTTP/1.1\r\nTransfer-Encoding2: a\r\n\r\n"
    ) { message in
        message.hasLonger("transfer-encoding")
    },
    .httpParserRejects(
        ["HPE_INVALID_CONTENT_LENGTH", "HPE_UNEXPECTED_CONTENT_LENGTH"],
        "A trailer section has Content-Length; http_parser reads it as a field of the head.",
        "RFC 9110 §6.5.1: a trailer field does not affect framing.",
        example: .response,
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "0\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n"
    ) { message in message.hasTrailer("content-length") },
    .httpParserRejects(
        ["HPE_INVALID_TRANSFER_ENCODING"],
        "A tab follows the coding chunked in a request.",
        "RFC 9110 §5.5, §5.6.3: SP and HTAB after a value are not part of it.",
        example: .request,
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\t\r\n\r\n0\r\n\r\n"
    ) { message in message.hasTabAfterChunked },
    .httpParserRejects(
        ["HPE_INVALID_CHUNK_SIZE"],
        "A tab precedes the semicolon of a chunk extension.",
        "RFC 9112 §7.1.1: BWS is allowed there, which is SP or HTAB.",
        example: .request,
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\t;a\r\n\r\n"
    ) { message in message.bytes.contains(0x09) },
    .httpParserRejects(
        ["HPE_INVALID_URL"],
        "The target has a scheme that http_parser does not accept.",
        "RFC 9112 §3.2, RFC 3986 §3.1: a scheme can contain digits, plus, hyphen and dot.",
        example: .request,
        "GET a+b://c HTTP/1.1\r\n\r\n"
    ) { message in message.role == .request },

    // MARK: - Different ends

    .endsDiffer(
        "A response without content has framing fields; http_parser reads a body.",
        "RFC 9112 §6.3 rule 1: 1xx, 204 and 304 end with their head.",
        example: .response,
        "HTTP/1.1 204 No\r\nContent-Length: 1\r\n\r\n"
    ) { message in message.isWithoutContent },
    .endsDiffer(
        "A tab follows the coding chunked in a response; http_parser reads a body up to the close.",
        "RFC 9110 §5.5, §5.6.3: SP and HTAB after a value are not part of it.",
        example: .response,
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\t\r\n\r\n0\r\n\r\n"
    ) { message in message.role == .response && message.hasTabAfterChunked },
    .endsDiffer(
        "A longer name in a response begins with Transfer-Encoding; http_parser takes it for that "
            + "field.",
        "RFC 9110 §5.1: it is a different field.",
        example: .response,
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-EncodingX: chunked\r\n\r\na"
    ) { message in message.role == .response && message.hasLonger("transfer-encoding") },
    .endsDiffer(
        "A request asks for an upgrade or a tunnel; http_parser ends it after its head.",
        "RFC 9110 §7.8, §9.3.6: the request's content precedes the new protocol.",
        example: .request,
        "CONNECT a:1 HTTP/1.1\r\nContent-Length: 1\r\n\r\na"
    ) { message in
        message.role == .request
            && (message.has("upgrade") || message.headLines.first?.hasPrefix("connect ") == true)
    },
]

// To reject something else in a head, add a case here, with its group in `kind` and its text in `description`.
// `ResponseHeadDecoder` and `RequestHeadDecoder` reject a single field, `BodyFraming` lengths, and `MessageExchange`
// (responses) and `RequestHead+Authority` (requests) fields that contradict each other. `HeadScanner` rejects bytes of
// a line. The tests are `ResponseHeadDecoderTests`, `RequestHeadDecoderTests`, `BodyFramingTests`,
// `MessageExchangeTests` and `ServerExchangeTests`, and a file in `Fuzz/Corpus/ResponseHeadFuzz` or
// `Fuzz/Corpus/RequestHeadFuzz`.

/// A violated rule of HTTP/1.1, with its position.
///
/// Each case is one rule. ``kind`` groups the cases by the action that a caller takes. Offsets
/// count bytes from the start of the head or trailer section, or of the whole chunked body, to
/// which the rule applies. After an error from a decoder, the connection cannot be used, because
/// the start of the next message is unknown.
public enum WireError: Error, Sendable, Hashable {
    // MARK: - Outgoing messages

    /// The text is not a URI reference, or not a usable http one (RFC 3986, RFC 9110 §4.2).
    ///
    /// The offset counts UTF-8 bytes.
    case invalidURI(InvalidURIReason, offset: Int)
    /// The method is empty or not a token (RFC 9110 §9.1).
    case invalidMethod
    /// The request target is empty, malformed, or contains forbidden bytes (RFC 9112 §3.2).
    ///
    /// Forbidden are spaces, control characters and non-ASCII bytes.
    case invalidTarget(offset: Int)
    /// The version is neither 1.0 nor 1.1, the only ones that this module writes (RFC 9112 §2.3).
    case invalidVersion
    /// The status is not three digits, 100 to 999 (RFC 9112 §4).
    case invalidStatus
    /// The reason phrase contains a control byte (RFC 9112 §4).
    case invalidReason
    /// The name of the field at that index is empty or not a token (RFC 9110 §5.1).
    case invalidFieldName(index: Int)
    /// The value of the field at that index contains a control byte, such as CR, LF or NUL (RFC
    /// 9110 §5.5).
    case invalidFieldValue(index: Int)
    /// The field at that index is too long: 65 535 bytes of name and 2 GiB in total are supported.
    case fieldTooLong(index: Int)
    /// The body is longer than its Content-Length (RFC 9112 §6.2).
    case bodyTooLong(declared: Int)
    /// The body is shorter than its Content-Length (RFC 9112 §6.2).
    case bodyTooShort(declared: Int, sent: Int)
    /// The field at that index must not be sent in a trailer section (RFC 9110 §6.5.1).
    ///
    /// There, it would come too late.
    case invalidTrailer(index: Int)
    /// A body that is not chunked has trailers (RFC 9112 §7.1.2).
    case trailersWithoutChunks
    /// A response to be sent has a wrong Content-Length or Transfer-Encoding (RFC 9112 §6.1, §6.2).
    ///
    /// The field is forbidden there, or contradicts the body.
    case invalidFramingField
    /// A 101 to be sent chooses a protocol that the request did not offer (RFC 9110 §7.8).
    case invalidUpgrade
    /// A part of a response was sent out of order, such as a second final head, or a body before
    /// its head.
    case sentOutOfOrder

    // MARK: - Malformed heads and trailers

    /// The peer does not use HTTP/1.1 (RFC 9112 §2.3).
    case foreignProtocol(ForeignProtocol)
    /// The version is well formed, but its major number is not 1 (RFC 9110 §2.5).
    case unsupportedVersion(major: UInt8, minor: UInt8)
    /// The version is not `HTTP/` DIGIT `.` DIGIT, or no space follows it (RFC 9112 §2.3).
    case malformedVersion(offset: Int)
    /// The status is not exactly three digits, or not followed by a space (RFC 9112 §4).
    case malformedStatus(offset: Int)
    /// The reason phrase contains a control byte (RFC 9112 §4).
    case malformedReason(offset: Int)
    /// The request line is not method, space, target, space, version (RFC 9112 §3).
    case malformedRequestLine(offset: Int)
    /// A line ends in LF without CR (RFC 9112 §2.2); strict decoders accept only CRLF.
    case bareLineFeed(offset: Int)
    /// A CR is not followed by LF (RFC 9112 §2.2).
    case bareCarriageReturn(offset: Int)
    /// Whitespace precedes the first field line (RFC 9112 §2.2).
    case leadingWhitespace(offset: Int)
    /// A field line is folded: it begins with whitespace (obs-fold, RFC 9112 §5.2).
    case foldedLine(offset: Int)
    /// A field line begins with its colon (RFC 9112 §5).
    case emptyFieldName(offset: Int)
    /// There is whitespace between field name and colon (RFC 9112 §5.1).
    case spaceBeforeColon(offset: Int)
    /// A field line has no colon (RFC 9112 §5).
    case missingColon(offset: Int)
    /// A field name contains a byte that is not allowed in a token (RFC 9110 §5.1).
    case malformedFieldName(offset: Int)
    /// A field value contains NUL or another control byte (RFC 9110 §5.5).
    case malformedFieldValue(offset: Int)
    /// The trailer section of a request contains a forbidden field (RFC 9110 §6.5.1).
    ///
    /// Forbidden are fields about framing, routing, authentication, caching or the format of the
    /// content.
    case forbiddenTrailer(offset: Int)

    /// A request of HTTP/1.1 has no Host (RFC 9112 §3.2).
    case missingHost
    /// A request has more than one Host (RFC 9112 §3.2).
    case repeatedHost
    /// The authority in Host or in the target is malformed (RFC 9112 §3.2, RFC 9110 §9.3.6).
    ///
    /// A valid one is a host with an optional port.
    case malformedHost
    /// A 101 response chooses a protocol that the request did not offer (RFC 9110 §7.8).
    case unofferedUpgrade

    // MARK: - Framing

    /// Content-Length is not a number or a list of equal numbers (RFC 9112 §6.3 rule 5).
    case malformedContentLength
    /// Content-Length occurs with different values (RFC 9112 §6.3 rule 5).
    case conflictingContentLengths
    /// Content-Length is above 2^63 - 1.
    case contentLengthOverflow
    /// Transfer-Encoding is empty or not a list of codings (RFC 9112 §6.1).
    case malformedTransferEncoding
    /// Transfer-Encoding has a coding other than chunked (RFC 9112 §6.1, §7).
    ///
    /// This module never offers another coding.
    case unknownTransferCoding
    /// The last transfer coding is not chunked, so the end of the body is unknown (RFC 9112 §6.3
    /// rule 4).
    case chunkedNotLast
    /// The chunked coding is applied more than once (RFC 9112 §6.1).
    case chunkedTwice
    /// A message of HTTP/1.0 has Transfer-Encoding, so its framing is faulty (RFC 9112 §6.1).
    case transferEncodingInHTTP10
    /// A request has both Content-Length and Transfer-Encoding (RFC 9112 §6.3 rule 3).
    ///
    /// This indicates request smuggling.
    case lengthBesideTransferEncoding

    // MARK: - Body

    /// A chunk does not begin with 1 to 16 hexadecimal digits (RFC 9112 §7.1).
    case malformedChunkSize(offset: Int)
    /// A chunk size is above 2^63 - 1 (RFC 9112 §7.1).
    case chunkSizeOverflow(offset: Int)
    /// A chunk extension is not `;name`, `;name=token` or `;name="text"` (RFC 9112 §7.1.1).
    case malformedChunkExtension(offset: Int)
    /// CRLF does not follow chunk size or chunk data (RFC 9112 §7.1).
    case malformedChunkEnd(offset: Int)

    // MARK: - Truncation

    /// The peer closed the connection before it sent any byte of a response (RFC 9112 §9.3.1).
    ///
    /// A safe request can be retried.
    case closedBeforeResponse
    /// The peer closed the connection within a head, or after only interim responses (RFC 9112 §8).
    case headTruncated
    /// The peer closed the connection within a body (RFC 9112 §8).
    ///
    /// `received` counts its bytes; `expected` is nil if the body is chunked.
    case bodyTruncated(received: Int, expected: Int?)

    // MARK: - Content codings

    /// The coded bytes violate the format of the coding (RFC 1950, 1951, 1952, 7932, 8878).
    case corruptCoding(ContentCoding)
    /// The coded bytes ended before the end of the format, which includes its checksum.
    case truncatedCoding(ContentCoding)
    /// Bytes follow the end of the coded stream.
    case bytesAfterCoding(ContentCoding)
    /// Content-Encoding contains a coding that ``ContentCoding`` does not support (RFC 9110 §8.4).
    case unknownContentCoding
    /// The decoder could not allocate memory.
    case codingOutOfMemory
    /// The coded bytes need a larger window than the 8 MiB of RFC 9659.
    case codingWindowTooLarge(ContentCoding)
    /// The coded bytes need a dictionary, which the client does not have.
    case codingNeedsDictionary(ContentCoding)

    // MARK: - Limits

    /// The message exceeds one of ``WireLimits``.
    case limitExceeded(ExceededLimit)

    /// A group of errors with the same origin and the same remedy.
    public enum Kind: Sendable, Hashable {
        /// The caller's text is not a URI.
        case uri
        /// The caller's message was rejected before any byte of it was written.
        case outgoing
        /// The peer's head or trailer section is malformed.
        case head
        /// The peer's framing fields contradict each other or the rules.
        case framing
        /// The peer's chunked body is malformed.
        case body
        /// The peer closed the connection too early.
        case truncated
        /// The content cannot be decoded.
        case coding
        /// One of ``WireLimits`` was exceeded.
        case limit
    }

    /// The group of the error.
    public var kind: Kind {
        switch self {
        case .invalidURI: .uri
        case .invalidMethod, .invalidTarget, .invalidVersion, .invalidStatus, .invalidReason,
            .invalidFieldName, .invalidFieldValue, .fieldTooLong, .bodyTooLong, .bodyTooShort,
            .trailersWithoutChunks, .invalidTrailer, .invalidFramingField, .invalidUpgrade,
            .sentOutOfOrder:
            .outgoing
        case .foreignProtocol, .unsupportedVersion, .malformedVersion, .malformedStatus,
            .malformedReason, .malformedRequestLine, .bareLineFeed, .bareCarriageReturn,
            .leadingWhitespace, .foldedLine, .emptyFieldName, .spaceBeforeColon, .missingColon,
            .malformedFieldName, .malformedFieldValue, .forbiddenTrailer, .missingHost,
            .repeatedHost, .malformedHost, .unofferedUpgrade:
            .head
        case .malformedContentLength, .conflictingContentLengths, .contentLengthOverflow,
            .malformedTransferEncoding, .unknownTransferCoding, .chunkedNotLast, .chunkedTwice,
            .transferEncodingInHTTP10, .lengthBesideTransferEncoding:
            .framing
        case .malformedChunkSize, .chunkSizeOverflow, .malformedChunkExtension, .malformedChunkEnd:
            .body
        case .closedBeforeResponse, .headTruncated, .bodyTruncated: .truncated
        case .corruptCoding, .truncatedCoding, .bytesAfterCoding, .unknownContentCoding,
            .codingOutOfMemory, .codingWindowTooLarge, .codingNeedsDictionary:
            .coding
        case .limitExceeded: .limit
        }
    }
}

/// A limit that a message exceeded, with the value that applied.
public enum ExceededLimit: Sendable, Hashable {
    /// ``WireLimits/headBytes``, in bytes.
    case headBytes(Int)
    /// ``WireLimits/requestLineBytes``, in bytes.
    case requestLineBytes(Int)
    /// ``WireLimits/fieldCount``.
    case fieldCount(Int)
    /// ``WireLimits/informationalCount``.
    case informationalCount(Int)
    /// ``WireLimits/chunkLineBytes``, in bytes.
    case chunkLineBytes(Int)
    /// ``WireLimits/chunkExtensionBytes``, in bytes.
    case chunkExtensionBytes(Int)
    /// ``WireLimits/trailerBytes``, in bytes.
    case trailerBytes(Int)
    /// ``WireLimits/trailerCount``.
    case trailerCount(Int)
    /// ``WireLimits/requestBodyBytes``, in bytes.
    case requestBodyBytes(Int)
    /// ``WireLimits/decodedBytes``, in bytes.
    case decodedBytes(Int)
    /// ``WireLimits/expansionRatio``.
    case expansionRatio(Int)
    /// ``WireLimits/codingOverheadBytes``.
    case codingOverheadBytes(Int)
    /// ``WireLimits/codingCount``.
    case codingCount(Int)
}

/// A reason why text is not a valid URI (RFC 3986, and RFC 9110 §4.2 for http and https).
public enum InvalidURIReason: Sendable, Hashable {
    /// The text is longer than 1 MiB, a limit of this module; servers rarely accept more than 8
    /// KiB.
    case tooLong
    /// A byte is not allowed in this part, such as a space, a control character, or a bracket
    /// outside a host.
    case forbiddenByte
    /// A byte is above 0x7E.
    ///
    /// A URI is ASCII, so international text must be percent-encoded.
    case nonASCII
    /// A "%" is not followed by two hexadecimal digits.
    case invalidPercentTriplet
    /// An http or https URI, or a reference that begins with "//", has no host.
    case missingHost
    /// A bracketed host is not an IPv6 address, or a bracket is missing.
    case invalidIPv6Literal
    /// The port is not 0 to 65535 in decimal digits.
    case invalidPort
    /// The first segment of a relative path contains a colon, and the text before it is not a
    /// scheme.
    case invalidScheme
    /// An international or percent-encoded host cannot be converted to ASCII; the offset is that of
    /// the host.
    case internationalHost(InternationalHostError)
}

/// The reason why an international or percent-encoded host cannot be converted to ASCII (UTS 46).
@nonexhaustive public enum InternationalHostError: Error, Sendable, Hashable {
    /// The package trait `IDN` is off.
    ///
    /// Enable it, or pass the host in its `xn--` form.
    case traitDisabled
    /// The decoded host is not UTF-8.
    case invalidUTF8
    /// A character is not allowed in a host, or maps to one that is not, such as "/", ":" or "@".
    case forbiddenCharacter
    /// A hyphen, combining mark or joiner is at a forbidden position, such as the start of a label.
    case misplacedCharacter
    /// Right-to-left characters are mixed with others in violation of RFC 5893.
    case mixedDirections
    /// A label that begins with `xn--` does not decode to a valid name.
    case invalidALabel
    /// Two dots are adjacent, or a label has only characters that are ignored.
    case emptyLabel
    /// A label has more than 63 bytes in its `xn--` form.
    case labelTooLong
    /// The name has more than 253 bytes in ASCII, or more than 1024 bytes before the conversion.
    case nameTooLong
    /// libidn2 failed for another reason, such as memory; the number is its status.
    case libraryFailure(Int)
}

/// A protocol other than HTTP/1.1 that a peer seems to use, judging by its first bytes.
public enum ForeignProtocol: Sendable, Hashable {
    /// A TLS record: the port expects https, or the peer sent an alert in clear text.
    case tls
    /// HTTP/2: a frame from a server, or the preface `PRI * HTTP/2.0` from a client.
    case http2
    /// HTTP/0.9: a request line without a version.
    case http09
    /// Anything else, including HTTP/0.9 responses, which have no head to recognize.
    case unknown
}

// MARK: - Text

extension WireError: CustomStringConvertible {
    /// The violated rule, in words, without a period at the end.
    public var description: String {
        switch self {
        case .invalidURI(let reason, let offset): "\(reason) (at byte \(offset))"
        case .foreignProtocol(let other): "the peer does not speak HTTP/1.1 but \(other)"
        case .unsupportedVersion(let major, let minor): "HTTP/\(major).\(minor) is not supported"
        case .limitExceeded(let limit): limit.description

        // Outgoing messages
        case .invalidMethod: "the method is not a token"
        case .invalidTarget(let offset):
            "the target contains a character that is not allowed (at byte \(offset))"
        case .invalidVersion: "the version is neither 1.0 nor 1.1"
        case .invalidStatus: "the status is not three digits"
        case .invalidReason: "the reason phrase contains a control character"
        case .invalidFieldName(let index): "the name of header \(index + 1) is not a token"
        case .invalidFieldValue(let index):
            "the value of header \(index + 1) contains a line break or another control character"
        case .fieldTooLong(let index): "header \(index + 1) is too long"
        case .bodyTooLong(let declared): "the body is longer than the announced \(declared) bytes"
        case .bodyTooShort(let declared, let sent):
            "the body ended after \(sent) of the announced \(declared) bytes"
        case .invalidTrailer(let index):
            "the field of trailer \(index + 1) is not allowed after the body"
        case .trailersWithoutChunks: "only a chunked body has trailers"
        case .invalidFramingField: "Content-Length or Transfer-Encoding contradicts the body"
        case .invalidUpgrade: "the protocol was not offered"
        case .sentOutOfOrder: "the parts of the message were sent in the wrong order"

        // Malformed heads and trailers
        case .malformedVersion(let offset): "the version is malformed (at byte \(offset))"
        case .malformedStatus(let offset): "the status is not three digits (at byte \(offset))"
        case .malformedReason(let offset):
            "the reason phrase contains a control character (at byte \(offset))"
        case .malformedRequestLine(let offset):
            "the request line is malformed (at byte \(offset))"
        case .bareLineFeed(let offset): "a line ends in LF without CR (at byte \(offset))"
        case .bareCarriageReturn(let offset): "a CR is not followed by LF (at byte \(offset))"
        case .leadingWhitespace(let offset):
            "whitespace precedes the first header (at byte \(offset))"
        case .foldedLine(let offset): "a header continues on a second line (at byte \(offset))"
        case .emptyFieldName(let offset): "a header has no name (at byte \(offset))"
        case .spaceBeforeColon(let offset):
            "whitespace precedes the colon of a header (at byte \(offset))"
        case .missingColon(let offset): "a header has no colon (at byte \(offset))"
        case .malformedFieldName(let offset):
            "the name of a header is not a token (at byte \(offset))"
        case .malformedFieldValue(let offset):
            "the value of a header contains a control character (at byte \(offset))"
        case .forbiddenTrailer(let offset):
            "a field is not allowed as a trailer (at byte \(offset))"
        case .missingHost: "Host is missing"
        case .repeatedHost: "Host occurs more than once"
        case .malformedHost: "Host is malformed"
        case .unofferedUpgrade: "the peer switched to a protocol that was not offered"

        // Framing, body, truncation and content codings
        case .malformedContentLength: "Content-Length is not a number"
        case .conflictingContentLengths:
            "Content-Length occurs more than once, with different values"
        case .contentLengthOverflow: "Content-Length is above 2^63 - 1"
        case .malformedTransferEncoding: "Transfer-Encoding is malformed"
        case .unknownTransferCoding: "Transfer-Encoding names a coding that was not offered"
        case .chunkedNotLast: "the last transfer coding is not chunked, so the end is unknown"
        case .chunkedTwice: "the chunked coding is applied twice"
        case .transferEncodingInHTTP10: "an HTTP/1.0 message has Transfer-Encoding"
        case .lengthBesideTransferEncoding: "Content-Length and Transfer-Encoding are both present"
        case .malformedChunkSize(let offset): "a chunk has no valid size (at byte \(offset))"
        case .chunkSizeOverflow(let offset):
            "the size of a chunk is above 2^63 - 1 (at byte \(offset))"
        case .malformedChunkExtension(let offset):
            "a chunk extension is malformed (at byte \(offset))"
        case .malformedChunkEnd(let offset): "a chunk does not end in CRLF (at byte \(offset))"
        case .closedBeforeResponse: "the peer closed the connection before it sent anything"
        case .headTruncated: "the peer closed the connection in the middle of the head"
        case .bodyTruncated(let received, let expected?):
            "the body ended after \(received) of \(expected) bytes"
        case .bodyTruncated(let received, nil):
            "the peer closed the connection after \(received) bytes of the body, before its end"
        case .corruptCoding(let coding): "the body is not valid \(coding) data"
        case .truncatedCoding(let coding): "the body ended in the middle of its \(coding) data"
        case .bytesAfterCoding(let coding): "bytes follow the \(coding) data of the body"
        case .unknownContentCoding: "Content-Encoding names a coding that cannot be decoded"
        case .codingOutOfMemory: "there is not enough memory to decode the body"
        case .codingWindowTooLarge(let coding):
            "the \(coding) data of the body needs a window of more than 8 MiB"
        case .codingNeedsDictionary(let coding): "the \(coding) data of the body needs a dictionary"
        }
    }
}

extension InvalidURIReason: CustomStringConvertible {
    /// The error in the text, in words.
    public var description: String {
        switch self {
        case .tooLong: "it is longer than 1 MiB"
        case .forbiddenByte: "it contains a character that is not allowed there"
        case .nonASCII: "it contains a character outside ASCII, which must be percent-encoded"
        case .invalidPercentTriplet: "a % is not followed by two hexadecimal digits"
        case .missingHost: "the host is missing"
        case .invalidIPv6Literal: "the text in brackets is not an IPv6 address"
        case .invalidPort: "the port is not a number from 0 to 65535"
        case .invalidScheme: "the text before the first colon is not a scheme"
        case .internationalHost(let reason): reason.description
        }
    }
}

extension InternationalHostError: CustomStringConvertible {
    /// The error in the host, in words.
    public var description: String {
        switch self {
        case .traitDisabled:
            "the host is not ASCII: use its xn-- form, or enable the trait IDN of this package"
        case .invalidUTF8: "the host is not UTF-8"
        case .forbiddenCharacter: "the host has a character that is not allowed in a host name"
        case .misplacedCharacter:
            "the host has a hyphen, combining mark or joiner at a place where it is not allowed"
        case .mixedDirections: "the host mixes left-to-right and right-to-left text"
        case .invalidALabel: "a label of the host begins with xn-- but is not an encoded name"
        case .emptyLabel: "the host has an empty label"
        case .labelTooLong: "a label of the host is longer than 63 bytes"
        case .nameTooLong: "the host is longer than 253 bytes"
        case .libraryFailure(let status): "libidn2 failed with status \(status)"
        }
    }
}

extension ForeignProtocol: CustomStringConvertible {
    /// The name of the protocol.
    public var description: String {
        switch self {
        case .tls: "TLS: the port may require https"
        case .http2: "HTTP/2"
        case .http09: "HTTP/0.9"
        case .unknown: "another protocol"
        }
    }
}

extension ExceededLimit: CustomStringConvertible {
    /// The exceeded limit, in words.
    public var description: String {
        switch self {
        case .headBytes(let limit): "the head has more than \(limit) bytes"
        case .requestLineBytes(let limit): "the request line has more than \(limit) bytes"
        case .fieldCount(let limit): "there are more than \(limit) headers"
        case .informationalCount(let limit): "there are more than \(limit) interim responses"
        case .chunkLineBytes(let limit): "the line of a chunk has more than \(limit) bytes"
        case .chunkExtensionBytes(let limit): "chunk extensions have more than \(limit) bytes"
        case .trailerBytes(let limit): "the trailers have more than \(limit) bytes"
        case .trailerCount(let limit): "there are more than \(limit) trailers"
        case .requestBodyBytes(let limit): "the body has more than \(limit) bytes"
        case .decodedBytes(let limit): "the decoded body has more than \(limit) bytes"
        case .codingOverheadBytes(let limit):
            "more than \(limit) bytes of the coded body decode to nothing"
        case .codingCount(let limit): "the body has more than \(limit) content codings"
        case .expansionRatio(let limit): "the body grows more than \(limit)-fold when decoded"
        }
    }
}

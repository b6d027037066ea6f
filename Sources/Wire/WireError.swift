/// Says which rule of HTTP/1.1 was broken, and where.
///
/// Each case is one rule; ``kind`` groups them by what a caller does next. Offsets count bytes from
/// the first byte of the head or trailer section, or of the whole chunked body, that the rule
/// speaks of. After any error from a decoder the connection is of no use: where the next message
/// begins is unknown.
public enum WireError: Error, Sendable, Hashable {
    // MARK: - Our own side

    /// The text is no URI reference, or no usable http one (RFC 3986, RFC 9110 §4.2); the offset is in UTF-8 bytes.
    case invalidURI(InvalidURIReason, offset: Int)
    /// The method is empty or no token (RFC 9110 §9.1).
    case invalidMethod
    /// The request target is empty, of the wrong form, or holds space, control or non-ASCII bytes (RFC 9112 §3.2).
    case invalidTarget(offset: Int)
    /// The version is neither 1.0 nor 1.1, and we write no other (RFC 9112 §2.3).
    case invalidVersion
    /// The status is not three digits, 100 to 999 (RFC 9112 §4).
    case invalidStatus
    /// The reason phrase holds a control byte (RFC 9112 §4).
    case invalidReason
    /// The name of the field at that index is empty or no token (RFC 9110 §5.1).
    case invalidFieldName(index: Int)
    /// The value of the field at that index holds CR, LF, NUL or another control byte (RFC 9110 §5.5).
    case invalidFieldValue(index: Int)
    /// The field at that index is longer than the 65 535 bytes of name or 2 GiB in all that we store.
    case fieldTooLong(index: Int)
    /// More body bytes were given than Content-Length promised (RFC 9112 §6.2).
    case bodyTooLong(declared: Int)
    /// The body ended before Content-Length was reached (RFC 9112 §6.2).
    case bodyTooShort(declared: Int, sent: Int)
    /// The field at that index may not be sent in a trailer section: it would come too late (RFC 9110 §6.5.1).
    case invalidTrailer(index: Int)
    /// Trailers were given to a body that is not chunked (RFC 9112 §7.1.2).
    case trailersWithoutChunks
    /// A response to be sent has Content-Length or Transfer-Encoding where it must not, or one that contradicts its body (RFC 9112 §6.1, §6.2).
    case invalidFramingField
    /// A 101 to be sent chooses a protocol that the request did not offer (RFC 9110 §7.8).
    case invalidUpgrade
    /// A part of a response was given where it may not stand: a second final head, a body before its head.
    case sentOutOfOrder

    // MARK: - Malformed heads and trailers

    /// The peer does not speak HTTP/1.1 at all (RFC 9112 §2.3).
    case foreignProtocol(ForeignProtocol)
    /// The version is well formed, but its major number is not 1 (RFC 9110 §2.5).
    case unsupportedVersion(major: UInt8, minor: UInt8)
    /// The version is not `HTTP/` DIGIT `.` DIGIT, or no space follows it (RFC 9112 §2.3).
    case malformedVersion(offset: Int)
    /// The status is not exactly three digits, or not followed by a space (RFC 9112 §4).
    case malformedStatus(offset: Int)
    /// The reason phrase holds a control byte (RFC 9112 §4).
    case malformedReason(offset: Int)
    /// The request line is not method, space, target, space, version (RFC 9112 §3).
    case malformedRequestLine(offset: Int)
    /// A line ends in LF without CR (RFC 9112 §2.2; we accept CRLF alone).
    case bareLineFeed(offset: Int)
    /// CR stands where no LF follows (RFC 9112 §2.2).
    case bareCarriageReturn(offset: Int)
    /// Whitespace precedes the first field line (RFC 9112 §2.2).
    case leadingWhitespace(offset: Int)
    /// A field line is folded: it begins with whitespace (obs-fold, RFC 9112 §5.2).
    case foldedLine(offset: Int)
    /// A field line begins with its colon (RFC 9112 §5).
    case emptyFieldName(offset: Int)
    /// Whitespace stands between field name and colon (RFC 9112 §5.1).
    case spaceBeforeColon(offset: Int)
    /// A field line has no colon (RFC 9112 §5).
    case missingColon(offset: Int)
    /// A field name holds a byte that no token may hold (RFC 9110 §5.1).
    case malformedFieldName(offset: Int)
    /// A field value holds NUL or another control byte (RFC 9110 §5.5).
    case malformedFieldValue(offset: Int)
    /// The trailer section of a request holds a field about framing, routing, authentication, caching or the format of the content (RFC 9110 §6.5.1).
    case forbiddenTrailer(offset: Int)

    /// A request of HTTP/1.1 has no Host (RFC 9112 §3.2).
    case missingHost
    /// A request has more than one Host (RFC 9112 §3.2).
    case repeatedHost
    /// Host, or the authority in the target, is no host with an optional port (RFC 9112 §3.2, RFC 9110 §9.3.6).
    case malformedHost
    /// A 101 response chooses a protocol that the request did not offer (RFC 9110 §7.8).
    case unofferedUpgrade

    // MARK: - Framing

    /// Content-Length is not one number, or a list of equal ones (RFC 9112 §6.3 rule 5).
    case malformedContentLength
    /// Content-Length is given twice with different values (RFC 9112 §6.3 rule 5).
    case conflictingContentLengths
    /// Content-Length is above 2^63 - 1.
    case contentLengthOverflow
    /// Transfer-Encoding is empty or no list of codings (RFC 9112 §6.1).
    case malformedTransferEncoding
    /// Transfer-Encoding names a coding beside chunked; we offer none (RFC 9112 §6.1, §7).
    case unknownTransferCoding
    /// The last transfer coding is not chunked, so the end would be a guess (RFC 9112 §6.3 rule 4).
    case chunkedNotLast
    /// The chunked coding is applied more than once (RFC 9112 §6.1).
    case chunkedTwice
    /// A message of HTTP/1.0 has Transfer-Encoding, and so faulty framing (RFC 9112 §6.1).
    case transferEncodingInHTTP10
    /// A request has Content-Length beside Transfer-Encoding: a smuggling attempt (RFC 9112 §6.3 rule 3).
    case lengthBesideTransferEncoding

    // MARK: - Body

    /// A chunk does not begin with hexadecimal digits, or they are more than 16 (RFC 9112 §7.1).
    case malformedChunkSize(offset: Int)
    /// A chunk size is above 2^63 - 1 (RFC 9112 §7.1).
    case chunkSizeOverflow(offset: Int)
    /// A chunk extension holds a control byte or is not set off by ";" (RFC 9112 §7.1.1).
    case malformedChunkExtension(offset: Int)
    /// CRLF does not follow chunk size or chunk data (RFC 9112 §7.1).
    case malformedChunkEnd(offset: Int)

    // MARK: - Truncation

    /// The peer closed before it sent one byte of a response; a safe request may be sent again (RFC 9112 §9.3.1).
    case closedBeforeResponse
    /// The peer closed inside a head, or after nothing but interim responses (RFC 9112 §8).
    case headTruncated
    /// The peer closed inside a body; `received` counts its bytes, `expected` is nil when chunked (RFC 9112 §8).
    case bodyTruncated(received: Int, expected: Int?)

    // MARK: - Content codings

    /// The coded bytes break the format of the coding (RFC 1950, 1951, 1952).
    case corruptCoding(ContentCoding)
    /// The coded bytes ended before the format did, checksum included.
    case truncatedCoding(ContentCoding)
    /// Bytes follow the end of the coded stream.
    case bytesAfterCoding(ContentCoding)
    /// Content-Encoding names a coding that ``ContentCoding`` does not know (RFC 9110 §8.4).
    case unknownContentCoding
    /// zlib could not get memory.
    case codingOutOfMemory

    // MARK: - Limits

    /// The message is larger than we agreed to take.
    case limitExceeded(ExceededLimit)

    /// Groups errors by who is to blame and what helps.
    public enum Kind: Sendable, Hashable {
        /// The caller's text is no URI.
        case uri
        /// The caller's message was refused before a byte of it was written.
        case outgoing
        /// The peer's head or trailer section is malformed.
        case head
        /// The peer's framing fields contradict each other or the rules.
        case framing
        /// The peer's chunked body is malformed.
        case body
        /// The peer closed too early.
        case truncated
        /// The content does not decode.
        case coding
        /// One of ``WireLimits`` was exceeded.
        case limit
    }

    /// Tells to which group the error belongs.
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
            .codingOutOfMemory:
            .coding
        case .limitExceeded: .limit
        }
    }
}

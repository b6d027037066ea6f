/// Reports one deviation from RFC 9110 or RFC 9112 that a decoder tolerated.
///
/// Decoders give none at ``Strictness/strict``. Their number is bounded by
/// ``WireLimits/diagnosticCount``.
public struct Diagnostic: Sendable, Hashable, CustomStringConvertible {
    /// Which rule was broken.
    public let code: Code
    /// Where: bytes from the first of the head, or of the chunked body, trailers included.
    ///
    /// Empty where something is missing, or where a field did not come with a head.
    public let range: Range<Int>

    /// Creates a report of those parts.
    public init(_ code: Code, at range: Range<Int>) {
        self.code = code
        self.range = range
    }

    /// The first byte concerned.
    public var offset: Int { range.lowerBound }

    /// Tells offset, rule and deviation in one line, for people.
    public var description: String { "byte \(offset): \(code.text) (\(code.rule))" }

    /// Names the rules that can be broken without making a message unreadable.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        // MARK: Lines

        /// A line ends in LF without CR.
        case bareLineFeed
        /// CR stands where no LF follows.
        case bareCarriageReturn
        /// Empty lines precede the start line.
        case emptyLineBeforeStart
        /// The words of a start line are not set apart by one space each.
        case irregularSpacing

        // MARK: Start line

        /// The method is no token.
        case malformedMethod
        /// The target holds a byte that none may hold.
        case malformedTarget
        /// The target holds bytes above 0x7F.
        case obsTextInTarget
        /// The target has none of the four forms, or not the one of its method.
        case unknownTargetForm
        /// The version is not `HTTP/` DIGIT `.` DIGIT.
        case malformedVersion
        /// The major version is not 1.
        case unsupportedVersion
        /// The status is not three digits of 100 or more and a space.
        case malformedStatus
        /// The reason phrase holds a control byte.
        case controlInReason

        // MARK: Fields

        /// A line begins with whitespace, and no field stands before it to go on with.
        case leadingWhitespace
        /// A field line is folded.
        case foldedLine
        /// A line of the section has no colon.
        case missingColon
        /// A field line begins with its colon.
        case emptyFieldName
        /// Whitespace stands between field name and colon.
        case spaceBeforeColon
        /// A field name is no token, or too long to store.
        case malformedFieldName
        /// A field value holds a control byte.
        case controlInValue
        /// NUL stands in a start line or a field value.
        case nulByte

        // MARK: Framing

        /// Content-Length is not one number, or a list of numbers.
        case malformedContentLength
        /// Content-Length is given more than once, always with the same value.
        case repeatedContentLength
        /// Content-Length is given with different values.
        case conflictingContentLengths
        /// Content-Length is above 2^63 - 1.
        case contentLengthOverflow
        /// Transfer-Encoding is empty or no list of codings.
        case malformedTransferEncoding
        /// Transfer-Encoding names a coding beside chunked.
        case unknownTransferCoding
        /// The last transfer coding is not chunked.
        case chunkedNotLast
        /// The chunked coding is applied more than once.
        case chunkedTwice
        /// A message of HTTP/1.0 has Transfer-Encoding.
        case transferEncodingInHTTP10
        /// Content-Length stands beside Transfer-Encoding.
        case lengthBesideTransferEncoding
        /// A framing field stands in a message that can have no body of such framing.
        case framingFieldWithoutBody

        // MARK: Chunks

        /// Whitespace stands behind a chunk size that has no extension; told where it ends.
        case spaceAfterChunkSize
        /// A chunk extension holds a control byte or is not set off by ";".
        case malformedChunkExtension
        /// No line end follows chunk data.
        case missingChunkEnd
        /// A trailer section holds a field that must be known before the content.
        case forbiddenTrailer

        // MARK: The list itself

        /// There were more deviations than ``WireLimits/diagnosticCount``; the first of those left out.
        case furtherDeviations
    }
}

/// A deviation from RFC 9110 or RFC 9112 that a decoder tolerated.
///
/// Decoders report none at ``Strictness/strict``. ``WireLimits/diagnosticCount`` limits their
/// number.
public struct Diagnostic: Sendable, Hashable, CustomStringConvertible {
    /// The rule that was broken.
    public let code: Code
    /// The position in bytes from the start of the head, or of the chunked body including trailers.
    ///
    /// Empty if something is missing, or if a field is not part of a received head.
    public let range: Range<Int>

    /// Creates a diagnostic.
    public init(_ code: Code, at range: Range<Int>) {
        self.code = code
        self.range = range
    }

    /// The position of the first byte concerned.
    public var offset: Int { range.lowerBound }

    /// The offset, the rule and the deviation in one line, for people.
    public var description: String { "byte \(offset): \(code.text) (\(code.rule))" }

    /// A rule that a message can break and still be readable.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        // MARK: Lines

        /// A line ends in LF without CR.
        case bareLineFeed
        /// A CR is not followed by LF.
        case bareCarriageReturn
        /// Empty lines precede the start line.
        case emptyLineBeforeStart
        /// The words of a start line are not separated by exactly one space.
        case irregularSpacing

        // MARK: Start line

        /// The method is not a token.
        case malformedMethod
        /// The target contains a forbidden byte.
        case malformedTarget
        /// The target contains bytes above 0x7F.
        case obsTextInTarget
        /// The target has none of the four forms, or not the form that its method requires.
        case unknownTargetForm
        /// The version is not `HTTP/` DIGIT `.` DIGIT.
        case malformedVersion
        /// The major version is not 1.
        case unsupportedVersion
        /// The status is not three digits, 100 or higher, followed by a space.
        case malformedStatus
        /// The reason phrase contains a control byte.
        case controlInReason

        // MARK: Fields

        /// A line begins with whitespace, and there is no preceding field that it could continue.
        case leadingWhitespace
        /// A field line is folded.
        case foldedLine
        /// A line of the section has no colon.
        case missingColon
        /// A field line begins with its colon.
        case emptyFieldName
        /// There is whitespace between field name and colon.
        case spaceBeforeColon
        /// A field name is not a token, or is too long to store.
        case malformedFieldName
        /// A field value contains a control byte.
        case controlInValue
        /// A start line or a field value contains NUL.
        case nulByte

        // MARK: Framing

        /// Content-Length is not a number or a list of numbers.
        case malformedContentLength
        /// Content-Length occurs more than once, always with the same value.
        case repeatedContentLength
        /// Content-Length occurs with different values.
        case conflictingContentLengths
        /// Content-Length is above 2^63 - 1.
        case contentLengthOverflow
        /// Transfer-Encoding is empty or not a list of codings.
        case malformedTransferEncoding
        /// Transfer-Encoding contains a coding other than chunked.
        case unknownTransferCoding
        /// The last transfer coding is not chunked.
        case chunkedNotLast
        /// The chunked coding is applied more than once.
        case chunkedTwice
        /// A message of HTTP/1.0 has Transfer-Encoding.
        case transferEncodingInHTTP10
        /// Content-Length and Transfer-Encoding are both present.
        case lengthBesideTransferEncoding
        /// A message that cannot have a body with this framing contains a framing field.
        case framingFieldWithoutBody

        // MARK: Chunks

        /// Whitespace follows a chunk size without an extension; the position is its end.
        case spaceAfterChunkSize
        /// A chunk extension is not `;name`, `;name=token` or `;name="text"`.
        case malformedChunkExtension
        /// No line end follows chunk data.
        case missingChunkEnd
        /// A trailer section contains a field that must precede the content.
        case forbiddenTrailer

        // MARK: Omitted diagnostics

        /// There were more deviations than ``WireLimits/diagnosticCount``; the position is the
        /// first one omitted.
        case furtherDeviations
    }
}

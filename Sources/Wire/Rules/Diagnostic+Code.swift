extension Diagnostic.Code {
    /// The first level that tolerates the deviation, unless an exception applies.
    ///
    /// The exceptions at ``Strictness/lenient`` are listed in the article *Strictness levels*. Only
    /// `FramingAnalysis` of the module WireForensics reports codes about framing fields.
    public var level: Strictness {
        switch self {
        case .bareLineFeed, .bareCarriageReturn, .emptyLineBeforeStart, .irregularSpacing,
            .obsTextInTarget, .controlInReason, .foldedLine, .spaceBeforeColon, .controlInValue,
            .forbiddenTrailer, .furtherDeviations:
            .lenient
        default:
            .forensic
        }
    }

    /// The section of the standard that the deviation violates.
    public var rule: String {
        switch self {
        case .bareLineFeed, .bareCarriageReturn, .emptyLineBeforeStart, .leadingWhitespace:
            "RFC 9112 §2.2"
        case .malformedVersion: "RFC 9112 §2.3"
        case .unsupportedVersion: "RFC 9110 §2.5"
        case .irregularSpacing: "RFC 9112 §3, §4"
        case .malformedMethod: "RFC 9110 §9.1"
        case .malformedTarget, .obsTextInTarget, .unknownTargetForm: "RFC 9112 §3.2"
        case .malformedStatus, .controlInReason: "RFC 9112 §4"
        case .missingColon, .emptyFieldName: "RFC 9112 §5"
        case .spaceBeforeColon: "RFC 9112 §5.1"
        case .foldedLine: "RFC 9112 §5.2"
        case .malformedFieldName: "RFC 9110 §5.1"
        case .controlInValue, .nulByte: "RFC 9110 §5.5"
        case .malformedContentLength, .conflictingContentLengths: "RFC 9112 §6.3 rule 5"
        case .repeatedContentLength, .contentLengthOverflow: "RFC 9110 §8.6"
        case .malformedTransferEncoding, .unknownTransferCoding, .chunkedTwice,
            .transferEncodingInHTTP10:
            "RFC 9112 §6.1"
        case .chunkedNotLast: "RFC 9112 §6.3 rule 4"
        case .lengthBesideTransferEncoding: "RFC 9112 §6.3 rule 3"
        case .framingFieldWithoutBody: "RFC 9112 §6.3 rules 1 and 2"
        case .spaceAfterChunkSize, .malformedChunkExtension: "RFC 9112 §7.1.1"
        case .missingChunkEnd: "RFC 9112 §7.1"
        case .forbiddenTrailer: "RFC 9110 §6.5.1"
        case .furtherDeviations: "limit diagnosticCount"
        }
    }

    /// A description of the deviation for people.
    public var text: String {
        switch self {
        case .bareLineFeed: "the line ends in LF without CR"
        case .bareCarriageReturn: "CR without LF"
        case .emptyLineBeforeStart: "empty lines before the start line"
        case .irregularSpacing: "the parts of the start line are not separated by one space"
        case .malformedMethod: "the method is not a token"
        case .malformedTarget: "a byte that is not allowed in a request target"
        case .obsTextInTarget: "bytes above 0x7F in the request target"
        case .unknownTargetForm: "the request target has none of the four forms"
        case .malformedVersion: "the version is malformed"
        case .unsupportedVersion: "the major version is not 1"
        case .malformedStatus: "the status is not three digits and a space"
        case .controlInReason: "a control byte in the reason phrase"
        case .leadingWhitespace: "the line begins with whitespace, and no field precedes it"
        case .foldedLine: "the field line is folded"
        case .missingColon: "the line has no colon"
        case .emptyFieldName: "the field name is empty"
        case .spaceBeforeColon: "whitespace between field name and colon"
        case .malformedFieldName: "the field name is not a token"
        case .controlInValue: "a control byte in the field value"
        case .nulByte: "NUL"
        case .malformedContentLength: "Content-Length is not a number"
        case .repeatedContentLength: "Content-Length is repeated"
        case .conflictingContentLengths: "Content-Length occurs with different values"
        case .contentLengthOverflow: "Content-Length is above 2^63 - 1"
        case .malformedTransferEncoding: "Transfer-Encoding is not a list of codings"
        case .unknownTransferCoding: "a transfer coding other than chunked"
        case .chunkedNotLast: "the last transfer coding is not chunked"
        case .chunkedTwice: "the chunked coding is applied more than once"
        case .transferEncodingInHTTP10: "Transfer-Encoding in HTTP/1.0"
        case .lengthBesideTransferEncoding: "Content-Length together with Transfer-Encoding"
        case .framingFieldWithoutBody: "a framing field in a message that has no body"
        case .spaceAfterChunkSize: "whitespace after the chunk size"
        case .malformedChunkExtension: "the chunk extension is malformed"
        case .missingChunkEnd: "no line end after the chunk data"
        case .forbiddenTrailer: "a field that is not allowed in a trailer section"
        case .furtherDeviations: "further deviations were not recorded"
        }
    }
}

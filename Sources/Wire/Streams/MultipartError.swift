/// A reason why a multipart body cannot be parsed.
///
/// Offsets count bytes from the start of the body.
public enum MultipartError: Error, Hashable, Sendable {
    /// The boundary is empty or longer than 70 bytes (RFC 2046 §5.1.1).
    case malformedBoundary
    /// A delimiter or the end of its line is missing at this offset.
    case missingDelimiter(offset: Int)
    /// The body has no parts: its first delimiter is the closing one.
    case missingPart
    /// The body has more parts than allowed.
    case tooManyParts
    /// The fields of the part at this offset are invalid.
    ///
    /// The error's offsets begin at this offset.
    case malformedFields(WireError, offset: Int)
    /// The part at this offset has no Content-Range, several of them, or a malformed one.
    case malformedContentRange(offset: Int)
    /// The body, or the limit for header fields, ends within the part at this offset.
    case truncated(offset: Int)
}

/// Says why a multipart body could not be taken apart; offsets count bytes of the body.
public enum MultipartError: Error, Hashable, Sendable {
    /// The boundary is empty or above 70 bytes (RFC 2046 §5.1.1).
    case malformedBoundary
    /// No delimiter, or no end of its line, where there must be one.
    case missingDelimiter(offset: Int)
    /// The last delimiter comes first.
    case missingPart
    /// There are more parts than were allowed.
    case tooManyParts
    /// The fields of the part that begins there break a rule; the error counts from there.
    case malformedFields(WireError, offset: Int)
    /// The part that begins there has no Content-Range, several, or one that cannot be read.
    case malformedContentRange(offset: Int)
    /// The body, or the bytes allowed for fields, ended inside the part that begins there.
    case truncated(offset: Int)
}

/// Says why a multipart body could not be taken apart; offsets count octets of the body.
public enum MultipartFault: Error, Hashable, Sendable {
    /// The boundary is empty or above 70 octets (RFC 2046 §5.1.1).
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
    /// The body, or the octets allowed for fields, ended inside the part that begins there.
    case truncated(offset: Int)
}

public import Wire

/// The difference between a 206 (Partial Content) and the range that was requested.
@nonexhaustive public enum HTTPRangeError: Error, Sendable, Hashable {
    /// The request had no Range field.
    case notRequested
    /// The response has no Content-Range field in bytes, several of them, or a malformed one.
    ///
    /// A multipart/byteranges response to a request for several ranges needs none.
    case missingContentRange
    /// The bytes are not among the requested ones; fewer bytes are not a mismatch (RFC 9110 §15.3.7).
    case unexpectedRange(requested: RangeHeader, answered: ContentRange)
    /// The body does not have the length of its Content-Range; it has `received` bytes or more.
    case lengthMismatch(ContentRange, received: Int)
}

extension HTTPRangeError: CustomStringConvertible {
    /// One line that describes the difference.
    public var description: String {
        switch self {
        case .notRequested: "the server sent a range, but the request had no Range field"
        case .missingContentRange: "the server sent a range without a valid Content-Range"
        case .unexpectedRange(let requested, let answered):
            "\"\(requested)\" was requested, but the server sent \"\(answered)\""
        case .lengthMismatch(let range, let received):
            "the body of the range \"\(range)\" has \(received) bytes"
        }
    }
}

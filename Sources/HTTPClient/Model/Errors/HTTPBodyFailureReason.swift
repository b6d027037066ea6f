/// The reason why the body of a request could not be sent to its end.
///
/// The client then closes the connection, so that the peer can detect the incomplete request.
@nonexhaustive public enum HTTPBodyFailureReason: Sendable, Hashable {
    /// The sequence that produces the body threw; ``HTTPError/underlying`` is the error.
    case thrown(description: String)
    /// The body ended before its announced length, in bytes.
    case tooShort(expected: Int, sent: Int)
    /// The body is longer than its announced length, in bytes.
    ///
    /// No byte beyond that length was sent, and possibly not all bytes before it.
    case tooLong(expected: Int)
    /// The file could not be read any more, or it has changed since its length was announced.
    case file(String, HTTPFileError)
    /// The body can be produced only once, and the client had to send it again for this reason.
    ///
    /// Use a replayable body, such as a file, or a closure that creates the sequence
    /// (``HTTPBody/stream(length:contentType:_:)``).
    case notReplayable(HTTPMetrics.Attempt.Reason)
}

/// The reason why a file cannot be the body of a request.
@nonexhaustive public enum HTTPFileError: Error, Sendable, Hashable {
    /// The file could not be opened or read; `reason` is the system's text, such as `Permission denied`.
    case unreadable(errno: Int32, reason: String)
    /// The path is a directory, a pipe or a device, which has no known length.
    case notRegular
    /// The requested range is not within the file, which has `length` bytes.
    case rangeOutOfBounds(length: Int)
    /// The length of the file has changed since it was announced.
    case changed
}

extension HTTPBodyFailureReason: CustomStringConvertible {
    /// A one-line description, with the change that is needed if the caller can make one.
    public var description: String {
        switch self {
        case .thrown(let description): "producing the body failed: \(description)"
        case .tooShort(let expected, let sent):
            "the body ended after \(sent) bytes, but \(expected) were expected"
        case .tooLong(let expected): "the body is longer than the expected \(expected) bytes"
        case .file(let path, let fault): "\(path): \(fault)"
        case .notReplayable(.first):
            "the body can be produced only once, and another call sends it: use a closure that creates it"
        case .notReplayable(let reason):
            "the body had to be sent again (\(reason)), but can be produced only once: "
                + "use a closure that creates it"
        }
    }
}

extension HTTPFileError: CustomStringConvertible {
    /// A one-line description, without the path.
    public var description: String {
        switch self {
        case .unreadable(_, let reason): reason
        case .notRegular: "not a regular file: send its content as a stream"
        case .rangeOutOfBounds(let length): "the range is not within the file's \(length) bytes"
        case .changed: "changed while it was being sent"
        }
    }
}

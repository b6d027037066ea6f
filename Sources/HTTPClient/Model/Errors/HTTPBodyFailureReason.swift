/// Says why the content of a request could not be sent to its end.
///
/// The connection is closed then: what the peer has of the request is not complete, and it can see
/// that.
@nonexhaustive public enum HTTPBodyFailureReason: Sendable, Hashable {
    /// The sequence that makes the content threw; what it threw is ``HTTPError/underlying``.
    case thrown(description: String)
    /// The content ended short of the length that was announced for it, in bytes.
    case tooShort(expected: Int, sent: Int)
    /// The content went on beyond the length that was announced for it, in bytes.
    ///
    /// Nothing beyond it was sent, and not all before it.
    case tooLong(expected: Int)
    /// The file could not be read any more, or has changed since its length was announced.
    case file(String, HTTPFileError)
    /// The content can be made once only, and had to be sent again for this reason.
    ///
    /// Give a body that can be made again, such as a file, or a closure in place of a sequence
    /// (``HTTPBody/stream(length:contentType:_:)``).
    case notReplayable(HTTPMetrics.Attempt.Reason)
}

/// Says why a file cannot be the content of a request.
@nonexhaustive public enum HTTPFileError: Error, Sendable, Hashable {
    /// The system refused to open or read it; the text is the system's, such as `Permission denied`.
    case unreadable(errno: Int32, reason: String)
    /// It is a directory, a pipe or a device, whose length nobody knows.
    case notRegular
    /// The requested range is not within the file, which has this many bytes.
    case rangeOutOfBounds(length: Int)
    /// It has become shorter or longer since its length was announced.
    case changed
}

extension HTTPBodyFailureReason: CustomStringConvertible {
    /// One line that says what to change.
    public var description: String {
        switch self {
        case .thrown(let description): "making the body failed: \(description)"
        case .tooShort(let expected, let sent):
            "the body ended after \(sent) bytes, but \(expected) were expected"
        case .tooLong(let expected): "the body goes on beyond the \(expected) bytes expected"
        case .file(let path, let fault): "\(path): \(fault)"
        case .notReplayable(.first):
            "another call sends the body, which can be made once only: give a closure that makes it"
        case .notReplayable(let reason):
            "the body had to be sent again (\(reason)), and can be made once only: "
                + "give a closure that makes it"
        }
    }
}

extension HTTPFileError: CustomStringConvertible {
    /// One line that says what to change.
    public var description: String {
        switch self {
        case .unreadable(_, let reason): reason
        case .notRegular: "not a regular file: send what it gives as a stream"
        case .rangeOutOfBounds(let length): "the range is not within its \(length) bytes"
        case .changed: "changed while it was being sent"
        }
    }
}

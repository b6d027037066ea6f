/// The body of a response that a server writes without ``ServerExchange``, for example a faulty one.
extension ResponseHead {
    /// Whether a field in the head determines the end of the body.
    package var isFramed: Bool {
        headers.contains(.contentLength) || headers.contains(.transferEncoding)
    }

    /// Whether RFC 9110 §8.6 and RFC 9112 §6.1 allow a field with the body's length.
    package var canHaveContentLength: Bool {
        status.kind != .informational && status != .noContent && status != .notModified
    }

    /// Returns whether a response to a request with this method can have a body.
    package func canHaveBody(to method: HTTPMethod) -> Bool {
        canHaveContentLength && method != .head
    }
}

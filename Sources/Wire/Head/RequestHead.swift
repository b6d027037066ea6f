/// Holds the start line and the fields of a request (RFC 9112 §3).
public struct RequestHead: Hashable, Sendable {
    /// What is asked for.
    public var method: HTTPMethod
    /// What it is asked of.
    public var target: RequestTarget
    /// The version declared; ``HTTPVersion/http11`` unless there is a reason.
    public var version: HTTPVersion
    /// The fields, Host included: nothing is added when the head is written.
    public var headers: HTTPHeaders

    /// Creates a head of those parts, checked when it is written.
    public init(
        method: HTTPMethod,
        target: RequestTarget,
        version: HTTPVersion = .http11,
        headers: HTTPHeaders = [:]
    ) {
        self.method = method
        self.target = target
        self.version = version
        self.headers = headers
    }
}

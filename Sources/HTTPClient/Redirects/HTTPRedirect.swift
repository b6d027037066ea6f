public import Wire

/// Tells of one step from a URL to another.
public struct HTTPRedirect: Sendable {
    /// The URL that was asked, without credentials.
    public let url: URI
    /// With which method.
    public let method: HTTPMethod
    /// What it answered: status and fields.
    public let head: ResponseHead
    /// Where it led: absolute, without credentials.
    public let location: URI

    /// The status code.
    public var status: HTTPStatus { head.status }
}

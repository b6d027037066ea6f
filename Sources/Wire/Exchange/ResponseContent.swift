/// Says how much body a server wants to send with a response.
///
/// For the response to HEAD, and for 304, it describes the body that is left out.
public enum ResponseContent: Sendable, Hashable {
    /// None: a body of no bytes where there may be one.
    case empty
    /// This many bytes; a negative number is refused.
    case length(Int)
    /// Nobody knows before it ends: chunks, or up to the close for a client of HTTP/1.0.
    case streamed
}

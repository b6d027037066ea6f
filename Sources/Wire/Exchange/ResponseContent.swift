/// The amount of body that a server sends with a response.
///
/// For a response to HEAD, and for 304, it describes the omitted body.
public enum ResponseContent: Sendable, Hashable {
    /// No content: an empty body if the response can have a body.
    case empty
    /// This many bytes; a negative number is rejected.
    case length(Int)
    /// An unknown length: chunks or, for a client of HTTP/1.0, bytes up to the end of the
    /// connection.
    case streamed
}

/// Says why a connection cannot carry another exchange (RFC 9112 §9.3 and §9.6).
public enum CloseReason: Sendable, Hashable {
    /// One side sent `Connection: close`.
    case connectionClose
    /// One side speaks HTTP/1.0 and did not ask to keep the connection.
    case http10
    /// The close of the connection was the end of the body.
    case closeDelimited
    /// The response had Transfer-Encoding beside Content-Length: one of the two may be a lie.
    case lengthAndTransferEncoding
    /// The response ended before the request was sent as a whole.
    case requestIncomplete
    /// The connection speaks another protocol now: 101, or 2xx to CONNECT.
    case upgraded
    /// Octets followed the end of the response, though nothing was asked.
    case unsolicitedBytes
    /// The response has not ended yet.
    case responseIncomplete
}

/// Names what a peer seems to speak instead of HTTP/1.1, judged by its first bytes.
public enum ForeignProtocol: Sendable, Hashable {
    /// A TLS record: the port wants https, or the peer sent an alert in clear.
    case tls
    /// HTTP/2: a frame from a server, or the preface `PRI * HTTP/2.0` from a client.
    case http2
    /// HTTP/0.9: a request line without a version.
    case http09
    /// Anything else, HTTP/0.9 responses included: they have no head to know them by.
    case unknown
}

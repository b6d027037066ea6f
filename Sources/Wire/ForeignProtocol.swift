/// A protocol other than HTTP/1.1 that a peer seems to use, judging by its first bytes.
public enum ForeignProtocol: Sendable, Hashable {
    /// A TLS record: the port expects https, or the peer sent an alert in clear text.
    case tls
    /// HTTP/2: a frame from a server, or the preface `PRI * HTTP/2.0` from a client.
    case http2
    /// HTTP/0.9: a request line without a version.
    case http09
    /// Anything else, including HTTP/0.9 responses, which have no head to recognize.
    case unknown
}

/// Says how TLS failed and whose doing it was.
///
/// - term The peer's doing: `certificateRejected`, `hostnameMismatch`, `peerAlert`, `notTLS`,
///   `closedDuringHandshake`, `versionMismatch`, `protocolError`.
/// - term The caller's doing: `badTrust`, `badIdentity`, `badHost`, `badConfiguration`.
/// - term Neither: `internalError`.
package enum TLSFailure: Error, Sendable, Hashable {
    /// The peer's chain does not lead to a trusted authority, or a certificate in it is not valid.
    case certificateRejected(CertificateRejection)
    /// The chain is good, but made out to other names (RFC 9110 §4.3.4, RFC 6125).
    ///
    /// `presented` holds the DNS names and addresses of the leaf, at most 100 of them.
    case hostnameMismatch(expected: String, presented: [String])
    /// The peer refused and said why (RFC 8446 §6); `code` is the alert's number.
    case peerAlert(code: UInt8, description: String)
    /// The first octets were no TLS record: a plain-text server answers on this port.
    case notTLS
    /// The peer closed or reset the connection before the handshake was over.
    case closedDuringHandshake
    /// The two sides have no protocol version in common.
    case versionMismatch
    /// The peer broke the protocol; `reason` is the library's word for the rule broken.
    case protocolError(reason: String)
    /// The trusted certificates could not be read; `source` is a path, or says which setting.
    case badTrust(source: String, reason: String)
    /// Our own certificate chain or private key cannot be used.
    case badIdentity(reason: String)
    /// The name of the peer is empty, too long, or no text for a certificate to be checked against.
    case badHost(String)
    /// A setting is one that the library refuses, such as an empty protocol name.
    case badConfiguration(reason: String)
    /// The library failed in a way that nobody's data explains, such as memory running out.
    case internalError(reason: String)
}

/// Says how TLS failed and whose doing it was.
///
/// - term The peer's doing: `certificateRejected`, `hostnameMismatch`, `pinMismatch`, `vetoed`,
///   `peerAlert`, `notTLS`, `closedDuringHandshake`, `versionMismatch`, `protocolError`.
/// - term The caller's doing: `badTrust`, `badIdentity`, `badPin`, `badCiphers`, `badHost`,
///   `badConfiguration`.
/// - term Neither: `internalError`.
package enum TLSError: Error, Sendable, Hashable {
    /// The peer's chain does not lead to a trusted authority, or a certificate in it is not valid.
    case certificateRejected(CertificateRejection)
    /// The chain is good, but made out to other names (RFC 9110 §4.3.4, RFC 6125).
    ///
    /// `presented` holds the DNS names and addresses of the leaf, at most 100 of them.
    case hostnameMismatch(expected: String, presented: [String])
    /// The chain is good, but nothing in it is pinned for `host`; `peer` shows what there was.
    case pinMismatch(host: String, peer: TLSPeer)
    /// The caller's own code did not accept the peer.
    case vetoed(reason: String)
    /// The peer refused and said why (RFC 8446 §6); `code` is the alert's number.
    case peerAlert(code: UInt8, description: String)
    /// The first bytes were no TLS record: a plain-text server answers on this port.
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
    /// A pin cannot be read, or a rule has none.
    case badPin(reason: String)
    /// The library knows no cipher suite or group of those asked for.
    case badCiphers(reason: String)
    /// The name of the peer is empty, too long, or no text for a certificate to be checked against.
    case badHost(String)
    /// A setting is one that the library refuses, such as an empty protocol name.
    case badConfiguration(reason: String)
    /// The library failed in a way that nobody's data explains, such as memory running out.
    case internalError(reason: String)
}

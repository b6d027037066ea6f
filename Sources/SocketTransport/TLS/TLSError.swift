/// A TLS failure, by the side that caused it.
///
/// - term The peer: `certificateRejected`, `hostnameMismatch`, `pinMismatch`, `vetoed`,
///   `peerAlert`, `notTLS`, `closedDuringHandshake`, `versionMismatch`, `protocolError`.
/// - term The caller: `badTrust`, `badIdentity`, `badPin`, `badCiphers`, `badHost`,
///   `badConfiguration`.
/// - term Neither: `internalError`.
package enum TLSError: Error, Sendable, Hashable {
    /// The peer's chain does not lead to a trusted authority, or a certificate in it is invalid.
    case certificateRejected(CertificateRejection)
    /// The chain is valid, but not for this name (RFC 9110 §4.3.4, RFC 6125).
    ///
    /// `presented` contains the DNS names and addresses of the leaf, at most 100.
    case hostnameMismatch(expected: String, presented: [String])
    /// The chain is valid, but contains no pin of `host`; `peer` has the chain.
    case pinMismatch(host: String, peer: TLSPeer)
    /// The caller's evaluator did not accept the peer.
    case vetoed(reason: String)
    /// The peer sent an alert (RFC 8446 §6); `code` is its number.
    case peerAlert(code: UInt8, description: String)
    /// The first bytes were not a TLS record: a plain-text server listens on this port.
    case notTLS
    /// The peer closed or reset the connection before the handshake was complete.
    case closedDuringHandshake
    /// The two sides have no protocol version in common.
    case versionMismatch
    /// The peer violated the protocol; `reason` is OpenSSL's description.
    case protocolError(reason: String)
    /// The trusted certificates could not be read; `source` is a path or the name of a setting.
    case badTrust(source: String, reason: String)
    /// The own certificate chain or private key is unusable.
    case badIdentity(reason: String)
    /// A pin cannot be read, or a rule has none.
    case badPin(reason: String)
    /// OpenSSL knows none of the requested cipher suites or groups.
    case badCiphers(reason: String)
    /// The peer's name is empty, too long, or not valid for checking a certificate.
    case badHost(String)
    /// OpenSSL rejects a setting, such as an empty protocol name.
    case badConfiguration(reason: String)
    /// OpenSSL failed for a reason other than the input, such as exhausted memory.
    case internalError(reason: String)
}

/// A rejected certificate of a chain, with the reason.
package struct CertificateRejection: Sendable, Hashable {
    /// The `X509_V_ERR_…` code, which is stable across OpenSSL releases.
    package let code: Int32
    /// OpenSSL's text for ``code``, such as `certificate has expired`.
    package let reason: String
    /// The position in the chain: 0 is the peer's own certificate.
    package let depth: Int
    /// The subject of the rejected certificate, such as `/CN=example`; may be empty.
    package let subject: String
    /// The issuer in the same form; may be empty.
    package let issuer: String

    package init(code: Int32, reason: String, depth: Int, subject: String, issuer: String) {
        self.code = code
        self.reason = reason
        self.depth = depth
        self.subject = subject
        self.issuer = issuer
    }
}

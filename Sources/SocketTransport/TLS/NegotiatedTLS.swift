/// Tells what a handshake settled.
package struct NegotiatedTLS: Sendable, Hashable {
    /// `TLSv1.2` or `TLSv1.3`.
    package let version: String
    /// The cipher suite's standard name, such as `TLS_AES_256_GCM_SHA384`.
    package let cipher: String
    /// The ALPN name both sides agreed on; nil when the peer chose none.
    package let applicationProtocol: String?
    /// Whether an earlier session was taken up, so that no certificate crossed the wire this time.
    package let resumed: Bool
    /// The name that was sent in SNI; nil for an address, which has no place there.
    package let serverName: String?
    /// Who the server is; nil on the server side, and before its certificates have come.
    package let peer: TLSPeer?
}

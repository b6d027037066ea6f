/// The parameters negotiated by a handshake.
package struct NegotiatedTLS: Sendable, Hashable {
    /// The version: `TLSv1.2` or `TLSv1.3`.
    package let version: String
    /// The standard name of the cipher suite, such as `TLS_AES_256_GCM_SHA384`.
    package let cipher: String
    /// The negotiated ALPN name; nil if the peer chose none.
    package let applicationProtocol: String?
    /// Whether an earlier session was resumed, so that the server sent no certificate this time.
    package let resumed: Bool
    /// The name sent in SNI; nil for an address, which SNI does not allow.
    package let serverName: String?
    /// The server's identity; nil on the server side, and before its certificates have arrived.
    package let peer: TLSPeer?
}

internal import SocketTransport

/// The result of a TLS handshake.
///
/// It is created once per connection and shared by all its responses. Certificates are decoded on
/// first access. Two values are equal if they belong to the same connection.
public final class TLSSessionInfo: Sendable, Hashable {
    private let negotiated: NegotiatedTLS
    private let decoded = Locked<[HTTPCertificate]?>(nil)

    init(_ negotiated: NegotiatedTLS) {
        self.negotiated = negotiated
    }

    /// The TLS version; nil if the handshake failed before it was negotiated.
    public var version: HTTPSecurity.Version? {
        switch negotiated.version {
        case "TLSv1.2": .tls12
        case "TLSv1.3": .tls13
        default: nil
        }
    }

    /// The standard name of the cipher suite, such as `TLS_AES_256_GCM_SHA384`; empty if the
    /// handshake failed before it was negotiated.
    public var cipher: String { negotiated.cipher }

    /// The negotiated ALPN protocol (RFC 7301), such as `http/1.1`; nil if the peer chose none.
    public var applicationProtocol: String? { negotiated.applicationProtocol }

    /// Whether an earlier session was resumed; if so, ``certificates`` are those of its handshake.
    public var isResumed: Bool { negotiated.resumed }

    /// The host name sent in clear text (SNI, RFC 6066 §3); nil for an address.
    public var serverName: String? { negotiated.serverName }

    /// Whether ``certificates`` is a verified chain.
    ///
    /// False with ``HTTPSecurity/Verification/disabled``, and for peers that only
    /// ``HTTPTrustEvaluator/dangerouslyOverridingVerification(_:)`` accepted.
    public var isVerified: Bool { negotiated.peer?.verificationStatus == .verified }

    /// The verified chain, from the peer's own certificate to the trusted one.
    ///
    /// If it was not verified, the certificates that the peer sent.
    public var certificates: [HTTPCertificate] {
        guard let peer = negotiated.peer else { return [] }
        if let known = decoded.withLock({ $0 }) { return known }
        let made = HTTPCertificate.all(of: peer.chain)
        return decoded.withLock { known in
            if known == nil { known = made }
            return known ?? made
        }
    }

    /// Returns whether both are the same instance.
    public static func == (left: TLSSessionInfo, right: TLSSessionInfo) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

internal import SocketTransport

/// Tells what a TLS handshake settled.
///
/// Made once for a connection and shared by all its responses; certificates are decoded when they are
/// first asked for. Two are equal when they are of one connection.
public final class TLSSessionInfo: Sendable, Hashable {
    private let negotiated: NegotiatedTLS
    private let decoded = Locked<[HTTPCertificate]?>(nil)

    init(_ negotiated: NegotiatedTLS) {
        self.negotiated = negotiated
    }

    /// The version; nil when the handshake did not come that far.
    public var version: HTTPSecurity.Version? {
        switch negotiated.version {
        case "TLSv1.2": .tls12
        case "TLSv1.3": .tls13
        default: nil
        }
    }

    /// The cipher suite's standard name, such as `TLS_AES_256_GCM_SHA384`; empty when the handshake
    /// did not come that far.
    public var cipher: String { negotiated.cipher }

    /// The ALPN name both sides agreed on (RFC 7301), such as `http/1.1`; nil when the peer chose
    /// none.
    public var applicationProtocol: String? { negotiated.applicationProtocol }

    /// Whether an earlier session was taken up; then the certificates are those of its handshake.
    public var isResumed: Bool { negotiated.resumed }

    /// The host name that was sent in the clear (SNI, RFC 6066 §3); nil for an address.
    public var serverName: String? { negotiated.serverName }

    /// Whether ``certificates`` is a chain that was verified.
    ///
    /// False with ``HTTPSecurity/Verification/disabled``, and for what
    /// ``HTTPTrustEvaluator/dangerouslyOverridingVerification(_:)`` let pass.
    public var isVerified: Bool { negotiated.peer?.verificationStatus == .verified }

    /// The verified chain from the peer's own certificate to the trusted one; what the peer sent,
    /// when it was not verified.
    public var certificates: [HTTPCertificate] {
        guard let peer = negotiated.peer else { return [] }
        if let known = decoded.withLock({ $0 }) { return known }
        let made = HTTPCertificate.all(of: peer.chain)
        return decoded.withLock { known in
            if known == nil { known = made }
            return known ?? made
        }
    }

    /// Compares by identity.
    public static func == (left: TLSSessionInfo, right: TLSSessionInfo) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// The result of a TLS handshake; in tests also a placeholder for one (``isSimulated``).
///
/// It is created once per connection and shared by all its responses. Certificates are decoded on
/// first access. Two values are equal if they belong to the same connection.
public final class TLSSessionInfo: Sendable, Hashable {
    /// The TLS version; nil if the handshake failed before it was negotiated.
    public let version: HTTPSecurity.Version?

    /// The standard name of the cipher suite, such as `TLS_AES_256_GCM_SHA384`; empty if the
    /// handshake failed before it was negotiated.
    public let cipher: String

    /// The negotiated ALPN protocol (RFC 7301), such as `http/1.1`; nil if the peer chose none.
    public let applicationProtocol: String?

    /// Whether an earlier session was resumed; if so, ``certificates`` are those of its handshake.
    public let isResumed: Bool

    /// The host name sent in clear text (SNI, RFC 6066 §3); nil for an address.
    public let serverName: String?

    /// Whether a test used a stream without TLS in place of a connection with TLS.
    ///
    /// If so, nothing was encrypted, no peer was authenticated, and the other properties are empty.
    public let isSimulated: Bool

    /// The server's identity; nil on the server side, and before its certificates have arrived.
    package let peer: TLSPeer?

    init(
        version: HTTPSecurity.Version?,
        cipher: String,
        applicationProtocol: String?,
        isResumed: Bool,
        serverName: String?,
        peer: TLSPeer?
    ) {
        self.version = version
        self.cipher = cipher
        self.applicationProtocol = applicationProtocol
        self.isResumed = isResumed
        self.serverName = serverName
        self.peer = peer
        isSimulated = false
    }

    /// Creates the parameters of a connection that only counts as encrypted.
    private init() {
        version = nil
        cipher = ""
        applicationProtocol = nil
        isResumed = false
        serverName = nil
        peer = nil
        isSimulated = true
    }

    /// Returns the value of a simulated TLS stream, which is plain.
    package static func simulated() -> TLSSessionInfo { TLSSessionInfo() }

    /// Whether ``certificates`` is a verified chain.
    ///
    /// False with ``HTTPSecurity/Verification/disabled``, and for peers that only
    /// ``HTTPTrustEvaluator/dangerouslyOverridingVerification(_:)`` accepted.
    public var isVerified: Bool { peer?.verification == .accepted }

    /// The verified chain, from the peer's own certificate to the trusted one.
    ///
    /// If it was not verified, the certificates that the peer sent.
    public var certificates: [HTTPCertificate] { peer?.certificates ?? [] }

    /// Returns whether both are the same instance.
    public static func == (left: TLSSessionInfo, right: TLSSessionInfo) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

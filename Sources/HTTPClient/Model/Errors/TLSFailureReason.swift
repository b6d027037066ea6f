internal import SocketTransport

/// The reason why TLS failed.
@nonexhaustive public enum TLSFailureReason: Sendable, Hashable {
    /// The peer's certificate chain is not accepted.
    case certificate(TLSCertificateFailureReason)
    /// The certificate is valid, but not for this host name (RFC 9525).
    case hostname(expected: String, presented: [String])
    /// No certificate of the chain matches a pin in ``HTTPSecurity/pins`` for the host.
    ///
    /// `presented` is the verified chain, starting with the peer's certificate. If verification is off, it
    /// is the chain that the peer sent.
    case pinMismatch(host: String, presented: [HTTPCertificate])
    /// ``HTTPSecurity/evaluator`` rejected the peer.
    case vetoed(reason: String)
    /// The peer sent a fatal alert; `alert` is its number (RFC 8446 §6).
    case alert(UInt8, reason: String)
    /// The client and the peer have no TLS version in common.
    case version
    /// The peer violated the TLS protocol.
    case peerProtocol(reason: String)
    /// The peer closed the connection during the handshake.
    case closed
    /// The peer does not use TLS on this port.
    case notTLS
    /// The trust store of ``HTTPSecurity`` cannot be read or is empty.
    case trust(source: String, reason: String)
    /// ``HTTPSecurity/identity`` cannot be used.
    ///
    /// Possible causes are the file, its format, the passphrase, or a key that belongs to another
    /// certificate.
    case identity(reason: String)
    /// A pin of ``HTTPSecurity/pins`` cannot be parsed, or a rule has no pins.
    case pinSettings(reason: String)
    /// None of the configured ciphers, suites or groups is known.
    case ciphers(reason: String)
    /// Another setting of ``HTTPSecurity`` cannot be used.
    case settings(reason: String)
}

extension TLSFailureReason: CustomStringConvertible {
    /// A one-line description.
    public var description: String {
        switch self {
        case .certificate(let problem): "the peer's certificate is not trusted: \(problem)"
        case .hostname(let expected, let presented):
            "the peer's certificate is for \(presented.joined(separator: ", ")), not \(expected)"
        case .pinMismatch(let host, let presented):
            "no pin for \(host) matches the peer's certificates: "
                + presented.map(\.publicKeyPin).joined(separator: ", ")
        case .vetoed(let reason): "the trust evaluator rejected the peer's certificate: \(reason)"
        case .alert(let code, let reason):
            "the peer sent a fatal TLS alert: \(reason) (alert \(code))"
        case .version: "the client and the peer have no TLS version in common"
        case .peerProtocol(let reason): "the peer violated the TLS protocol: \(reason)"
        case .closed: "the peer closed the connection during the TLS handshake"
        case .notTLS: "the peer does not use TLS on this port"
        case .trust(let source, let reason):
            "cannot read trusted certificates (\(source)): \(reason)"
        case .identity(let reason): "the client certificate cannot be used: \(reason)"
        case .pinSettings(let reason): "the pins cannot be used: \(reason)"
        case .ciphers(let reason): "the ciphers cannot be used: \(reason)"
        case .settings(let reason): "the security settings cannot be used: \(reason)"
        }
    }
}

extension TLSFailureReason {
    /// Whether the caller has to change a setting.
    var isOwn: Bool {
        switch self {
        case .trust, .identity, .pinSettings, .ciphers, .settings: true
        default: false
        }
    }

    /// Whether the description quotes an evaluator or file paths.
    var quotesApplication: Bool {
        if case .vetoed = self { true } else { isOwn }
    }

    /// Converts an error of the TLS layer.
    init(_ failure: TLSError) {
        self =
            switch failure {
            case .certificateRejected(let rejection):
                .certificate(TLSCertificateFailureReason(rejection))
            case .hostnameMismatch(let expected, let presented):
                .hostname(expected: expected, presented: presented)
            case .pinMismatch(let host, let peer):
                .pinMismatch(host: host, presented: HTTPCertificate.all(of: peer.chain))
            case .vetoed(let reason): .vetoed(reason: reason)
            case .peerAlert(let code, let reason): .alert(code, reason: reason)
            case .notTLS: .notTLS
            case .closedDuringHandshake: .closed
            case .versionMismatch: .version
            case .protocolError(let reason): .peerProtocol(reason: reason)
            case .badTrust(let source, let reason): .trust(source: source, reason: reason)
            case .badIdentity(let reason): .identity(reason: reason)
            case .badPin(let reason): .pinSettings(reason: reason)
            case .badCiphers(let reason): .ciphers(reason: reason)
            case .badConfiguration(let reason): .settings(reason: reason)
            case .badHost(let host): .settings(reason: "invalid host name \(host)")
            case .internalError(let reason): .settings(reason: reason)
            }
    }
}

extension HTTPError.Kind {
    /// Converts an error of the TLS layer.
    init(_ failure: TLSError) {
        if case .internalError(let reason) = failure {
            self = .systemFailure(reason: reason)
        } else {
            self = .tlsFailed(TLSFailureReason(failure))
        }
    }
}

/// The certificate of a chain that is not accepted, and the reason.
public struct TLSCertificateFailureReason: Sendable, Hashable {
    /// The rule that a certificate violates.
    @nonexhaustive public enum Kind: Sendable, Hashable {
        /// The certificate has expired.
        case expired
        /// The certificate is not valid yet.
        case notYetValid
        /// The certificate is self-signed and not trusted.
        case selfSigned
        /// The root of the chain is not trusted.
        case untrustedRoot
        /// The issuer is neither in the chain nor trusted; usually the server omits an intermediate
        /// certificate.
        case missingIssuer
        /// The certificate may not be used for servers (extended key usage).
        case wrongPurpose
        /// The issuer's name constraints exclude the certificate's names (RFC 5280 §4.2.1.10).
        case nameConstraint
        /// The key is too short.
        case weakKey
        /// The signature uses a broken hash function.
        case weakSignature
        /// The signature is invalid.
        case badSignature
        /// The certificate signs other certificates without being a CA certificate.
        case notAnAuthority
        /// More CA certificates follow than its path length permits (RFC 5280 §4.2.1.9).
        case pathTooLong
        /// The certificate has an unknown critical extension.
        case unknownCriticalExtension
        /// The certificate has been revoked.
        case revoked
        /// Another rule; ``TLSCertificateFailureReason/reason`` names it.
        case other
    }

    /// The violated rule.
    public let kind: Kind
    /// The TLS library's text, such as `certificate has expired`.
    public let reason: String
    /// The position of the certificate in the chain; 0 is the peer's own certificate.
    public let depth: Int
    /// The subject of the certificate, such as `/CN=example`; may be empty.
    public let subject: String
    /// The issuer of the certificate, in the same form; may be empty.
    public let issuer: String

    /// Creates a failure reason, for tests of code that handles it.
    public init(kind: Kind, reason: String, depth: Int, subject: String, issuer: String) {
        self.kind = kind
        self.reason = reason
        self.depth = depth
        self.subject = subject
        self.issuer = issuer
    }

    /// Converts a rejection of the TLS layer.
    init(_ rejection: CertificateRejection) {
        kind = Kind(rejection.code)
        reason = rejection.reason
        depth = rejection.depth
        subject = rejection.subject
        issuer = rejection.issuer
    }
}

extension TLSCertificateFailureReason: CustomStringConvertible {
    /// A one-line description.
    public var description: String {
        let whose = depth == 0 ? "the peer's own" : "number \(depth) of the chain"
        let signer = kind == .missingIssuer ? ", issued by \(issuer)" : ""
        return "\(reason) (\(subject), \(whose)\(signer))"
    }
}

extension TLSCertificateFailureReason.Kind {
    /// Converts an `X509_V_ERR_…` number; these numbers are the same in every release.
    fileprivate init(_ code: Int32) {
        self =
            switch code {
            case 10: .expired
            case 9: .notYetValid
            case 18: .selfSigned
            case 19: .untrustedRoot
            case 2, 20, 21: .missingIssuer
            case 26, 27, 28: .wrongPurpose
            case 47, 48, 49, 51, 52, 53: .nameConstraint
            case 66, 67: .weakKey
            case 68: .weakSignature
            case 4, 7: .badSignature
            case 24, 32, 37, 79: .notAnAuthority
            case 22, 25: .pathTooLong
            case 34: .unknownCriticalExtension
            case 23: .revoked
            default: .other
            }
    }
}

internal import SocketTransport

/// Says what TLS objected to.
@nonexhaustive public enum TLSFailureReason: Sendable, Hashable {
    /// The peer's certificate chain is not accepted.
    case certificate(TLSCertificateFailureReason)
    /// The certificate is valid, but for other names (RFC 9525).
    case hostname(expected: String, presented: [String])
    /// No certificate of the chain is one that ``HTTPSecurity/pins`` names for the host.
    ///
    /// `presented` is what there was, the peer's own first: the verified chain, unless verification
    /// is off.
    case pinMismatch(host: String, presented: [HTTPCertificate])
    /// ``HTTPSecurity/evaluator`` refused the peer.
    case vetoed(reason: String)
    /// The peer refused; `alert` is the number of RFC 8446 §6.
    case alert(UInt8, reason: String)
    /// The peer and this client have no TLS version in common.
    case version
    /// The peer broke the protocol.
    case peerProtocol(reason: String)
    /// The peer closed during the handshake.
    case closed
    /// The peer does not speak TLS on this port.
    case notTLS
    /// The trusted certificates of ``HTTPSecurity`` cannot be read or hold none.
    case trust(source: String, reason: String)
    /// ``HTTPSecurity/identity`` cannot be used: a file, its form, the passphrase, or a key that is
    /// another certificate's.
    case identity(reason: String)
    /// A pin of ``HTTPSecurity/pins`` cannot be read, or a rule has none.
    case pinSettings(reason: String)
    /// None of the ciphers, suites or groups asked for is known.
    case ciphers(reason: String)
    /// Another setting of ``HTTPSecurity`` cannot be used.
    case settings(reason: String)
}

extension TLSFailureReason: CustomStringConvertible {
    /// One line.
    public var description: String {
        switch self {
        case .certificate(let problem): "the peer's certificate is not trusted: \(problem)"
        case .hostname(let expected, let presented):
            "the peer's certificate is for \(presented.joined(separator: ", ")), not \(expected)"
        case .pinMismatch(let host, let presented):
            "no pin for \(host) fits what the peer showed: "
                + presented.map(\.publicKeyPin).joined(separator: ", ")
        case .vetoed(let reason): "the peer's certificate was refused: \(reason)"
        case .alert(let code, let reason): "the peer refused TLS: \(reason) (alert \(code))"
        case .version: "no TLS version in common"
        case .peerProtocol(let reason): "the peer broke the TLS protocol: \(reason)"
        case .closed: "the peer closed during the TLS handshake"
        case .notTLS: "the peer does not speak TLS on this port"
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

    /// Whether its description has the words of an evaluator or the paths of files in it.
    var quotesApplication: Bool {
        if case .vetoed = self { true } else { isOwn }
    }

    /// Translates the TLS layer's words.
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
            case .badHost(let host): .settings(reason: "host name \(host)")
            case .internalError(let reason): .settings(reason: reason)
            }
    }
}

extension HTTPError.Kind {
    /// Translates the TLS layer's words.
    init(_ failure: TLSError) {
        if case .internalError(let reason) = failure {
            self = .systemFailure(reason: reason)
        } else {
            self = .tlsFailed(TLSFailureReason(failure))
        }
    }
}

/// Says which certificate of a chain is not accepted, and why.
public struct TLSCertificateFailureReason: Sendable, Hashable {
    /// Names the rule that is broken.
    @nonexhaustive public enum Kind: Sendable, Hashable {
        /// Its time is over.
        case expired
        /// Its time has not come.
        case notYetValid
        /// It vouches for itself, and nobody trusts it.
        case selfSigned
        /// The chain ends in a root that is not trusted.
        case untrustedRoot
        /// Its issuer is neither in the chain nor trusted: mostly the server left an intermediate
        /// certificate out.
        case missingIssuer
        /// It may not be used for servers (extended key usage).
        case wrongPurpose
        /// Its issuer's name constraints do not allow its names (RFC 5280 §4.2.1.10).
        case nameConstraint
        /// Its key is too short.
        case weakKey
        /// It is signed with a broken hash function.
        case weakSignature
        /// Its signature is wrong.
        case badSignature
        /// It signs certificates, but may not.
        case notAnAuthority
        /// More authorities follow than its path length allows (RFC 5280 §4.2.1.9).
        case pathTooLong
        /// It has a critical extension that is not understood.
        case unknownCriticalExtension
        /// It has been revoked.
        case revoked
        /// Another one; ``TLSCertificateFailureReason/reason`` names it.
        case other
    }

    /// The rule that is broken.
    public let kind: Kind
    /// The TLS library's text, such as `certificate has expired`.
    public let reason: String
    /// Where in the chain: 0 is the peer's own certificate.
    public let depth: Int
    /// Whose certificate, such as `/CN=example`; may be empty.
    public let subject: String
    /// Who issued it, in the same form; may be empty.
    public let issuer: String

    /// Makes a problem, for tests of code that handles them.
    public init(kind: Kind, reason: String, depth: Int, subject: String, issuer: String) {
        self.kind = kind
        self.reason = reason
        self.depth = depth
        self.subject = subject
        self.issuer = issuer
    }

    /// Translates the TLS layer's words.
    init(_ rejection: CertificateRejection) {
        kind = Kind(rejection.code)
        reason = rejection.reason
        depth = rejection.depth
        subject = rejection.subject
        issuer = rejection.issuer
    }
}

extension TLSCertificateFailureReason: CustomStringConvertible {
    /// One line.
    public var description: String {
        let whose = depth == 0 ? "the peer's own" : "number \(depth) of the chain"
        let signer = kind == .missingIssuer ? ", issued by \(issuer)" : ""
        return "\(reason) (\(subject), \(whose)\(signer))"
    }
}

extension TLSCertificateFailureReason.Kind {
    /// Translates an `X509_V_ERR_…` number; these do not change from release to release.
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

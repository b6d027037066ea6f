private import CSSL

/// The reason why TLS failed.
@nonexhaustive public enum TLSFailureReason: Sendable, Hashable {
    /// The peer's certificate chain is not accepted.
    case certificate(CertificateReason)
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
        case .certificate(let reason): "the peer's certificate is not trusted: \(reason)"
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
    package var isOwn: Bool {
        switch self {
        case .trust, .identity, .pinSettings, .ciphers, .settings: true
        default: false
        }
    }

    /// Whether the description quotes an evaluator or file paths.
    package var quotesApplication: Bool {
        if case .vetoed = self { true } else { isOwn }
    }
}

extension TLSFailureReason {
    /// The certificate of a chain that is not accepted, and the reason.
    public struct CertificateReason: Sendable, Hashable {
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
            /// Another rule; ``TLSFailureReason/CertificateReason/reason`` names it.
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
    }
}

extension TLSFailureReason.CertificateReason: CustomStringConvertible {
    /// A one-line description.
    public var description: String {
        let whose = depth == 0 ? "the peer's own" : "number \(depth) of the chain"
        let signer = kind == .missingIssuer ? ", issued by \(issuer)" : ""
        return "\(reason) (\(subject), \(whose)\(signer))"
    }
}

extension TLSFailureReason.CertificateReason.Kind {
    /// Converts an `X509_V_ERR_…` number.
    init(code: Int32) {
        self =
            switch code {
            case X509_V_ERR_CERT_HAS_EXPIRED: .expired
            case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
            case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: .selfSigned
            case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN: .untrustedRoot
            case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
                X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
                .missingIssuer
            case X509_V_ERR_INVALID_PURPOSE, X509_V_ERR_CERT_UNTRUSTED, X509_V_ERR_CERT_REJECTED:
                .wrongPurpose
            case X509_V_ERR_PERMITTED_VIOLATION, X509_V_ERR_EXCLUDED_VIOLATION,
                X509_V_ERR_SUBTREE_MINMAX, X509_V_ERR_UNSUPPORTED_CONSTRAINT_TYPE,
                X509_V_ERR_UNSUPPORTED_CONSTRAINT_SYNTAX, X509_V_ERR_UNSUPPORTED_NAME_SYNTAX:
                .nameConstraint
            case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL: .weakKey
            case X509_V_ERR_CA_MD_TOO_WEAK: .weakSignature
            case X509_V_ERR_UNABLE_TO_DECRYPT_CERT_SIGNATURE,
                X509_V_ERR_CERT_SIGNATURE_FAILURE:
                .badSignature
            case X509_V_ERR_INVALID_CA, X509_V_ERR_KEYUSAGE_NO_CERTSIGN,
                X509_V_ERR_INVALID_NON_CA, X509_V_ERR_NO_ISSUER_PUBLIC_KEY:
                .notAnAuthority
            case X509_V_ERR_CERT_CHAIN_TOO_LONG, X509_V_ERR_PATH_LENGTH_EXCEEDED: .pathTooLong
            case X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION: .unknownCriticalExtension
            case X509_V_ERR_CERT_REVOKED: .revoked
            default: .other
            }
    }
}

internal import SocketTransport

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

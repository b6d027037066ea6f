/// The contents of a certificate to issue.
package struct CertificateTemplate: Sendable, Hashable {
    /// The subject's common name; this package's clients ignore it.
    package var commonName: String
    /// The DNS names, including wildcards, and address literals for the subject alternative name.
    package var names: [String]
    /// The start of validity in seconds from now; negative is in the past.
    package var notBefore: Int
    /// The end of validity in seconds from now.
    package var notAfter: Int
    /// The permitted use of the key.
    package var purpose: Purpose
    /// The only domain for which an authority may issue names; nil for all (RFC 5280 §4.2.1.10).
    package var permittedDomain: String?
    /// The strength of key and signature.
    package var strength = Strength.standard

    /// The permitted uses of issued certificates.
    package enum Purpose: Sendable, Hashable {
        case server
        case client
        case authority
    }

    /// The strengths of issued certificates.
    package enum Strength: Sendable, Hashable {
        /// ECDSA P-256 and SHA-256.
        case standard
        /// RSA with 1024 bits, which clients must no longer accept.
        case weakKey
        /// Signed with SHA-1, which clients must no longer accept.
        case weakSignature
    }

    package init(
        names: [String],
        commonName: String = "test",
        purpose: Purpose = .server,
        notBefore: Int = -86_400,
        notAfter: Int = 30 * 86_400
    ) {
        self.names = names
        self.commonName = commonName
        self.purpose = purpose
        self.notBefore = notBefore
        self.notAfter = notAfter
    }
}

/// Says what a certificate to be issued shall state.
package struct CertificateTemplate: Sendable, Hashable {
    /// The subject's common name; no client of ours looks at it.
    package var commonName: String
    /// DNS names, wildcards included, and address literals for the subject alternative name.
    package var names: [String]
    /// When it begins, in seconds from now; negative is in the past.
    package var notBefore: Int
    /// When it ends, in seconds from now.
    package var notAfter: Int
    /// What the key may be used for.
    package var purpose: Purpose
    /// The only domain that an authority may issue names below; nil for all (RFC 5280 §4.2.1.10).
    package var permittedDomain: String?
    /// How strong key and signature are.
    package var strength = Strength.standard

    /// Names the uses that certificates are issued for here.
    package enum Purpose: Sendable, Hashable {
        case server
        case client
        case authority
    }

    /// Names the strengths that certificates are issued with here.
    package enum Strength: Sendable, Hashable {
        /// ECDSA P-256 and SHA-256.
        case standard
        /// RSA with 1024 bits, which nobody may accept any more.
        case weakKey
        /// Signed with SHA-1, likewise.
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

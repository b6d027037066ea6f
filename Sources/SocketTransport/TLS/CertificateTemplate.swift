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

    /// Names the uses that certificates are issued for here.
    package enum Purpose: Sendable, Hashable {
        case server
        case client
        case authority
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

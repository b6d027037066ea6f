/// Says which certificate of a chain was not accepted and why.
package struct CertificateRejection: Sendable, Hashable {
    /// The `X509_V_ERR_…` number; stable from release to release.
    package let code: Int32
    /// The library's text for ``code``, such as `certificate has expired`.
    package let reason: String
    /// Where in the chain: 0 is the peer's own certificate.
    package let depth: Int
    /// The subject of the offending certificate, such as `/CN=example`; may be empty.
    package let subject: String
    /// Who issued it, in the same form; may be empty.
    package let issuer: String

    package init(code: Int32, reason: String, depth: Int, subject: String, issuer: String) {
        self.code = code
        self.reason = reason
        self.depth = depth
        self.subject = subject
        self.issuer = issuer
    }
}

/// A rejected certificate of a chain, with the reason.
package struct CertificateRejection: Sendable, Hashable {
    /// The `X509_V_ERR_…` code, which is stable across OpenSSL releases.
    package let code: Int32
    /// OpenSSL's text for ``code``, such as `certificate has expired`.
    package let reason: String
    /// The position in the chain: 0 is the peer's own certificate.
    package let depth: Int
    /// The subject of the rejected certificate, such as `/CN=example`; may be empty.
    package let subject: String
    /// The issuer in the same form; may be empty.
    package let issuer: String

    package init(code: Int32, reason: String, depth: Int, subject: String, issuer: String) {
        self.code = code
        self.reason = reason
        self.depth = depth
        self.subject = subject
        self.issuer = issuer
    }
}

package import SocketTransport

/// An authority that issues certificates on demand, for servers in tests and demonstrations.
///
/// All keys are ECDSA P-256: one certificate takes about 1 ms. The private keys are unprotected in
/// memory, so do not use this authority in production.
package struct CertificateAuthority: Sendable, Hashable {
    /// The authority's own certificate, followed by those of its issuers below the root; PEM.
    package let chain: [UInt8]
    /// The authority's own certificate, for the trust store of clients; PEM.
    package let certificate: [UInt8]
    private let privateKey: [UInt8]
    private let isRoot: Bool

    /// Creates a root authority with a new key.
    ///
    /// - Throws: `.internalError`.
    package init(commonName: String = "Test Root") throws(TLSError) {
        let made = try CertificateSigner.issue(
            CertificateTemplate(names: [], commonName: commonName, purpose: .authority),
            by: nil
        )
        certificate = made.certificateChain
        chain = made.certificateChain
        privateKey = made.privateKey
        isRoot = true
    }

    private init(intermediate made: IssuedCertificate, above: [UInt8]) {
        certificate = made.certificateChain
        chain = made.certificateChain + above
        privateKey = made.privateKey
        isRoot = false
    }

    /// Creates an intermediate authority below this one.
    ///
    /// - Parameter template: the contents; its purpose is replaced by `.authority`, its dates are
    ///   used.
    /// - Returns: an authority whose issued chains include its certificate.
    /// - Throws: `.identity` for text that is not valid in a certificate, `.internalError`.
    package func intermediate(
        _ template: CertificateTemplate = CertificateTemplate(
            names: [],
            commonName: "Test Intermediate"
        )
    ) throws(TLSError) -> CertificateAuthority {
        var own = template
        own.purpose = .authority
        let made = try CertificateSigner.issue(own, by: signer)
        return CertificateAuthority(intermediate: made, above: isRoot ? [] : chain)
    }

    /// Issues a certificate with a new key.
    ///
    /// - Parameter template: the contents of the certificate.
    /// - Returns: the key, the certificate and the intermediates up to, but without, the root.
    /// - Throws: `.identity` for text that is not valid in a certificate, `.internalError`.
    package func issue(
        _ template: CertificateTemplate
    ) throws(TLSError) -> IssuedCertificate {
        let made = try CertificateSigner.issue(template, by: signer)
        return IssuedCertificate(
            certificateChain: made.certificateChain + (isRoot ? [] : chain),
            privateKey: made.privateKey
        )
    }

    /// Issues a self-signed certificate.
    ///
    /// - Parameter template: the contents of the certificate.
    /// - Returns: the key and the certificate.
    /// - Throws: `.identity` for text that is not valid in a certificate, `.internalError`.
    package static func selfSigned(
        _ template: CertificateTemplate
    ) throws(TLSError) -> IssuedCertificate {
        try CertificateSigner.issue(template, by: nil)
    }

    private var signer: IssuedCertificate {
        IssuedCertificate(certificateChain: certificate, privateKey: privateKey)
    }
}

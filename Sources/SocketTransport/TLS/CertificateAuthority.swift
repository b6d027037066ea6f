private import CSSL

/// Issues certificates on the spot, for servers in tests and demonstrations.
///
/// All keys are ECDSA P-256: one certificate takes about 1 ms. The private keys lie in memory
/// unprotected, so nobody's trust may rest on them.
package struct CertificateAuthority: Sendable, Hashable {
    /// The authority's own certificate and, after it, those of its issuers below the root; PEM.
    package let chain: [UInt8]
    /// The authority's own certificate, to be trusted by clients; PEM.
    package let certificate: [UInt8]
    private let privateKey: [UInt8]
    private let isRoot: Bool

    /// Makes a root authority with a fresh key.
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

    private init(intermediate made: TLSConfiguration.Identity, above: [UInt8]) {
        certificate = made.certificateChain
        chain = made.certificateChain + above
        privateKey = made.privateKey
        isRoot = false
    }

    /// Makes an authority below this one.
    ///
    /// - Parameter template: its purpose is taken as `.authority`; its dates count.
    /// - Returns: an authority whose leaves carry it in their chains.
    /// - Throws: `.badIdentity` for text that does not fit a certificate, `.internalError`.
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

    /// Issues a certificate with a fresh key.
    ///
    /// - Parameter template: what it shall state.
    /// - Returns: the key, the certificate and the intermediates up to, but without, the root.
    /// - Throws: `.badIdentity` for text that does not fit a certificate, `.internalError`.
    package func issue(
        _ template: CertificateTemplate
    ) throws(TLSError) -> TLSConfiguration.Identity {
        let made = try CertificateSigner.issue(template, by: signer)
        return TLSConfiguration.Identity(
            certificateChain: made.certificateChain + (isRoot ? [] : chain),
            privateKey: made.privateKey
        )
    }

    /// Issues a certificate that is signed by its own key.
    ///
    /// - Parameter template: what it shall state.
    /// - Returns: the key and the certificate.
    /// - Throws: `.badIdentity` for text that does not fit a certificate, `.internalError`.
    package static func selfSigned(
        _ template: CertificateTemplate
    ) throws(TLSError) -> TLSConfiguration.Identity {
        try CertificateSigner.issue(template, by: nil)
    }

    private var signer: TLSConfiguration.Identity {
        TLSConfiguration.Identity(certificateChain: certificate, privateKey: privateKey)
    }
}

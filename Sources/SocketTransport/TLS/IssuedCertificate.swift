/// A certificate chain and the private key of its first certificate.
package struct IssuedCertificate: Sendable, Hashable {
    /// The chain in PEM: the own certificate first, then its issuers in order.
    ///
    /// The root may be omitted.
    package let certificateChain: [UInt8]
    /// The private key in PEM, not encrypted.
    package let privateKey: [UInt8]

    package init(certificateChain: [UInt8], privateKey: [UInt8]) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
    }
}

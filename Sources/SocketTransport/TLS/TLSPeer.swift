/// The identity of a server, created once per full handshake and shared by sessions resumed later.
package final class TLSPeer: Sendable, Hashable {
    /// The result of verifying the certificates.
    package enum VerificationStatus: Sendable, Hashable {
        /// The verification succeeded.
        ///
        /// The ``TLSPeer/chain`` leads from the peer's own certificate to a trusted one.
        case verified
        /// The verification failed with this error; the chain is the one that the peer sent.
        case refused(TLSError)
        /// The settings disable verification; the chain is the one that the peer sent.
        case unchecked
    }

    /// The certificates, the peer's own first.
    package let chain: CertificateList
    package let verificationStatus: VerificationStatus

    init(chain: CertificateList, verificationStatus: VerificationStatus) {
        self.chain = chain
        self.verificationStatus = verificationStatus
    }

    /// Compares by identity: two handshakes create two different peers.
    package static func == (left: TLSPeer, right: TLSPeer) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// Holds who a server turned out to be: made once per full handshake, and taken along by sessions
/// that are taken up later.
package final class TLSPeer: Sendable, Hashable {
    /// How the certificates came to be believed.
    package enum VerificationStatus: Sendable, Hashable {
        /// They were verified: ``TLSPeer/chain`` leads from the peer's own to a trusted one.
        case verified
        /// They were refused, and why; the chain is the one the peer sent.
        case refused(TLSError)
        /// They were not looked at, as the settings say; the chain is the one the peer sent.
        case unchecked
    }

    /// The peer's own certificate first.
    package let chain: CertificateList
    package let verificationStatus: VerificationStatus

    init(chain: CertificateList, verificationStatus: VerificationStatus) {
        self.chain = chain
        self.verificationStatus = verificationStatus
    }

    /// Compares by identity: two handshakes make two of these.
    package static func == (left: TLSPeer, right: TLSPeer) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

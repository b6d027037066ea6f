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

/// The name that a peer's certificate must contain, in the form that OpenSSL's check requires.
struct TLSPeerName: Sendable, Hashable {
    /// The kind of name: only DNS names are sent in SNI (RFC 6066 §3).
    enum Kind: Sendable, Hashable {
        case name
        case address
    }

    /// The name without a trailing dot, or the address without brackets and zone.
    let text: String
    let kind: Kind

    /// Parses a host in the form it has in a URI.
    ///
    /// The bytes must be visible ASCII. A NUL would end the C string early, so that only a prefix
    /// is checked. OpenSSL treats a leading dot as "any subdomain".
    ///
    /// - Throws: `.badHost`.
    init(host: String) throws(TLSError) {
        var text = host[...]
        if text.first == "[", text.last == "]" {
            text = text.dropFirst().dropLast()
        }
        guard
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            text.utf8.count <= Self.maxLength
        else { throw .badHost(host) }
        if IPAddress(literal: String(text)) != nil {
            let address = text.prefix { $0 != "%" }
            self.init(text: String(address), kind: .address)
            return
        }
        if text.last == "." {
            text = text.dropLast()
        }
        guard let first = text.first, first != ".", text.last != ".", !text.contains("*") else {
            throw .badHost(host)
        }
        self.init(text: String(text), kind: .name)
    }

    private init(text: String, kind: Kind) {
        self.text = text
        self.kind = kind
    }

    /// The maximum length of a DNS name in bytes (RFC 1035 §2.3.4), with a trailing dot.
    private static let maxLength = 254
}

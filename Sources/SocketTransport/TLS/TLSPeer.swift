/// The identity of a server, created once per full handshake and shared by sessions resumed later.
///
/// Two handshakes create two different peers.
package final class TLSPeer: Sendable, IdentityHashable {
    /// The certificates, the peer's own first.
    ///
    /// If ``verification`` accepted them, the chain leads to a trusted certificate. Otherwise it is
    /// the chain that the peer sent.
    package let chain: CertificateList
    package let verification: HTTPTrustEvaluator.VerificationResult
    private let decoded = Locked<[HTTPCertificate]?>(nil)

    init(chain: CertificateList, verification: HTTPTrustEvaluator.VerificationResult) {
        self.chain = chain
        self.verification = verification
    }

    /// The ``chain``, decoded at the first access.
    package var certificates: [HTTPCertificate] {
        if let known = decoded.withLock({ $0 }) { return known }
        let made = (0..<chain.count).map { chain.certificate(at: $0) }
        return decoded.withLock { known in
            if known == nil { known = made }
            return known ?? made
        }
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
    /// - Throws: `.settings`.
    init(host: String) throws(TLSError) {
        var text = host[...]
        if text.first == "[", text.last == "]" {
            text = text.dropFirst().dropLast()
        }
        guard
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            text.utf8.count <= Self.maxLength
        else { throw Self.error(host) }
        if IPAddress(literal: String(text)) != nil {
            let address = text.prefix { $0 != "%" }
            self.init(text: String(address), kind: .address)
            return
        }
        if text.last == "." {
            text = text.dropLast()
        }
        guard let first = text.first, first != ".", text.last != ".", !text.contains("*") else {
            throw Self.error(host)
        }
        self.init(text: String(text), kind: .name)
    }

    static func error(_ host: String) -> TLSError {
        .failed(.settings(reason: "invalid host name \(host)"))
    }

    private init(text: String, kind: Kind) {
        self.text = text
        self.kind = kind
    }

    /// The maximum length of a DNS name in bytes (RFC 1035 §2.3.4), with a trailing dot.
    private static let maxLength = 254
}

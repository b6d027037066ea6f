/// Holds the name a peer's certificate must be made out to, in the form the check wants.
struct TLSPeerName: Sendable, Hashable {
    /// Tells names from addresses: only names go into SNI (RFC 6066 §3).
    enum Kind: Sendable, Hashable {
        case name
        case address
    }

    /// The name without a trailing dot, or the address without brackets and zone.
    let text: String
    let kind: Kind

    /// Reads a host as it stands in a URI.
    ///
    /// The bytes must be visible ASCII: a NUL would end the C string early and so check less than
    /// was asked for, and a leading dot means "any subdomain" to the library.
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
        if SocketAddress(literal: String(text), port: 0) != nil {
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

    /// The maxLength DNS name in bytes (RFC 1035 §2.3.4), with a trailing dot.
    private static let maxLength = 254
}

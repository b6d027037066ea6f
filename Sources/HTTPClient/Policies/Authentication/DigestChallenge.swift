package import SocketTransport
package import Wire

/// Holds a challenge of the Digest scheme (RFC 7616 §3.3).
package struct DigestChallenge: Sendable, Hashable {
    /// Names how a digest is made.
    package struct Algorithm: Sendable, Hashable {
        /// As the challenge spells it; sent back the same.
        package let name: String
        /// The hash function.
        package let digest: MessageDigest
        /// The key depends on the first nonce of either side (`-sess`).
        package let isSession: Bool

        /// Finds an algorithm; nil for one that is not known.
        init?(_ name: String) {
            let lowered = name.lowercasedASCII
            let base = lowered.hasSuffix("-sess") ? String(lowered.dropLast(5)) : lowered
            switch base {
            case "md5": digest = .md5
            case "sha-256": digest = .sha256
            case "sha-512-256": digest = .sha512t256
            default: return nil
            }
            self.name = name
            isSession = base.utf8.count < lowered.utf8.count
        }
    }

    /// Says what the digest protects.
    package enum QualityOfProtection: String, Sendable, Hashable {
        /// As RFC 2069 had it: no count, no nonce of the client.
        case none
        /// Method and target.
        case auth
        /// The content as well.
        case authInt = "auth-int"
    }

    /// The protection space; empty when none is named.
    package let realm: String
    /// The server's number.
    package private(set) var nonce: String
    /// The URIs of the protection space, separated by spaces; nil for the whole server.
    package let domain: String?
    /// To be sent back unchanged; nil when there is none.
    package let opaque: String?
    /// nil stands for MD5 that goes without saying.
    package let algorithm: Algorithm?
    /// The best on offer.
    package let qop: QualityOfProtection
    /// The credentials were right and the nonce too old.
    package let isStale: Bool
    /// The name is to be hashed.
    package let hashesUser: Bool

    /// The hash function.
    package var digest: MessageDigest { algorithm?.digest ?? .md5 }

    /// Reads a challenge.
    ///
    /// - Returns: nil for another scheme, without a nonce, and for an algorithm or qop of
    ///   protection that is not known: such a challenge is to be passed over (§3.3).
    package init?(_ challenge: Challenge) {
        guard challenge.isScheme("Digest"), let nonce = challenge["nonce"] else { return nil }
        if let name = challenge["algorithm"] {
            guard let algorithm = Algorithm(name) else { return nil }
            self.algorithm = algorithm
        } else {
            algorithm = nil
        }
        if let offers = challenge["qop"] {
            let names = offers.split(separator: ",").map {
                String($0).trimmedSpaces.lowercasedASCII
            }
            if names.contains("auth") {
                qop = .auth
            } else if names.contains("auth-int") {
                qop = .authInt
            } else {
                return nil
            }
        } else {
            qop = .none
        }
        realm = challenge.realm ?? ""
        self.nonce = nonce
        domain = challenge["domain"]
        opaque = challenge["opaque"]
        isStale = challenge["stale"]?.lowercasedASCII == "true"
        hashesUser = challenge["userhash"]?.lowercasedASCII == "true"
    }

    /// The same challenge with the server's next nonce.
    func replacing(nonce: String) -> DigestChallenge {
        var copy = self
        copy.nonce = nonce
        return copy
    }
}

extension String {
    var lowercasedASCII: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    fileprivate var trimmedSpaces: String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var rest = utf8[...]
        while let first = rest.first, isSpace(first) { rest.removeFirst() }
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return String(decoding: rest, as: UTF8.self)
    }
}

package import SocketTransport
package import Wire

/// A challenge of the Digest scheme (RFC 7616 §3.3).
package struct DigestChallenge: Sendable, Hashable {
    /// The algorithm of a digest.
    package struct Algorithm: Sendable, Hashable {
        /// The name as the challenge spells it; sent back unchanged.
        package let name: String
        /// The hash function.
        package let digest: MessageDigest
        /// Whether the key depends on the first nonces of the server and the client (`-sess`).
        package let isSession: Bool

        /// Creates an algorithm; nil for an unknown name.
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

    /// The part of a request that the digest protects.
    package enum QualityOfProtection: String, Sendable, Hashable {
        /// The method of RFC 2069, without a count and without a client nonce.
        case none
        /// The method and the target.
        case auth
        /// The method, the target and the content.
        case authInt = "auth-int"
    }

    /// The protection space; empty when none is named.
    package let realm: String
    /// The nonce of the server.
    package private(set) var nonce: String
    /// The URIs of the protection space, separated by spaces; nil for the whole server.
    package let domain: String?
    /// A value to send back unchanged; nil when there is none.
    package let opaque: String?
    /// The algorithm; nil when none is named, which means MD5.
    package let algorithm: Algorithm?
    /// The best quality of protection on offer.
    package let qop: QualityOfProtection
    /// Whether the credentials were correct and only the nonce was too old.
    package let isStale: Bool
    /// Whether the user name must be hashed.
    package let hashesUser: Bool

    /// The hash function.
    package var digest: MessageDigest { algorithm?.digest ?? .md5 }

    /// Parses a challenge.
    ///
    /// - Returns: nil for another scheme, for a missing nonce, and for an unknown algorithm or quality of
    ///   protection. Such a challenge must be ignored (§3.3).
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

    /// Returns the same challenge with the server's next nonce.
    func replacing(nonce: String) -> DigestChallenge {
        var copy = self
        copy.nonce = nonce
        return copy
    }
}

extension String {

    fileprivate var trimmedSpaces: String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var rest = utf8[...]
        while let first = rest.first, isSpace(first) { rest.removeFirst() }
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return String(decoding: rest, as: UTF8.self)
    }
}

package import SocketTransport
package import Wire

/// The answer to a Digest challenge, for any number of requests (RFC 7616).
///
/// The type is pure: the caller passes the random nonce. It serves origins (Authorization) and proxies
/// (Proxy-Authorization).
package struct DigestAuthentication: Sendable {
    /// The challenge to answer.
    package private(set) var challenge: DigestChallenge
    private let credentials: HTTPCredentials
    /// The client nonce, which stays the same as long as the nonce of the server.
    ///
    /// Servers differ in whether the key of a `-sess` algorithm depends on the first or the last client
    /// nonce. With a constant client nonce, both are the same.
    private let clientNonce: String
    /// H(A1) in hexadecimal.
    private let key: String
    /// The number of times that the server's nonce was used.
    private var count: UInt32 = 0

    /// Prepares answers to a challenge.
    ///
    /// `clientNonce` is unpredictable text without quotes, such as 32 hexadecimal digits. The result is nil
    /// if the system does not provide the hash function. It is also nil if the user name has a colon, which
    /// would end the name, and the challenge does not ask for a hashed name.
    package init?(
        _ challenge: DigestChallenge,
        _ credentials: HTTPCredentials,
        clientNonce: String
    ) {
        let digest = challenge.digest
        let separator = [UInt8(ascii: ":")]
        guard !credentials.user.contains(UInt8(ascii: ":")) || challenge.hashesUser,
            let secret = Self.hash(
                digest,
                credentials.user + separator + challenge.realm.utf8 + separator
                    + credentials.password
            )
        else { return nil }
        if challenge.algorithm?.isSession ?? false {
            let text = "\(secret):\(challenge.nonce):\(clientNonce)"
            guard let bound = Self.hash(digest, Array(text.utf8)) else { return nil }
            key = bound
        } else {
            key = secret
        }
        self.challenge = challenge
        self.credentials = credentials
        self.clientNonce = clientNonce
    }

    /// Returns the value of Authorization or Proxy-Authorization for a request (§3.4).
    ///
    /// Each call counts as a use of the nonce.
    ///
    /// - Parameters:
    ///   - method: the method as on the wire.
    ///   - target: the request target as on the wire, in any form.
    ///   - body: the content as sent; used only for the qop `auth-int`.
    /// - Returns: the value with its scheme.
    package mutating func authorization(
        method: String,
        target: String,
        body: [UInt8]
    ) -> String {
        count &+= 1
        let digest = challenge.digest
        var request = "\(method):\(target)"
        if challenge.qop == .authInt {
            request += ":" + (Self.hash(digest, body) ?? "")
        }
        let hashedRequest = Self.hash(digest, Array(request.utf8)) ?? ""
        let used = String(count, radix: 16)
        let number = String(repeating: "0", count: 8 - used.utf8.count) + used
        let middle =
            challenge.qop == .none
            ? challenge.nonce
            : "\(challenge.nonce):\(number):\(clientNonce):\(challenge.qop.rawValue)"
        let response = Self.hash(digest, Array("\(key):\(middle):\(hashedRequest)".utf8)) ?? ""

        var value = "Digest " + user
        value += ", realm=\(Self.quoted(challenge.realm)), nonce=\(Self.quoted(challenge.nonce))"
        value += ", uri=\(Self.quoted(target)), response=\"\(response)\""
        if let algorithm = challenge.algorithm { value += ", algorithm=\(algorithm.name)" }
        if challenge.qop != .none {
            value += ", qop=\(challenge.qop.rawValue), nc=\(number), cnonce=\"\(clientNonce)\""
        }
        if let opaque = challenge.opaque { value += ", opaque=\(Self.quoted(opaque))" }
        if challenge.hashesUser { value += ", userhash=true" }
        return value
    }

    /// Replaces the server's nonce with its `nextnonce` (§3.5).
    ///
    /// The key of a session stays the same, because it depends on the nonce of the challenge (§3.4.2). If
    /// the nonce is the current one, its count continues, so that no count is sent twice.
    mutating func updateNonce(to nonce: String) {
        guard nonce != challenge.nonce else { return }
        challenge = challenge.replacing(nonce: nonce)
        count = 0
    }

    /// The user name parameter in one of its three forms: hashed, quoted, or extended (§3.4, RFC 8187).
    private var user: String {
        if challenge.hashesUser {
            let text = credentials.user + [UInt8(ascii: ":")] + challenge.realm.utf8
            return "username=\"\(Self.hash(challenge.digest, text) ?? "")\""
        }
        let isPlain = credentials.user.allSatisfy { (0x20...0x7E).contains($0) }
        let text = String(decoding: credentials.user, as: UTF8.self)
        return isPlain
            ? "username=\(Self.quoted(text))" : "username*=UTF-8''\(PercentCoding.encode(text))"
    }

    /// Returns a hash in hexadecimal digits.
    private static func hash(_ digest: MessageDigest, _ bytes: [UInt8]) -> String? {
        digest.hash(bytes).map { bytes in
            let digits = Array("0123456789abcdef".utf8)
            return String(
                decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
                as: UTF8.self
            )
        }
    }

    private static func quoted(_ text: String) -> String {
        var output: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                output.append(UInt8(ascii: "\\"))
            }
            output.append(byte)
        }
        output.append(UInt8(ascii: "\""))
        return String(decoding: output, as: UTF8.self)
    }
}

/// A request to a server that may require credentials: the parts that the credentials depend on.
package struct ProtectedRequest: Sendable {
    /// The URL, which selects the protection space; nil for a proxy.
    let url: URI?
    /// The method as on the wire.
    let method: String
    /// The request target as on the wire.
    let target: String
    /// The content as sent; nil when it is generated during sending.
    let body: [UInt8]?

    package init(url: URI? = nil, method: String, target: String, body: [UInt8]? = []) {
        self.url = url
        self.method = method
        self.target = target
        self.body = body
    }
}

extension DigestChallenge {
    /// Returns whether a digest is possible; `auth-int` cannot cover a body generated during sending.
    func covers(_ request: ProtectedRequest) -> Bool {
        qop != .authInt || request.body != nil
    }
}

extension DigestAuthentication {
    /// Returns the value of the field for a request that the challenge covers.
    mutating func authorization(for request: ProtectedRequest) -> String {
        authorization(method: request.method, target: request.target, body: request.body ?? [])
    }
}

/// A challenge of the Digest scheme (RFC 7616 §3.3).
package struct DigestChallenge: Sendable, Hashable {
    /// The algorithm of a digest.
    package struct Algorithm: Sendable, Hashable {
        /// The name as the challenge spells it; sent back unchanged.
        package let name: String
        /// The hash function.
        package let digest: MessageDigest
        /// Whether the key depends on the first nonces of the server and the client (`-sess`).
        let isSession: Bool

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
        /// The digest of RFC 2069, without a count and without a client nonce.
        case none
        /// The method and the target.
        case auth
        /// The method, the target and the content.
        case authInt = "auth-int"
    }

    /// The name of the protection space; empty when none is named.
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

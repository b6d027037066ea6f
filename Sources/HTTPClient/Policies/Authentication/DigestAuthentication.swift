internal import SocketTransport
internal import Wire

/// Answers a challenge of the Digest scheme as often as it is good for (RFC 7616).
///
/// Pure: chance comes as an argument. The same for origins (Authorization) and for proxies
/// (Proxy-Authorization).
package struct DigestAuthentication: Sendable {
    /// What is answered.
    package private(set) var challenge: DigestChallenge
    private let credentials: HTTPCredentials
    /// The client's nonce: one for the whole life of the server's, so that `-sess` means the same
    /// to servers that take the first and to those that take the last.
    private let clientNonce: String
    /// H(A1) in hexadecimal.
    private let key: String
    /// How often the server's nonce was used.
    private var count: UInt32 = 0

    /// Prepares answers to a challenge.
    ///
    /// `clientNonce` is unpredictable text without quotes, such as 32 hexadecimal digits. Nil when the
    /// machine does not provide the hash function, or the credentials cannot be said in this scheme:
    /// a colon ends the name.
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

    /// Makes the value of Authorization or Proxy-Authorization for a request (§3.4).
    ///
    /// Each call counts as a use of the nonce.
    ///
    /// - Parameters:
    ///   - method: as on the wire.
    ///   - target: the request target as on the wire, in whichever form.
    ///   - body: the content as sent; looked at for the qop `auth-int` alone.
    /// - Returns: the value, scheme included.
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

    /// Goes on with another nonce of the server: `nextnonce` (§3.5).
    ///
    /// The key of a session stays, as it hangs on the nonce of the challenge (§3.4.2).
    /// A nonce that is the present one goes on being counted: a count is never sent twice.
    mutating func updateNonce(to nonce: String) {
        guard nonce != challenge.nonce else { return }
        challenge = challenge.replacing(nonce: nonce)
        count = 0
    }

    /// The name as one of its three forms: hashed, quoted, or extended (§3.4, RFC 8187).
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

    /// Hashes to hexadecimal digits.
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

/// Says what a request is about, as far as a digest covers it (RFC 7616 §3.4).
package struct DigestRequestInfo: Sendable {
    let method: String
    let target: String
    /// nil when it is not there to be looked at.
    let body: [UInt8]?

    package init(method: String, target: String, body: [UInt8]? = []) {
        self.method = method
        self.target = target
        self.body = body
    }
}

extension DigestChallenge {
    /// Says whether a digest can be made: not over a body that is made while it is sent.
    func covers(_ subject: DigestRequestInfo) -> Bool {
        qop != .authInt || subject.body != nil
    }
}

extension DigestAuthentication {
    /// Makes the value of the field for a request that the challenge covers.
    mutating func authorization(for subject: DigestRequestInfo) -> String {
        authorization(method: subject.method, target: subject.target, body: subject.body ?? [])
    }
}

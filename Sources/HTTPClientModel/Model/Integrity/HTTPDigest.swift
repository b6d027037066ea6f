internal import SocketTransport
internal import Wire

/// A SHA-2 digest of content, such as the checksum of a file.
///
///     let digest = try HTTPDigest("sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
public struct HTTPDigest: Sendable, Hashable {
    /// A hash function that RFC 9530 registers as active.
    @nonexhaustive public enum Algorithm: Sendable, Hashable, CaseIterable {
        /// SHA-256 (FIPS 180-4), with 32 bytes.
        case sha256
        /// SHA-512 (FIPS 180-4), with 64 bytes.
        case sha512
    }

    /// The hash function.
    public let algorithm: Algorithm

    /// The value of the hash function.
    public let bytes: [UInt8]

    /// Creates a digest from its bytes.
    ///
    /// - Parameters:
    ///   - algorithm: the hash function.
    ///   - bytes: its value: 32 bytes for SHA-256, 64 for SHA-512.
    /// - Throws: `.invalidRequest(.digest(.wrongLength(…)))`.
    public init(_ algorithm: Algorithm, bytes: [UInt8]) throws(HTTPError) {
        guard bytes.count == algorithm.length else {
            throw HTTPError(invalid: .digest(.wrongLength(algorithm, bytes: bytes.count)))
        }
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// Creates a digest from its text: the algorithm, a colon and hexadecimal digits.
    ///
    /// The algorithm is `sha256` or `sha512`, also with a hyphen. Case does not matter.
    ///
    /// - Parameter text: such as `sha256:` and 64 digits.
    /// - Throws: `.invalidRequest(.digest(reason))` with `.malformed`, `.unknownAlgorithm` or `.wrongLength`.
    public init(_ text: String) throws(HTTPError) {
        func malformed() -> HTTPError { HTTPError(invalid: .digest(.malformed(text))) }
        let parts = text.utf8.split(
            separator: UInt8(ascii: ":"),
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        guard parts.count == 2 else { throw malformed() }
        let name = String(decoding: parts[0], as: UTF8.self)
        guard let algorithm = Algorithm(spelling: name) else {
            throw HTTPError(invalid: .digest(.unknownAlgorithm(name)))
        }
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in parts[1] {
            guard let digit = Digits.hexadecimal(character) else { throw malformed() }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else { throw malformed() }
        try self.init(algorithm, bytes: bytes)
    }

    /// Creates a digest from base64 with padding (RFC 4648 §4), as in SRI and Content-Digest.
    ///
    /// - Parameters:
    ///   - algorithm: the hash function.
    ///   - base64: the value, without colons around it.
    /// - Throws: `.invalidRequest(.digest(reason))` with `.malformed` or `.wrongLength`.
    public init(_ algorithm: Algorithm, base64: String) throws(HTTPError) {
        guard let bytes = Base64Text.decode(base64.utf8) else {
            throw HTTPError(invalid: .digest(.malformed(base64)))
        }
        try self.init(algorithm, bytes: bytes)
    }

    /// Creates a digest without checking its length.
    package init(trusted algorithm: Algorithm, _ bytes: [UInt8]) {
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// Returns the SHA-256 digest of bytes.
    ///
    /// - Throws: `.systemFailure`, if OpenSSL does not provide the function on this machine.
    public static func sha256(of bytes: [UInt8]) throws(HTTPError) -> HTTPDigest {
        try HTTPDigest(hashing: bytes, by: .sha256)
    }

    /// Returns the SHA-512 digest of bytes.
    ///
    /// - Throws: `.systemFailure`, if OpenSSL does not provide the function on this machine.
    public static func sha512(of bytes: [UInt8]) throws(HTTPError) -> HTTPDigest {
        try HTTPDigest(hashing: bytes, by: .sha512)
    }

    private init(hashing bytes: [UInt8], by algorithm: Algorithm) throws(HTTPError) {
        guard let hash = algorithm.function.hash(bytes) else {
            throw HTTPError(.systemFailure(reason: algorithm.missing), phase: .preparing)
        }
        self.init(trusted: algorithm, hash)
    }

    /// The value in lower-case hexadecimal digits, as `sha256sum` prints it.
    public var hex: String {
        var text = ""
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            if byte < 16 { text += "0" }
            text += String(byte, radix: 16)
        }
        return text
    }

    /// The value in base64 with padding.
    public var base64: String { Base64Text.encode(bytes) }
}

extension HTTPDigest: CustomStringConvertible {
    /// The text of the digest, such as `sha256:` and 64 digits; ``init(_:)`` parses it.
    public var description: String { "\(algorithm.spelling):\(hex)" }
}

extension HTTPDigest.Algorithm: CustomStringConvertible {
    /// The name in RFC 9530: `sha-256` or `sha-512`.
    public var description: String {
        switch self {
        case .sha256: "sha-256"
        case .sha512: "sha-512"
        }
    }

    /// The name without a hyphen.
    fileprivate var spelling: String {
        switch self {
        case .sha256: "sha256"
        case .sha512: "sha512"
        }
    }

    /// Creates an algorithm from its name with or without a hyphen, in any case.
    fileprivate init?(spelling name: String) {
        switch name.lowercasedASCII {
        case "sha256", "sha-256": self = .sha256
        case "sha512", "sha-512": self = .sha512
        default: return nil
        }
    }

    /// The reason for an error if the implementation is missing.
    package var missing: String { "OpenSSL does not provide \(self) on this machine" }

    /// The number of bytes of a digest.
    package var length: Int { function.length }

    /// The implementation.
    package var function: MessageDigest {
        switch self {
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }
}

extension HTTPDigest {
    /// The reason why a text or bytes are not a digest.
    @nonexhaustive public enum ParsingError: Error, Sendable, Hashable {
        /// The text is not an algorithm with hexadecimal digits, or not base64.
        case malformed(String)
        /// The algorithm is neither SHA-256 nor SHA-512.
        case unknownAlgorithm(String)
        /// The value has another number of bytes than the algorithm's.
        case wrongLength(HTTPDigest.Algorithm, bytes: Int)
    }
}

extension HTTPDigest.ParsingError: CustomStringConvertible {
    /// A one-line description, with the change that is needed if the caller can make one.
    public var description: String {
        switch self {
        case .malformed(let text):
            "\(text.debugDescription) is not a digest: write sha256: and 64 hexadecimal digits"
        case .unknownAlgorithm(let name):
            "the digest algorithm \(name.debugDescription) is unknown: use sha256 or sha512"
        case .wrongLength(let algorithm, let count):
            "the digest has \(count) bytes, but \(algorithm) has \(algorithm.length)"
        }
    }
}

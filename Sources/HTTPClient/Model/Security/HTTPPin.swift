/// Names a certificate or a public key that a host is expected to show.
///
/// A public key outlives the certificates made for it, so pin keys rather than certificates. And pin
/// at least two: the key in use, and one in a safe place that the server can change to. With one
/// pin alone, losing that key means that no client of yours reaches the server any more.
public struct HTTPPin: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        case keyDigest([UInt8])
        case certificateDigest([UInt8])
        case keyBytes([UInt8])
        case keyFile(String)
        case certificateBytes([UInt8])
        case certificateFile(String)
        /// Text that is no digest.
        case invalid(String)
    }

    let content: Content

    private init(content: Content) {
        self.content = content
    }

    /// Pins a public key by the digest of its SubjectPublicKeyInfo (RFC 7469 §2.4).
    ///
    /// - Parameter text: `sha256//` and 44 characters of base64, as curl writes pins; the prefix may
    ///   be `sha256/` or missing.
    /// - Returns: a pin; text that is none makes connections fail with `.pinSettings`.
    public static func publicKey(_ text: String) -> HTTPPin {
        guard let digest = PinText.digest(text) else { return HTTPPin(content: .invalid(text)) }
        return HTTPPin(content: .keyDigest(digest))
    }

    /// Pins a public key by the SHA-256 of its SubjectPublicKeyInfo, 32 bytes.
    public static func publicKey(sha256: [UInt8]) -> HTTPPin {
        HTTPPin(content: .keyDigest(sha256))
    }

    /// Pins the public key that the bytes are, or that their certificate holds: PEM or DER.
    public static func publicKey(of bytes: [UInt8]) -> HTTPPin {
        HTTPPin(content: .keyBytes(bytes))
    }

    /// Pins the public key of a file, as ``publicKey(of:)`` takes its bytes.
    public static func publicKey(file path: String) -> HTTPPin {
        HTTPPin(content: .keyFile(path))
    }

    /// Pins a certificate by the digest of its DER.
    ///
    /// - Parameter text: as for ``publicKey(_:)``.
    /// - Returns: a pin; text that is none makes connections fail with `.pinSettings`.
    public static func certificate(_ text: String) -> HTTPPin {
        guard let digest = PinText.digest(text) else { return HTTPPin(content: .invalid(text)) }
        return HTTPPin(content: .certificateDigest(digest))
    }

    /// Pins a certificate by the SHA-256 of its DER, 32 bytes.
    public static func certificate(sha256: [UInt8]) -> HTTPPin {
        HTTPPin(content: .certificateDigest(sha256))
    }

    /// Pins the first certificate of PEM, or one in DER.
    public static func certificate(of bytes: [UInt8]) -> HTTPPin {
        HTTPPin(content: .certificateBytes(bytes))
    }

    /// Pins the certificate of a file, as ``certificate(of:)`` takes its bytes.
    public static func certificate(file path: String) -> HTTPPin {
        HTTPPin(content: .certificateFile(path))
    }

    /// Whether the text it was made of, if it was, can be a digest.
    ///
    /// Files are not looked at.
    public var isValid: Bool {
        switch content {
        case .invalid: false
        case .keyDigest(let digest), .certificateDigest(let digest): digest.count == 32
        default: true
        }
    }
}

/// Reads and writes digests as pins are written down: `sha256//` and base64.
enum PinText {
    /// Writes a digest.
    static func text(_ digest: [UInt8]) -> String {
        "sha256//" + BasicAuthentication.base64(digest)
    }

    /// Reads 32 bytes; nil for anything else.
    static func digest(_ text: String) -> [UInt8]? {
        var rest = text.utf8[...]
        for prefix in ["sha256//", "sha256/"] where text.hasPrefix(prefix) {
            rest = rest.dropFirst(prefix.utf8.count)
            break
        }
        guard rest.count == 44, let bytes = Base64Text.decode(rest), bytes.count == 32 else {
            return nil
        }
        return bytes
    }
}

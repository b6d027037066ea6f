// To add a kind of pin, add a case to the content below. `TLSPinSet` compares it with a certificate, and
// `SecurityFileStamps` lists the files that it reads. The test is `TLSPinTests`.

/// A certificate or public key that a host is expected to present.
///
/// Pin keys rather than certificates, because a public key outlives the certificates issued for it.
/// Pin at least two keys: the one in use, and a backup in a safe place that the server can switch
/// to. With a single pin, losing that key locks all your clients out of the server.
public struct HTTPPin: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        case keyDigest([UInt8])
        case certificateDigest([UInt8])
        /// The key in PEM (`PUBLIC KEY`, or `CERTIFICATE`) or in DER (either).
        case key(TLSMaterial)
        /// The first certificate in PEM, or a single one in DER.
        case certificate(TLSMaterial)
        /// Text that is not a digest.
        case invalid(String)
    }

    let content: Content

    private init(content: Content) {
        self.content = content
    }

    /// Pins a public key by the SHA-256 digest of its SubjectPublicKeyInfo (RFC 7469 §2.4).
    ///
    /// - Parameter text: `sha256//` and 44 characters of base64, as curl writes pins. The prefix
    ///   may be `sha256/` or missing.
    /// - Returns: a pin. With invalid text, connections fail with `.pinSettings`.
    public static func publicKey(_ text: String) -> HTTPPin {
        guard let digest = PinText.digest(text) else { return HTTPPin(content: .invalid(text)) }
        return HTTPPin(content: .keyDigest(digest))
    }

    /// Pins a public key by the 32-byte SHA-256 digest of its SubjectPublicKeyInfo.
    public static func publicKey(sha256: [UInt8]) -> HTTPPin {
        HTTPPin(content: .keyDigest(sha256))
    }

    /// Pins the public key in the bytes, or the key of the certificate in the bytes: PEM or DER.
    public static func publicKey(of bytes: [UInt8]) -> HTTPPin {
        HTTPPin(content: .key(.bytes(bytes)))
    }

    /// Pins the public key in a file, whose content is parsed as by ``publicKey(of:)``.
    public static func publicKey(file path: String) -> HTTPPin {
        HTTPPin(content: .key(.file(path)))
    }

    /// Pins a certificate by the SHA-256 digest of its DER.
    ///
    /// - Parameter text: the digest, in the format of ``publicKey(_:)``.
    /// - Returns: a pin. With invalid text, connections fail with `.pinSettings`.
    public static func certificate(_ text: String) -> HTTPPin {
        guard let digest = PinText.digest(text) else { return HTTPPin(content: .invalid(text)) }
        return HTTPPin(content: .certificateDigest(digest))
    }

    /// Pins a certificate by the 32-byte SHA-256 digest of its DER.
    public static func certificate(sha256: [UInt8]) -> HTTPPin {
        HTTPPin(content: .certificateDigest(sha256))
    }

    /// Pins the first certificate in PEM text, or a certificate in DER.
    public static func certificate(of bytes: [UInt8]) -> HTTPPin {
        HTTPPin(content: .certificate(.bytes(bytes)))
    }

    /// Pins the certificate in a file, whose content is parsed as by ``certificate(of:)``.
    public static func certificate(file path: String) -> HTTPPin {
        HTTPPin(content: .certificate(.file(path)))
    }

    /// Whether the digest or the text that the pin was created from is valid; true for other pins.
    ///
    /// Files are not checked.
    public var isValid: Bool {
        switch content {
        case .invalid: false
        case .keyDigest(let digest), .certificateDigest(let digest): digest.count == 32
        default: true
        }
    }
}

/// The parser and formatter of digests in pins: `sha256//` and base64.
enum PinText {
    /// Returns the text of a digest.
    static func text(_ digest: [UInt8]) -> String {
        "sha256//" + Base64Text.encode(digest)
    }

    /// Returns the 32 bytes of a digest; nil for any other text.
    static func digest(_ text: String) -> [UInt8]? {
        var rest = text.utf8[...]
        for prefix in ["sha256//", "sha256/"] where text.hasPrefix(prefix) {
            rest = rest.dropFirst(prefix.utf8.count)
            break
        }
        guard rest.count == 44, let digest = Base64Text.decode(rest), digest.count == 32 else {
            return nil
        }
        return digest
    }
}

/// A decoded certificate of a peer (RFC 5280).
public struct HTTPCertificate: Sendable, Hashable {
    /// A name that a certificate is valid for (RFC 5280 §4.2.1.6).
    public enum Name: Sendable, Hashable {
        /// A DNS name, possibly with a wildcard.
        case dns(String)
        /// An IP address, such as `127.0.0.1`.
        case address(String)
        /// An email address.
        case email(String)
        /// A URI.
        case uri(String)

        /// The name without its kind, if it can be the host of a URL.
        var host: String? {
            switch self {
            case .dns(let text), .address(let text): text
            case .email, .uri: nil
            }
        }
    }

    /// The certificate in DER, as the peer sent it.
    public let der: [UInt8]
    /// The subject as RFC 4514 text, such as `CN=example,O=Example`.
    public let subject: String
    /// The issuer as RFC 4514 text.
    public let issuer: String
    /// The subject alternative names, in order.
    ///
    /// Hosts are compared with no other names.
    public let names: [Name]
    /// The start of the validity period in seconds since 1970; nil if the date cannot be decoded.
    package let notBeforeSeconds: Int?
    /// The end of the validity period in seconds since 1970; nil if the date cannot be decoded.
    package let notAfterSeconds: Int?
    /// The serial number, big-endian and without leading zeros.
    public let serialNumber: [UInt8]
    /// The fingerprint: the SHA-256 digest of ``der``.
    public let sha256: [UInt8]
    /// The SHA-256 digest of the SubjectPublicKeyInfo, for pinning the key (RFC 7469 §2.4).
    public let publicKeySHA256: [UInt8]

    /// Decodes a certificate; returns nil unless the bytes are exactly one certificate.
    public init?(der: [UInt8]) {
        guard let list = CertificateList(der: der) else { return nil }
        self = list.certificate(at: 0)
    }

    /// The pin of the public key, in the format that ``HTTPPin/publicKey(_:)`` parses: `sha256//…`.
    public var publicKeyPin: String { PinText.text(publicKeySHA256) }

    /// Returns whether two certificates have the same bytes.
    public static func == (left: HTTPCertificate, right: HTTPCertificate) -> Bool {
        left.der == right.der
    }

    /// Hashes the fingerprint.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(sha256)
    }

    /// Creates a certificate with its parts; `publicKey` is the SubjectPublicKeyInfo in DER.
    init(
        der: [UInt8],
        subject: String,
        issuer: String,
        names: [Name],
        validity: (notBefore: Int?, notAfter: Int?),
        serialNumber: [UInt8],
        publicKey: [UInt8]
    ) {
        self.der = der
        self.subject = subject
        self.issuer = issuer
        self.names = names
        notBeforeSeconds = validity.notBefore
        notAfterSeconds = validity.notAfter
        self.serialNumber = serialNumber
        sha256 = MessageDigest.sha256.hash(der) ?? []
        publicKeySHA256 = MessageDigest.sha256.hash(publicKey) ?? []
    }
}

extension HTTPCertificate: CustomStringConvertible {
    /// One line with the subject, the issuer and the pin of the key.
    public var description: String { "\(subject), issued by \(issuer), \(publicKeyPin)" }
}

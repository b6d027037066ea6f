internal import SocketTransport
public import Wire

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
    /// The start of the validity period; nil if the date cannot be decoded.
    public let notBefore: HTTPDate?
    /// The end of the validity period; nil if the date cannot be decoded.
    public let notAfter: HTTPDate?
    /// The serial number, big-endian and without leading zeros.
    public let serialNumber: [UInt8]
    /// The fingerprint: the SHA-256 digest of ``der``.
    public let sha256: [UInt8]
    /// The SHA-256 digest of the SubjectPublicKeyInfo, for pinning the key (RFC 7469 §2.4).
    public let publicKeySHA256: [UInt8]

    /// Decodes a certificate; returns nil unless the bytes are exactly one certificate.
    public init?(der: [UInt8]) {
        guard let list = CertificateList(der: der) else { return nil }
        self.init(list, at: 0)
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

    private init(_ list: CertificateList, at index: Int) {
        let statement = list.info(at: index)
        der = list.der(at: index)
        subject = statement.subject
        issuer = statement.issuer
        names = statement.names.map { name in
            switch name {
            case .dns(let text): .dns(text)
            case .address(let text): .address(text)
            case .email(let text): .email(text)
            case .uri(let text): .uri(text)
            }
        }
        notBefore = statement.notBefore.map { HTTPDate(secondsSince1970: $0) }
        notAfter = statement.notAfter.map { HTTPDate(secondsSince1970: $0) }
        serialNumber = statement.serialNumber
        sha256 = MessageDigest.sha256.hash(der) ?? []
        publicKeySHA256 = MessageDigest.sha256.hash(list.publicKey(at: index)) ?? []
    }

    static func all(of list: CertificateList) -> [HTTPCertificate] {
        (0..<list.count).map { HTTPCertificate(list, at: $0) }
    }
}

extension HTTPCertificate: CustomStringConvertible {
    /// One line with the subject, the issuer and the pin of the key.
    public var description: String { "\(subject), issued by \(issuer), \(publicKeyPin)" }
}

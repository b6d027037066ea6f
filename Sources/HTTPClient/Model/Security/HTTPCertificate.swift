internal import SocketTransport
public import Wire

/// Holds a certificate of a peer, decoded (RFC 5280).
public struct HTTPCertificate: Sendable, Hashable {
    /// Names what a certificate is made out to (RFC 5280 §4.2.1.6).
    public enum Name: Sendable, Hashable {
        /// A DNS name, wildcards included.
        case dns(String)
        /// An IP address, such as `127.0.0.1`.
        case address(String)
        /// A mailbox.
        case email(String)
        /// A URI.
        case uri(String)
    }

    /// The certificate as it crossed the wire.
    public let der: [UInt8]
    /// RFC 4514 text, such as `CN=example,O=Example`.
    public let subject: String
    /// Who signed it, in the same form.
    public let issuer: String
    /// The subject alternative names, in order; the only ones that are compared with hosts.
    public let names: [Name]
    /// When it begins; nil when the date cannot be decoded.
    public let notBefore: HTTPDate?
    /// When it ends; nil when the date cannot be decoded.
    public let notAfter: HTTPDate?
    /// Big-endian, without leading zeros.
    public let serialNumber: [UInt8]
    /// The SHA-256 of ``der``: its fingerprint.
    public let sha256: [UInt8]
    /// The SHA-256 of its SubjectPublicKeyInfo: what a pin of its key is (RFC 7469 §2.4).
    public let publicKeySHA256: [UInt8]

    /// Decodes one certificate; nil when the bytes are none, or more than one.
    public init?(der: [UInt8]) {
        guard let list = CertificateList(der: der) else { return nil }
        self.init(list, at: 0)
    }

    /// The pin of its key, as ``HTTPPin/publicKey(_:)`` reads it: `sha256//…`.
    public var publicKeyPin: String { PinText.text(publicKeySHA256) }

    /// Compares the bytes.
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
    /// One line: subject, issuer and key.
    public var description: String { "\(subject), issued by \(issuer), \(publicKeyPin)" }
}

/// The decoded contents of a certificate (RFC 5280 §4.1).
package struct CertificateInfo: Sendable, Hashable {
    /// The subject as RFC 4514 text, such as `CN=example,O=Example`; non-ASCII bytes as UTF-8.
    package let subject: String
    /// The issuer, in the form of ``subject``.
    package let issuer: String
    /// The names of the subject alternative name extension, in order.
    package let names: [CertificateName]
    /// The start of validity in seconds since 1970; nil if the date cannot be decoded.
    package let notBefore: Int?
    /// The end of validity in seconds since 1970; nil if the date cannot be decoded.
    package let notAfter: Int?
    /// The serial number, big-endian, without leading zeros.
    package let serialNumber: [UInt8]
}

/// A name in a certificate (RFC 5280 §4.2.1.6).
package enum CertificateName: Sendable, Hashable {
    case dns(String)
    /// A numeric address, such as `127.0.0.1`.
    case address(String)
    case email(String)
    case uri(String)

    /// The name without its kind.
    package var text: String {
        switch self {
        case .dns(let text), .address(let text), .email(let text), .uri(let text): text
        }
    }

    /// Whether it can name the host of a URI.
    var isHost: Bool {
        switch self {
        case .dns, .address: true
        case .email, .uri: false
        }
    }
}

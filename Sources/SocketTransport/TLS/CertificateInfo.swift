/// Holds what a certificate states, decoded (RFC 5280 §4.1).
package struct CertificateInfo: Sendable, Hashable {
    /// RFC 4514 text, such as `CN=example,O=Example`; bytes beyond ASCII as UTF-8.
    package let subject: String
    /// As ``subject``.
    package let issuer: String
    /// The names of the subject alternative name extension, in order.
    package let names: [CertificateName]
    /// Seconds since 1970; nil when the date cannot be decoded.
    package let notBefore: Int?
    /// Seconds since 1970; nil when the date cannot be decoded.
    package let notAfter: Int?
    /// Big-endian, without leading zeros.
    package let serialNumber: [UInt8]
}

/// Holds a name of a certificate (RFC 5280 §4.2.1.6).
package enum CertificateName: Sendable, Hashable {
    case dns(String)
    /// Numeric, such as `127.0.0.1`.
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

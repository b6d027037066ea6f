public import SocketTransport
public import Wire

extension HTTPCertificate {
    /// The start of the validity period; nil if the date cannot be decoded.
    public var notBefore: HTTPDate? { notBeforeSeconds.map { HTTPDate(secondsSince1970: $0) } }

    /// The end of the validity period; nil if the date cannot be decoded.
    public var notAfter: HTTPDate? { notAfterSeconds.map { HTTPDate(secondsSince1970: $0) } }
}

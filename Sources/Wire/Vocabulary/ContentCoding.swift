/// A content coding that this module can decode (RFC 9110 §8.4.1).
public enum ContentCoding: Sendable, Hashable {
    /// `gzip`, or the old name `x-gzip` (RFC 1952).
    case gzip
    /// `deflate`: the zlib format (RFC 1950).
    ///
    /// Raw deflate data (RFC 1951) is accepted too, because some senders take the name literally.
    case deflate
    /// `identity`: no coding.
    case identity

    /// Creates a coding from its name, ignoring ASCII case, or returns nil if it is unknown.
    ///
    /// `none` is accepted as `identity`, because some servers send it and curl accepts it.
    public init?(_ name: String) {
        switch ByteClass.lowercase(name) {
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        case "identity", "none": self = .identity
        default: return nil
        }
    }

    /// The value of Accept-Encoding that offers the codings of ``ContentDecoder``, the better one
    /// first.
    public static let acceptEncoding = "gzip, deflate"
}

/// A content coding that this module can decode (RFC 9110 §8.4.1).
///
/// Brotli and zstd need the package traits of the same names, which link system libraries. Without
/// its trait, a coding is treated as an unknown one.
public enum ContentCoding: Sendable, Hashable {
    /// `gzip`, or the old name `x-gzip` (RFC 1952).
    case gzip
    /// `deflate`: the zlib format (RFC 1950).
    ///
    /// Raw deflate data (RFC 1951) is accepted too, because some senders take the name literally.
    case deflate
    /// `br`: brotli (RFC 7932), with the trait `Brotli`.
    case brotli
    /// `zstd`: Zstandard (RFC 8878), with the trait `Zstd`.
    case zstd
    /// `identity`: no coding.
    case identity

    /// Creates a coding from its name, ignoring ASCII case.
    ///
    /// The result is nil if the coding is unknown or its trait is off. `none` is accepted as
    /// `identity`, because some servers send it and curl accepts it.
    public init?(_ name: String) {
        switch ByteClass.lowercase(name) {
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        case "br": self = .brotli
        case "zstd": self = .zstd
        case "identity", "none": self = .identity
        default: return nil
        }
        guard isSupported else { return nil }
    }

    /// Whether this build can decode the coding.
    public var isSupported: Bool {
        switch self {
        case .gzip, .deflate, .identity: return true
        case .brotli:
            #if Brotli
            return true
            #else
            return false
            #endif
        case .zstd:
            #if Zstd
            return true
            #else
            return false
            #endif
        }
    }

    /// The value of Accept-Encoding that offers the codings of ``ContentDecoder``, the better one
    /// first.
    ///
    /// Zstandard comes first because it decodes fastest, then brotli.
    public static let acceptEncoding = acceptedNames.joined(separator: ", ")

    private static var acceptedNames: [String] {
        (ContentCoding.zstd.isSupported ? ["zstd"] : [])
            + (ContentCoding.brotli.isSupported ? ["br"] : []) + ["gzip", "deflate"]
    }
}

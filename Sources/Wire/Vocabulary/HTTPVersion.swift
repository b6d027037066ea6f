/// The HTTP version that a message declares (RFC 9110 §2.5).
public struct HTTPVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The major version, one digit; this package supports only 1.
    public var major: UInt8
    /// The minor version, one digit.
    public var minor: UInt8

    /// Creates a version; encoders refuse numbers above 9.
    public init(major: UInt8, minor: UInt8) {
        self.major = major
        self.minor = minor
    }

    /// HTTP/1.0: connections close by default, and there is no chunked coding.
    public static let http10 = HTTPVersion(major: 1, minor: 0)
    /// HTTP/1.1 (RFC 9112).
    public static let http11 = HTTPVersion(major: 1, minor: 1)

    /// Orders versions by major number, then by minor number.
    public static func < (left: HTTPVersion, right: HTTPVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    /// The version as on the wire.
    public var description: String { "HTTP/\(major).\(minor)" }

    /// The eight bytes of the version on the wire, with the first byte in the highest bits.
    ///
    /// Both numbers must be one digit.
    var word: UInt64 {
        0x4854_5450_2f30_2e30 &+ UInt64(major) &<< 16 &+ UInt64(minor)
    }
}

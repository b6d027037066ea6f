/// The supported protocol versions (RFC 8996 forbids older ones).
package enum TLSVersion: UInt16, Sendable, Hashable, Comparable {
    /// RFC 5246.
    case tls12 = 0x0303
    /// RFC 8446.
    case tls13 = 0x0304

    package static func < (left: TLSVersion, right: TLSVersion) -> Bool {
        left.rawValue < right.rawValue
    }
}

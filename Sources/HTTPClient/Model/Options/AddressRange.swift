public import SocketTransport

/// A block of addresses that begin with the same bits (CIDR, RFC 4632).
///
///     let intranet = AddressRange("10.20.0.0/16")
///     let host = AddressRange("2001:db8::1")
public struct AddressRange: Sendable, Hashable {
    /// The first address.
    public let first: IPAddress
    /// The number of bits that all addresses share: 0 to 32 for IPv4, 0 to 128 for IPv6.
    public let prefixLength: Int

    /// Creates a block from `address/bits`, or from an address, which is a block of one.
    ///
    /// A block inside `::ffff:0:0/96` becomes the block of IPv4 addresses that it maps.
    ///
    /// Nil when the text is not a block, or when bits after the prefix are set. Such bits are usually a
    /// mistake, and their meaning would be a guess.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = IPAddress(String(parts[0])) else { return nil }
        let width = address.isIPv6 ? 128 : 32
        var length = width
        if parts.count == 2 {
            let digits = parts[1].utf8
            guard !digits.isEmpty, digits.count <= 3,
                digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let number = Int(parts[1]), number <= width
            else { return nil }
            length = number
        }
        self.init(address, prefixLength: length)
    }

    /// Creates a block; nil when the address has fewer bits, or bits after the prefix are set.
    public init?(_ first: IPAddress, prefixLength: Int) {
        let width = first.isIPv6 ? 128 : 32
        guard (0...width).contains(prefixLength) else { return nil }
        let rest = Self.mask(width - prefixLength)
        guard first.number & rest == 0 else { return nil }
        if first.isIPv6, prefixLength >= 96, let mapped = first.mapped {
            self.first = mapped
            self.prefixLength = prefixLength - 96
        } else {
            self.first = first
            self.prefixLength = prefixLength
        }
    }

    /// Creates a block from values that are known to be valid.
    init(v4 number: UInt32, _ prefixLength: Int) {
        first = IPAddress(v4: number)
        self.prefixLength = prefixLength
    }

    /// Creates a block from values that are known to be valid.
    init(v6 number: UInt128, _ prefixLength: Int) {
        first = IPAddress(v6: number)
        self.prefixLength = prefixLength
    }

    /// Returns whether the block contains `address`.
    ///
    /// A mapped address (`::ffff:192.0.2.1`) counts as an IPv6 address here; ``AddressPolicy`` checks both.
    public func contains(_ address: IPAddress) -> Bool {
        guard address.isIPv6 == first.isIPv6 else { return false }
        let width = first.isIPv6 ? 128 : 32
        return (address.number ^ first.number) & ~Self.mask(width - prefixLength) == 0
    }

    /// Returns a number whose lowest `count` bits are set.
    private static func mask(_ count: Int) -> UInt128 {
        count == 128 ? .max : (1 << UInt128(count)) - 1
    }
}

extension AddressRange: CustomStringConvertible {
    /// The block in CIDR notation, such as `10.0.0.0/8`.
    public var description: String { "\(first)/\(prefixLength)" }
}

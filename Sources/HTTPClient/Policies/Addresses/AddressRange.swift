internal import SocketTransport

/// Holds a block of addresses: those that begin with the same bits (CIDR, RFC 4632).
///
///     let intranet = AddressRange("10.20.0.0/16")
///     let host = AddressRange("2001:db8::1")
public struct AddressRange: Sendable, Hashable {
    /// The first address.
    public let first: IPAddress
    /// Bits that all addresses share: 0 to 32, or to 128.
    public let prefixLength: Int

    /// Reads `address/bits`, or an address alone, which stands for itself.
    ///
    /// A block inside `::ffff:0:0/96` is the block of IPv4 addresses it maps.
    ///
    /// Nil when the text is no such block, or when bits behind the prefix are set: that is mostly a
    /// mistake, and its meaning a guess.
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

    /// Makes a block; nil when the address has fewer bits, or bits behind the prefix are set.
    public init?(_ first: IPAddress, prefixLength: Int) {
        let width = first.isIPv6 ? 128 : 32
        guard (0...width).contains(prefixLength) else { return nil }
        let rest = Self.mask(width - prefixLength)
        guard first.host.number & rest == 0 else { return nil }
        if first.isIPv6, prefixLength >= 96, let mapped = first.mapped {
            self.first = mapped
            self.prefixLength = prefixLength - 96
        } else {
            self.first = first
            self.prefixLength = prefixLength
        }
    }

    /// Makes a block that is known to be one.
    init(v4 number: UInt32, _ prefixLength: Int) {
        first = IPAddress(.init(v4: number))
        self.prefixLength = prefixLength
    }

    /// Makes a block that is known to be one.
    init(v6 number: UInt128, _ prefixLength: Int) {
        first = IPAddress(.init(v6: number))
        self.prefixLength = prefixLength
    }

    /// Says whether `address` lies in the block.
    ///
    /// A mapped address (`::ffff:192.0.2.1`) is an IPv6 address here; ``AddressPolicy`` looks at both.
    public func contains(_ address: IPAddress) -> Bool {
        guard address.isIPv6 == first.isIPv6 else { return false }
        let width = first.isIPv6 ? 128 : 32
        return (address.host.number ^ first.host.number) & ~Self.mask(width - prefixLength) == 0
    }

    /// The lowest `count` bits set.
    private static func mask(_ count: Int) -> UInt128 {
        count == 128 ? .max : (1 << UInt128(count)) - 1
    }
}

extension AddressRange: CustomStringConvertible {
    /// The usual text, such as `10.0.0.0/8`.
    public var description: String { "\(first)/\(prefixLength)" }
}

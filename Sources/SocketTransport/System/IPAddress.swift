internal import Glibc

/// An IPv4 or IPv6 address of 32 or 128 bits, without a port.
///
///     let address = IPAddress("192.0.2.1")
///     let other = IPAddress("2001:db8::1")
///
/// An IPv6 address may have the number of the interface that it is valid for (`fe80::1%2`). The number
/// counts when two addresses are compared, but not in `AddressRange.contains(_:)`.
public struct IPAddress: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        case v4(InlineBytes4)
        case v6(InlineBytes16, scope: UInt32)
    }

    let content: Content

    init(_ content: Content) {
        self.content = content
    }

    /// Parses an address; nil if the text is not an address.
    ///
    /// Octal, hexadecimal and shortened IPv4 forms are rejected, because parsers disagree on their meaning.
    ///
    /// - Parameter text: four decimal numbers with dots, or RFC 4291 text with or without brackets. An IPv6
    ///   address may end in `%` and the number of an interface.
    public init?(_ text: String) {
        var plain = text[...]
        if plain.first == "[", plain.last == "]" { plain = plain.dropFirst().dropLast() }
        guard plain.count == text.count || plain.utf8.contains(UInt8(ascii: ":")) else {
            return nil
        }
        self.init(literal: String(plain))
    }

    /// Parses an address without brackets.
    package init?(literal: String) {
        // A NUL would end the C string early.
        guard !literal.hasNUL else { return nil }
        if literal.utf8.contains(UInt8(ascii: ":")) {
            let parts = literal.split(
                separator: "%",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            guard let text = parts.first else { return nil }
            var scope: UInt32 = 0
            if parts.count == 2 {
                guard let number = UInt32(parts[1]), parts[1].first != "+" else { return nil }
                scope = number
            }
            var raw = in6_addr()
            // SAFETY: both arguments are local and outlive the call.
            guard unsafe inet_pton(AF_INET6, String(text), &raw) == 1 else { return nil }
            self.init(.v6(InlineBytes16(raw), scope: scope))
        } else {
            var raw = in_addr()
            // SAFETY: both arguments are local and outlive the call.
            guard unsafe inet_pton(AF_INET, literal, &raw) == 1 else { return nil }
            self.init(.v4(InlineBytes4(raw.s_addr)))
        }
    }

    /// Creates an IPv4 address from its number: 127.0.0.1 is 0x7f000001.
    package init(v4 number: UInt32) {
        self.init(.v4(InlineBytes4(number.bigEndian)))
    }

    /// Creates an IPv6 address from its number: ::1 is 1.
    package init(v6 number: UInt128, scope: UInt32 = 0) {
        self.init(.v6(InlineBytes16(number), scope: scope))
    }

    /// Creates an address from 4 or 16 bytes, most significant first; nil for any other number of bytes.
    public init?(bytes: [UInt8]) {
        let number = bytes.prefix(16).reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        switch bytes.count {
        case 4: self.init(v4: UInt32(number))
        case 16: self.init(v6: number)
        default: return nil
        }
    }

    /// Whether the address has 128 bits.
    public var isIPv6: Bool {
        if case .v6 = content { true } else { false }
    }

    /// The 4 or 16 bytes, most significant first.
    public var bytes: [UInt8] {
        let count = isIPv6 ? 16 : 4
        return (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
    }

    /// The address as a number, most significant byte first; an IPv4 address has 32 bits.
    package var number: UInt128 {
        switch content {
        case .v4(let bytes): UInt128(UInt32(bigEndian: bytes.networkOrder))
        case .v6(let bytes, _): bytes.number
        }
    }

    /// Whether the address is in 169.254.0.0/16 or fe80::/10.
    var isLinkLocal: Bool {
        isIPv6 ? number >> 118 == 0x3fa : number >> 16 == 0xa9fe
    }
}

extension IPAddress: CustomStringConvertible {
    /// The usual text form, such as `192.0.2.1` or `2001:db8::1`.
    public var description: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) {
            text in
            // SAFETY: `text` has INET6_ADDRSTRLEN bytes, the maximum that inet_ntop writes.
            switch content {
            case .v4(let bytes):
                var raw = in_addr(s_addr: bytes.networkOrder)
                unsafe inet_ntop(AF_INET, &raw, text.baseAddress, socklen_t(text.count))
            case .v6(let bytes, _):
                var raw = bytes.in6
                unsafe inet_ntop(AF_INET6, &raw, text.baseAddress, socklen_t(text.count))
            }
            guard let start = text.baseAddress else { return "" }
            return unsafe String(cString: start)
        }
    }
}

extension IPAddress {
    /// The address families of a host that are used.
    public enum Family: Sendable, Hashable {
        /// IPv6 and IPv4.
        case any
        /// IPv4 only.
        case ipv4
        /// IPv6 only.
        case ipv6

        /// Returns whether an address belongs to the family.
        package func includes(_ address: IPAddress) -> Bool {
            switch self {
            case .any: true
            case .ipv4: !address.isIPv6
            case .ipv6: address.isIPv6
            }
        }
    }
}

/// Four bytes in network order, hashable as one integer.
struct InlineBytes4: Sendable, Hashable {
    let networkOrder: UInt32

    init(_ networkOrder: UInt32) {
        self.networkOrder = networkOrder
    }
}

/// Sixteen bytes as the two halves of their number, hashable as two integers.
struct InlineBytes16: Sendable, Hashable {
    let high: UInt64
    let low: UInt64

    init(_ raw: in6_addr) {
        // SAFETY: every member of the union has the same 16 bytes.
        let words = unsafe raw.__in6_u.__u6_addr32
        high = UInt64(UInt32(bigEndian: words.0)) << 32 | UInt64(UInt32(bigEndian: words.1))
        low = UInt64(UInt32(bigEndian: words.2)) << 32 | UInt64(UInt32(bigEndian: words.3))
    }

    init(_ number: UInt128) {
        high = UInt64(truncatingIfNeeded: number >> 64)
        low = UInt64(truncatingIfNeeded: number)
    }

    var number: UInt128 { UInt128(high) << 64 | UInt128(low) }

    var in6: in6_addr {
        var raw = in6_addr()
        unsafe raw.__in6_u.__u6_addr32 = (
            UInt32(truncatingIfNeeded: high >> 32).bigEndian,
            UInt32(truncatingIfNeeded: high).bigEndian,
            UInt32(truncatingIfNeeded: low >> 32).bigEndian,
            UInt32(truncatingIfNeeded: low).bigEndian
        )
        return raw
    }
}

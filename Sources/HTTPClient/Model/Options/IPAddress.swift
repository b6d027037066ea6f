internal import SocketTransport

/// An IPv4 or IPv6 address of 32 or 128 bits, without a port.
///
///     let address = IPAddress("192.0.2.1")
///     let other = IPAddress("2001:db8::1")
///
/// An IPv6 address may have the number of the interface that it is valid for (`fe80::1%2`). The number
/// counts when two addresses are compared, but not in ``AddressRange/contains(_:)``.
public struct IPAddress: Sendable, Hashable {
    let host: SocketAddress.Host

    init(_ host: SocketAddress.Host) {
        self.host = host
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
        guard plain.count == text.count || plain.utf8.contains(UInt8(ascii: ":")),
            !plain.utf8.contains(0),
            let address = SocketAddress(literal: String(plain), port: 0)
        else { return nil }
        host = address.host
    }

    /// Creates an address from 4 or 16 bytes, most significant first; nil for any other number of bytes.
    public init?(bytes: [UInt8]) {
        let number = bytes.prefix(16).reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        switch bytes.count {
        case 4: host = .init(v4: UInt32(number))
        case 16: host = .init(v6: number)
        default: return nil
        }
    }

    /// Whether the address has 128 bits.
    public var isIPv6: Bool { host.isIPv6 }

    /// The 4 or 16 bytes, most significant first.
    public var bytes: [UInt8] {
        let count = isIPv6 ? 16 : 4
        return (0..<count).map { UInt8(truncatingIfNeeded: host.number >> (8 * (count - 1 - $0))) }
    }
}

extension IPAddress: CustomStringConvertible {
    /// The usual text form, such as `192.0.2.1` or `2001:db8::1`.
    public var description: String { SocketAddress(host: host, port: 0).literal }
}

internal import SocketTransport

/// The blocks of addresses with a special purpose.
///
/// These are the IANA registries of RFC 6890 (as of 2025), multicast, and the addresses of cloud
/// metadata services.
enum SpecialAddresses {
    /// A block and its purpose.
    struct Block: Sendable {
        let range: AddressRange
        let purpose: String

        init(_ range: AddressRange, _ purpose: String) {
            self.range = range
            self.purpose = purpose
        }
    }

    static func reasonNotPublic(_ address: IPAddress) -> RefusedAddress.Reason? {
        let (exceptions, blocks) = address.isIPv6 ? (publicV6, specialV6) : (publicV4, specialV4)
        if exceptions.contains(where: { $0.contains(address) }) { return nil }
        if let reason = reason(address, in: blocks) { return reason }
        return address.isIPv6 && !globalUnicast.contains(address) ? .unassigned : nil
    }

    static func linkLocalOrMetadata(_ address: IPAddress) -> RefusedAddress.Reason? {
        reason(address, in: linkLocal) ?? reason(address, in: metadata)
    }

    private static func reason(
        _ address: IPAddress,
        in blocks: [Block]
    ) -> RefusedAddress.Reason? {
        blocks.first { $0.range.contains(address) }
            .map { .special($0.range, purpose: $0.purpose) }
    }

    private static let globalUnicast = AddressRange(v6: 0x2000 << 112, 3)

    /// The globally reachable parts of blocks that are otherwise not globally reachable.
    private static let publicV4 = [
        AddressRange(v4: 0xc000_0009, 32),  // 192.0.0.9: port control anycast (RFC 7723)
        AddressRange(v4: 0xc000_000a, 32),  // 192.0.0.10: TURN anycast (RFC 8155)
    ]

    private static let specialV4 = [
        Block(.init(v4: 0x0000_0000, 8), "this network"),
        Block(.init(v4: 0x0a00_0000, 8), "private use"),
        Block(.init(v4: 0x6440_0000, 10), "shared by a carrier's NAT"),
        Block(.init(v4: 0x7f00_0000, 8), "loopback"),
        Block(.init(v4: 0xa9fe_0000, 16), "link-local"),
        Block(.init(v4: 0xac10_0000, 12), "private use"),
        Block(.init(v4: 0xc000_0000, 24), "protocol assignments"),
        Block(.init(v4: 0xc000_0200, 24), "documentation"),
        Block(.init(v4: 0xc058_6300, 24), "6to4 relays, deprecated"),
        Block(.init(v4: 0xc0a8_0000, 16), "private use"),
        Block(.init(v4: 0xc612_0000, 15), "benchmarks"),
        Block(.init(v4: 0xc633_6400, 24), "documentation"),
        Block(.init(v4: 0xcb00_7100, 24), "documentation"),
        Block(.init(v4: 0xe000_0000, 4), "multicast"),
        Block(.init(v4: 0xffff_ffff, 32), "broadcast"),
        Block(.init(v4: 0xf000_0000, 4), "reserved"),
    ]

    /// The same for IPv6; 64:ff9b::/96, Teredo and 6to4 are judged by their embedded IPv4 addresses.
    private static let publicV6 = [
        AddressRange(v6: 0x0064_ff9b << 96, 96),  // NAT64 (RFC 6052)
        AddressRange(v6: 0x2001_0000 << 96, 32),  // Teredo (RFC 4380)
        AddressRange(v6: 0x2001_0001 << 96 | 1, 128),  // port control anycast (RFC 7723)
        AddressRange(v6: 0x2001_0001 << 96 | 2, 128),  // TURN anycast (RFC 8155)
        AddressRange(v6: 0x2001_0001 << 96 | 3, 128),  // SRP anycast (RFC 9665)
        AddressRange(v6: 0x2001_0003 << 96, 32),  // AMT (RFC 7450)
        AddressRange(v6: 0x2001_0004_0112 << 80, 48),  // AS112 (RFC 7535)
        AddressRange(v6: 0x2001_0020 << 96, 28),  // ORCHIDv2 (RFC 7343)
        AddressRange(v6: 0x2001_0030 << 96, 28),  // drone identifiers (RFC 9374)
    ]

    private static let specialV6 = [
        Block(.init(v6: 0, 128), "unspecified"),
        Block(.init(v6: 1, 128), "loopback"),
        Block(.init(v6: 0x0064_ff9b_0001 << 80, 48), "NAT64 for local use"),
        Block(.init(v6: 0x0100 << 112, 64), "discarded"),
        Block(.init(v6: 0x2001_0002 << 96, 48), "benchmarks"),
        Block(.init(v6: 0x2001_0000 << 96, 23), "protocol assignments"),
        Block(.init(v6: 0x2001_0db8 << 96, 32), "documentation"),
        Block(.init(v6: 0x3fff << 112, 20), "documentation"),
        Block(.init(v6: 0x5f00 << 112, 16), "segment routing"),
        Block(.init(v6: 0xfc00 << 112, 7), "unique local"),
        Block(.init(v6: 0xfe80 << 112, 10), "link-local"),
        Block(.init(v6: 0xfec0 << 112, 10), "site-local, deprecated"),
        Block(.init(v6: 0xff00 << 112, 8), "multicast"),
    ]

    private static let linkLocal = [
        Block(.init(v4: 0xa9fe_0000, 16), "link-local"),
        Block(.init(v6: 0xfe80 << 112, 10), "link-local"),
        Block(.init(v6: 0xff02 << 112, 16), "link-local multicast"),
        Block(.init(v4: 0xe000_0000, 24), "link-local multicast"),
    ]

    /// The metadata services of clouds that do not use a link-local address.
    private static let metadata = [
        Block(.init(v4: 0x6464_64c8, 32), "metadata of Alibaba Cloud"),
        Block(.init(v4: 0xa83f_8110, 32), "metadata of Azure"),
        Block(.init(v4: 0xc000_00c0, 32), "metadata of Oracle Cloud"),
        Block(.init(v6: 0xfd00_0ec2 << 96 | 0x0254, 128), "metadata of AWS"),
        Block(.init(v6: 0xfd20_00ce << 96 | 0x0254, 128), "metadata of Google Cloud"),
        Block(.init(v6: 0xfd00_0042 << 96 | 0x0042, 128), "metadata of Scaleway"),
    ]
}

extension IPAddress {
    /// The IPv4 address of a mapped address (`::ffff:0:0/96`, RFC 4291 §2.5.5.2).
    var mapped: IPAddress? {
        guard isIPv6, number >> 32 == 0xffff else { return nil }
        return v4(number)
    }

    /// The IPv4 addresses to which packets for this address are forwarded.
    var embedded: [IPAddress] {
        guard isIPv6 else { return [] }
        // IPv4-compatible, IPv4-translated and NAT64 addresses.
        if number >> 32 == 0, number > 1 { return [v4(number)] }
        if number >> 32 == 0xffff_0000 || number >> 32 == 0x0064_ff9b << 64 { return [v4(number)] }
        if number >> 112 == 0x2002 { return [v4(number >> 80)] }
        // Teredo: the address of the server, and the address of the client with all bits inverted.
        if number >> 96 == 0x2001_0000 { return [v4(number >> 64), v4(~number)] }
        return []
    }

    /// Returns the lowest 32 bits as an address.
    private func v4(_ number: UInt128) -> IPAddress {
        IPAddress(v4: UInt32(truncatingIfNeeded: number))
    }
}

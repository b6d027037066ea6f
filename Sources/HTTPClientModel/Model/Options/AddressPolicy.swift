public import SocketTransport

/// A policy for the addresses that the client may connect to, against server-side request forgery.
///
///     var configuration = HTTPClientConfiguration()
///     configuration.connectOptions.addressPolicy = .publicOnly
///
/// A program that accepts URLs from others (web hooks, previews, crawlers) must not reach services that
/// only its own machine or network can reach. Checking the URL is not enough. A name can resolve to any
/// address, it can resolve differently the next time (DNS rebinding), and a response can redirect. The
/// client therefore checks each address just before it connects, for every attempt of every request.
/// The source of the address does not matter: the URL, the resolver or an override.
///
/// The policy does not apply to unix domain sockets. No URL and no redirect can select one, only the
/// program's own ``HTTPConnectOptions/unixSocket``. With a proxy, the policy applies to the proxy's
/// address; the proxy decides what it connects to.
///
/// An address in ``deny`` is refused. Otherwise an address in ``allow`` is permitted. The preset decides
/// all other addresses.
///
/// If an IPv6 address contains an IPv4 address, both must be permitted. This applies to these kinds:
/// mapped (`::ffff:0:0/96`), translated (`::ffff:0:0:0/96`, RFC 2765), compatible (`::/96`), NAT64
/// (`64:ff9b::/96`, RFC 6052) and 6to4 (`2002::/16`, RFC 3056). It also applies to both IPv4 addresses
/// in a Teredo address (`2001::/32`, RFC 4380). Except for mapped addresses, ``only(_:)`` checks the
/// IPv4 address only against ``deny``.
///
/// The policy is a pure value. To test an address against it, use ``refusal(of:)``.
public struct AddressPolicy: Sendable, Hashable {
    /// The rule for addresses that are in neither list.
    package enum Preset: Sendable, Hashable {
        case any
        case publicOnly
        case noLinkLocalOrMetadata
        case nothing
    }

    package let preset: Preset

    /// The addresses that are permitted even if the preset refuses them.
    ///
    /// Default none.
    public var allow: [AddressRange] = []

    /// The addresses that are always refused.
    ///
    /// Default none.
    public var deny: [AddressRange] = []

    /// A policy that permits every address; the default.
    public static let any = AddressPolicy(preset: .any)

    /// A policy that permits only addresses that are reachable from the whole Internet.
    ///
    /// It refuses addresses that the registries of RFC 6890 do not list as globally reachable, and
    /// multicast. Those are unspecified, loopback, private, shared (carrier-grade NAT), link-local, unique
    /// local, documentation, benchmark and reserved addresses. Of IPv6, only 2000::/3 and NAT64 can pass.
    public static let publicOnly = AddressPolicy(preset: .publicOnly)

    /// A policy that permits all addresses except link-local ones and cloud metadata services.
    ///
    /// For programs that connect to their own network. Metadata services reveal a machine's secrets.
    public static let noLinkLocalOrMetadata = AddressPolicy(preset: .noLinkLocalOrMetadata)

    /// Returns a policy that permits only these addresses.
    public static func only(_ allow: [AddressRange]) -> AddressPolicy {
        var policy = AddressPolicy(preset: .nothing)
        policy.allow = allow
        return policy
    }

    private init(preset: Preset) {
        self.preset = preset
    }

    /// Returns the reason why an address is refused; nil if it is permitted.
    public func refusal(of address: IPAddress) -> RefusedAddress? {
        // The kernel connects to a mapped address over IPv4, so the IPv4 address is checked.
        let dialled = address.mapped ?? address
        if let reason = listed(address, in: deny) ?? reason(against: dialled) {
            return RefusedAddress(address: address, reason: reason)
        }
        for embedded in dialled.embedded {
            if let reason = reason(against: embedded, isEmbedded: true) {
                return RefusedAddress(address: address, embedded: embedded, reason: reason)
            }
        }
        return nil
    }

    private func listed(_ address: IPAddress, in ranges: [AddressRange]) -> RefusedAddress.Reason? {
        ranges.first { $0.contains(address) }.map { .denied($0) }
    }

    private func reason(
        against address: IPAddress,
        isEmbedded: Bool = false
    ) -> RefusedAddress.Reason? {
        if let reason = listed(address, in: deny) { return reason }
        if allow.contains(where: { $0.contains(address) }) { return nil }
        switch preset {
        case .any: return nil
        // The address that contains this one is in `allow`.
        case .nothing: return isEmbedded ? nil : .notAllowed
        case .publicOnly: return SpecialAddresses.reasonNotPublic(address)
        case .noLinkLocalOrMetadata: return SpecialAddresses.linkLocalOrMetadata(address)
        }
    }
}

extension AddressPolicy {
    /// An address that a policy refused, and the rule that refused it.
    public struct RefusedAddress: Sendable, Hashable {
        /// The rule that refuses an address.
        @nonexhaustive public enum Reason: Sendable, Hashable {
            /// ``AddressPolicy/deny`` contains the address.
            case denied(AddressRange)
            /// The list of ``AddressPolicy/only(_:)`` does not contain the address.
            case notAllowed
            /// The preset refuses this block, which is reserved for a special purpose.
            case special(AddressRange, purpose: String)
            /// The preset permits only public IPv6 addresses, and this one is outside 2000::/3.
            case unassigned
        }

        /// The refused address.
        public let address: IPAddress
        /// The IPv4 address inside it that is refused; nil if the whole address is refused.
        public let embedded: IPAddress?
        /// The rule that refused it.
        public let reason: Reason

        package init(address: IPAddress, embedded: IPAddress? = nil, reason: Reason) {
            self.address = address
            self.embedded = embedded
            self.reason = reason
        }
    }
}

extension AddressPolicy.RefusedAddress: CustomStringConvertible {
    /// One line, such as `10.0.0.1: private use (10.0.0.0/8)`.
    public var description: String {
        let inner = embedded.map { " (for \($0))" } ?? ""
        return "\(address)\(inner): \(reason)"
    }
}

extension AddressPolicy.RefusedAddress.Reason: CustomStringConvertible {
    /// The rule in words.
    public var description: String {
        switch self {
        case .denied(let range): "denied (\(range))"
        case .notAllowed: "not in an allowed range"
        case .special(let range, let purpose): "\(purpose) (\(range))"
        case .unassigned: "not a public address"
        }
    }
}

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
    package init(v4 number: UInt32, _ prefixLength: Int) {
        first = IPAddress(v4: number)
        self.prefixLength = prefixLength
    }

    /// Creates a block from values that are known to be valid.
    package init(v6 number: UInt128, _ prefixLength: Int) {
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

/// The blocks of addresses with a special purpose.
///
/// These are the IANA registries of RFC 6890 (as of 2025), multicast, and the addresses of cloud
/// metadata services.
package enum SpecialAddresses {
    /// A block and its purpose.
    struct Block: Sendable {
        let range: AddressRange
        let purpose: String

        init(_ range: AddressRange, _ purpose: String) {
            self.range = range
            self.purpose = purpose
        }
    }

    static func reasonNotPublic(
        _ address: IPAddress
    ) -> AddressPolicy.RefusedAddress.Reason? {
        let (exceptions, blocks) = address.isIPv6 ? (publicV6, specialV6) : (publicV4, specialV4)
        if exceptions.contains(where: { $0.contains(address) }) { return nil }
        if let reason = reason(address, in: blocks) { return reason }
        return address.isIPv6 && !globalUnicast.contains(address) ? .unassigned : nil
    }

    static func linkLocalOrMetadata(
        _ address: IPAddress
    ) -> AddressPolicy.RefusedAddress.Reason? {
        reason(address, in: linkLocal) ?? reason(address, in: metadata)
    }

    private static func reason(
        _ address: IPAddress,
        in blocks: [Block]
    ) -> AddressPolicy.RefusedAddress.Reason? {
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
    package var mapped: IPAddress? {
        guard isIPv6, number >> 32 == 0xffff else { return nil }
        return v4(number)
    }

    /// The IPv4 addresses to which packets for this address are forwarded.
    package var embedded: [IPAddress] {
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

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
    enum Preset: Sendable, Hashable {
        case any
        case publicOnly
        case noLinkLocalOrMetadata
        case nothing
    }

    let preset: Preset

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

    init(address: IPAddress, embedded: IPAddress? = nil, reason: Reason) {
        self.address = address
        self.embedded = embedded
        self.reason = reason
    }
}

extension RefusedAddress: CustomStringConvertible {
    /// One line, such as `10.0.0.1: private use (10.0.0.0/8)`.
    public var description: String {
        let inner = embedded.map { " (for \($0))" } ?? ""
        return "\(address)\(inner): \(reason)"
    }
}

extension RefusedAddress.Reason: CustomStringConvertible {
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

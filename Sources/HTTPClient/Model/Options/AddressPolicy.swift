/// Decides which addresses may be dialled: against requests that are led to where they must not go.
///
///     var configuration = HTTPClient.Configuration()
///     configuration.connectOptions.addressPolicy = .publicOnly
///
/// Whoever lets others choose URLs (web hooks, previews, crawlers) must keep them from services that
/// only this machine or network can reach. Looking at the URL is not enough: a name may lead anywhere,
/// lead elsewhere the next time it is resolved (DNS rebinding), and a response may redirect. So the
/// policy looks at each address just before it is dialled, for every attempt of every request, wherever
/// the address came from: the URL, the resolver, an override.
///
/// It does not judge unix domain sockets: no URL and no redirect can choose one, only the program's
/// own ``HTTPConnectOptions/unixSocket``. With a proxy it judges the proxy's address; what the proxy
/// connects to is the proxy's decision.
///
/// The order: what ``deny`` holds is refused; else what ``allow`` holds passes; else the preset decides.
/// An IPv4 address inside an IPv6 address is judged too, and both must pass: mapped
/// (`::ffff:0:0/96`), translated (`::ffff:0:0:0/96`, RFC 2765), compatible (`::/96`), NAT64
/// (`64:ff9b::/96`, RFC 6052), 6to4 (`2002::/16`, RFC 3056), and both of Teredo (`2001::/32`,
/// RFC 4380).
///
/// The policy is a pure value: ``refusal(of:)`` says what it thinks of an address.
public struct AddressPolicy: Sendable, Hashable {
    /// What decides when neither list does.
    enum Preset: Sendable, Hashable {
        case any
        case publicOnly
        case noLinkLocalOrMetadata
        case nothing
    }

    let preset: Preset

    /// What passes although the preset would refuse it.
    ///
    /// Default none.
    public var allow: [AddressRange] = []

    /// What is refused in any case.
    ///
    /// Default none.
    public var deny: [AddressRange] = []

    /// Every address passes; the default.
    public static let any = AddressPolicy(preset: .any)

    /// Only addresses that the whole Internet can reach pass.
    ///
    /// Refused is what the registries of RFC 6890 do not call globally reachable: unspecified,
    /// loopback, private, shared (carrier-grade NAT), link-local, unique local, documentation,
    /// benchmark, reserved; and multicast. Of IPv6 only 2000::/3 and NAT64 can pass.
    public static let publicOnly = AddressPolicy(preset: .publicOnly)

    /// All addresses pass but link-local ones and those at which clouds tell a machine its secrets.
    ///
    /// For programs that talk to their own network, but never to their hypervisor.
    public static let noLinkLocalOrMetadata = AddressPolicy(preset: .noLinkLocalOrMetadata)

    /// Nothing passes but these.
    public static func only(_ allow: [AddressRange]) -> AddressPolicy {
        var policy = AddressPolicy(preset: .nothing)
        policy.allow = allow
        return policy
    }

    private init(preset: Preset) {
        self.preset = preset
    }

    /// Says why an address may not be dialled; nil when it may.
    public func refusal(of address: IPAddress) -> RefusedAddress? {
        // A mapped address goes out as IPv4, so it is that.
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
        // The address around it is allowed by name.
        case .nothing: return isEmbedded ? nil : .notAllowed
        case .publicOnly: return SpecialAddresses.reasonNotPublic(address)
        case .noLinkLocalOrMetadata: return SpecialAddresses.linkLocalOrMetadata(address)
        }
    }
}

/// Tells which address a policy refused, and by which rule.
public struct RefusedAddress: Sendable, Hashable {
    /// Why an address is refused.
    @nonexhaustive public enum Reason: Sendable, Hashable {
        /// ``AddressPolicy/deny`` holds it.
        case denied(AddressRange)
        /// ``AddressPolicy/only(_:)`` does not name it.
        case notAllowed
        /// The preset refuses this block, which is for a special purpose.
        case special(AddressRange, purpose: String)
        /// The preset passes public IPv6 addresses, and this one is outside 2000::/3.
        case unassigned
    }

    /// What was to be dialled.
    public let address: IPAddress
    /// The IPv4 address inside it that is refused; nil when it is refused as a whole.
    public let embedded: IPAddress?
    /// The rule.
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
        case .notAllowed: "not among those allowed"
        case .special(let range, let purpose): "\(purpose) (\(range))"
        case .unassigned: "not a public address"
        }
    }
}

/// A host name to look up, with the requested address family.
package struct HostQuery: Sendable, Hashable {
    /// The host name; the cache compares it exactly, so different case means different entries.
    package let host: String
    package let family: AddressFamily

    package init(host: String, family: AddressFamily = .any) {
        self.host = host
        self.family = family
    }
}

/// The requested address family.
package enum AddressFamily: Sendable, Hashable {
    case any
    case ipv4
    case ipv6

    package func includes(_ host: SocketAddress.Host) -> Bool {
        switch (self, host) {
        case (.any, _), (.ipv4, .v4), (.ipv6, .v6): true
        default: false
        }
    }
}

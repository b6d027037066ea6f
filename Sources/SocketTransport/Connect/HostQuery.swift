/// Says what is looked up: a host name, and which kind of addresses is wanted.
package struct HostQuery: Sendable, Hashable {
    /// As it was given; letters in lower case find each other's answers.
    package let host: String
    package let family: AddressFamily

    package init(host: String, family: AddressFamily = .any) {
        self.host = host
        self.family = family
    }
}

/// Says which kind of addresses is wanted.
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

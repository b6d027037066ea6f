/// Says how a connecting socket is set up before it connects.
///
/// TCP_NODELAY is always on.
package struct SocketOptions: Sendable, Hashable {
    /// Where our end lies; nil leaves it to the system.
    package var binding: LocalBinding?
    /// nil: no probes.
    package var keepAlive: KeepAlive?
    /// TCP_USER_TIMEOUT in milliseconds: how long sent bytes may stay unacknowledged; 0 leaves it
    /// to the system.
    package var userTimeoutMilliseconds: Int32 = 0

    package init() {}

    /// Probes of a silent connection (tcp(7)), in seconds; 0 leaves a value to the system.
    package struct KeepAlive: Sendable, Hashable {
        package let idle: Int32
        package let interval: Int32
        package let count: Int32

        package init(idle: Int32, interval: Int32, count: Int32) {
            self.idle = idle
            self.interval = interval
            self.count = count
        }
    }
}

/// Says where our end of a connection lies.
package enum LocalBinding: Sendable, Hashable, CustomStringConvertible {
    /// At this address, which this machine must have.
    case address(SocketAddress.Host)
    /// On this network interface: nothing goes out or comes in by another (SO_BINDTODEVICE).
    case device(String)
    /// On this network interface; where that is not permitted, at one of its addresses.
    case interface(String)

    package var description: String {
        switch self {
        case .address(let host): SocketAddress(host: host, port: 0).literal
        case .device(let name), .interface(let name): name
        }
    }
}

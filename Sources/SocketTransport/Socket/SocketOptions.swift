/// The options set on a socket before it connects.
///
/// TCP_NODELAY is always on.
package struct SocketOptions: Sendable, Hashable {
    /// The local address or interface; nil lets the system choose.
    package var binding: LocalBinding?
    /// The keep-alive probes; nil for none.
    package var keepAlive: KeepAlive?
    /// The time in milliseconds that sent bytes may stay unacknowledged (TCP_USER_TIMEOUT).
    ///
    /// 0 keeps the system's default.
    package var userTimeoutMilliseconds: Int32 = 0

    package init() {}

    /// The keep-alive probes (tcp(7)), in seconds; 0 keeps the system's default.
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

/// The local end of a connection.
package enum LocalBinding: Sendable, Hashable, CustomStringConvertible {
    /// Bind to this address, which must belong to this machine.
    case address(SocketAddress.Host)
    /// Bind to this network interface; all traffic uses it (SO_BINDTODEVICE).
    case device(String)
    /// Bind to this network interface, or to one of its addresses if that is not permitted.
    case interface(String)

    package var description: String {
        switch self {
        case .address(let host): SocketAddress(host: host, port: 0).literal
        case .device(let name), .interface(let name): name
        }
    }
}

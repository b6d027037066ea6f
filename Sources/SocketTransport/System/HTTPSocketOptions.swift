/// Options of the TCP socket of a connection, set before it connects.
///
/// TCP_NODELAY is always on.
public struct HTTPSocketOptions: Sendable, Hashable {
    /// The local address or interface.
    ///
    /// Default nil: the system chooses by its routes.
    public var localBinding: LocalBinding?

    /// TCP keep-alive probes for connections without traffic.
    ///
    /// Default nil: no probes.
    public var keepAlive: KeepAlive?

    /// The time that sent bytes may stay unacknowledged (TCP_USER_TIMEOUT, RFC 5482).
    ///
    /// Default nil: the system's value, about 15 minutes on Linux. The minimum is one millisecond, the
    /// maximum 24 days.
    public var userTimeout: Duration?

    /// Creates the default options.
    public init() {}

    /// The local end of a connection.
    public enum LocalBinding: Sendable, Hashable {
        /// Binds to this address, which must belong to this machine; the system chooses the port.
        ///
        /// Connecting to addresses of the other family fails.
        case address(IPAddress)
        /// Binds to this network interface; all traffic uses this interface (SO_BINDTODEVICE).
        ///
        /// Linux permits this to programs with CAP_NET_RAW, and since 5.7 to all programs.
        case device(String)
        /// Binds as ``device(_:)`` does, or to an address of the interface if that is not permitted.
        case interface(String)
    }

    /// Settings for probing a silent connection (RFC 9293 §3.8.4, tcp(7)).
    public struct KeepAlive: Sendable, Hashable {
        /// The time without traffic before the first probe, in whole seconds from 1 to 32 767.
        public var idle: Duration
        /// The time between two probes, in whole seconds from 1 to 32 767.
        public var interval: Duration
        /// The number of unanswered probes after which the connection is considered lost, from 1 to 127.
        ///
        /// Nil means the system's value, 9 on Linux.
        public var count: Int?

        /// Creates keep-alive settings.
        ///
        /// - Parameters:
        ///   - idle: default 60 s, because NAT routers drop silent connections, some after a few minutes.
        ///   - interval: default 60 s, like `idle`.
        ///   - count: default nil: the system's value, 9 on Linux.
        public init(
            idle: Duration = .seconds(60),
            interval: Duration = .seconds(60),
            count: Int? = nil
        ) {
            self.idle = idle
            self.interval = interval
            self.count = count
        }
    }
}

extension HTTPSocketOptions.LocalBinding: CustomStringConvertible {
    /// The address, or the name of the interface.
    public var description: String {
        switch self {
        case .address(let address): address.description
        case .device(let name), .interface(let name): name
        }
    }
}

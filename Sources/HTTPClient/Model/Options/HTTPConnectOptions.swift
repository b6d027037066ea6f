/// Says how connections are opened: where to, from where, and what is forbidden.
///
///     var configuration = HTTPClient.Configuration()
///     configuration.connectOptions.addressPolicy = .publicOnly
///     configuration.connectOptions.localBinding = .interface("eth1")
///
/// The client has one (``HTTPClient/Settings/connectOptions``), and a request may have its own
/// (``HTTPRequest/connectOptions``), which replaces the client's whole. Connections are shared by requests
/// with equal settings only, so one that was opened under one policy never serves another.
///
/// ## Topics
/// ### Where to
/// - ``overrides``
/// - ``connectToRules``
/// - ``addressFamily``
/// - ``unixSocket``
/// ### What is forbidden
/// - ``addressPolicy``
/// ### Our end
/// - ``localBinding``
/// - ``keepAlive``
/// - ``userTimeout``
public struct HTTPConnectOptions: Sendable, Hashable {
    /// Addresses to use instead of resolving a name; the first that fits is used.
    ///
    /// Default none. The host stays what the request and the certificate are about. Looked at after
    /// ``connectToRules``.
    public var overrides: [HTTPAddressOverride] = []

    /// Hosts and ports to connect to instead of others; the first that fits is used, once.
    ///
    /// Default none. The host stays what the request and the certificate are about.
    public var connectToRules: [HTTPConnectToRule] = []

    /// Which addresses of a host are tried.
    ///
    /// Default `.any`: all, IPv6 and IPv4 in turn (RFC 8305).
    public var addressFamily = AddressFamily.any

    /// The unix domain socket to connect to, whatever host the URL names.
    ///
    /// Default none. The URL still says the Host field, and https still means TLS with the host's
    /// certificate. Nothing is resolved and ``addressPolicy`` is not asked.
    public var unixSocket: UnixSocket?

    /// Which addresses may be dialled.
    ///
    /// Default `.any`: a client that is given its URLs by its own program may go everywhere.
    public var addressPolicy = AddressPolicy.any

    /// The address or interface that connections go out from.
    ///
    /// Default nil: the system's choice by its routes.
    public var localBinding: LocalBinding?

    /// Probes of a connection on which nothing moves.
    ///
    /// Default nil, none: ``HTTPTimeouts/readIdle`` and ``HTTPTimeouts/writeIdle`` end a silent
    /// exchange sooner, and unused connections are closed after 30 s. Switch it on where those bounds
    /// are off, such as for an event stream that is silent for hours.
    public var keepAlive: KeepAlive?

    /// How long bytes that were sent may stay without acknowledgement (TCP_USER_TIMEOUT, RFC 5482).
    ///
    /// Default nil: the system's, about 15 minutes on Linux; ``HTTPTimeouts`` end a call before that.
    /// At least a millisecond, at most 24 days.
    public var userTimeout: Duration?

    /// Makes the default settings.
    public init() {}

    /// The first port of an override or redirection that does not exist.
    var invalidPort: Int? {
        if overrides.isEmpty, connectToRules.isEmpty { return nil }
        let ports = overrides.map(\.port) + connectToRules.flatMap { [$0.fromPort, $0.toPort] }
        return ports.lazy.compactMap(\.self).first { !(0...65_535 ~= $0) }
    }

    /// Says which addresses of a host are tried.
    public enum AddressFamily: Sendable, Hashable {
        /// IPv6 and IPv4.
        case any
        /// IPv4 alone.
        case ipv4
        /// IPv6 alone.
        case ipv6
    }

    /// Says where our end of a connection lies.
    ///
    /// When no address can be reached from there the call ends with
    /// ``HTTPError/Kind/bindFailed(local:reason:)``.
    public enum LocalBinding: Sendable, Hashable {
        /// At this address, which this machine must have; the port is the system's choice.
        ///
        /// Addresses of the other family fail.
        case address(IPAddress)
        /// On this network interface: nothing goes out or comes in by another (SO_BINDTODEVICE).
        ///
        /// Linux permits it to programs with CAP_NET_RAW, since 5.7 to all.
        case device(String)
        /// As ``device(_:)``; where that is not permitted, at an address of the interface.
        case interface(String)
    }

    /// Says how a silent connection is probed (RFC 9293 §3.8.4, tcp(7)).
    public struct KeepAlive: Sendable, Hashable {
        /// Silence before the first probe, in whole seconds from 1 to 32 767.
        public var idle: Duration
        /// Time between two probes, in whole seconds from 1 to 32 767.
        public var interval: Duration
        /// Probes without answer after which the connection counts as lost, 1 to 127; nil: the
        /// system's, 9.
        public var count: Int?

        /// Makes settings.
        ///
        /// - Parameters:
        ///   - idle: default 60 s: routers that translate addresses forget silent connections, some
        ///     after minutes.
        ///   - interval: default 60 s, like `idle`.
        ///   - count: default nil: the system's, 9 on Linux.
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

/// Says which addresses to use instead of resolving a host.
///
///     configuration.connectOptions.overrides = [
///         HTTPAddressOverride(host: "api.example.com", port: 443, addresses: ["192.0.2.7"])
///     ]
public struct HTTPAddressOverride: Sendable, Hashable {
    /// The host it is for, letters in lower case; nil for every host.
    public let host: String?
    /// The port it is for; nil for every port.
    ///
    /// A request with an override for a port outside 0...65535 throws `.invalidRequest(.connectPort)`.
    public let port: Int?
    /// The addresses, in the order of preference; with none the host has no address.
    public let addresses: [IPAddress]

    /// Makes an override.
    ///
    /// - Parameters:
    ///   - host: a name or address without brackets, in letters of either case; nil for every host.
    ///   - port: nil for every port.
    ///   - addresses: in the order of preference.
    public init(host: String?, port: Int?, addresses: [IPAddress]) {
        self.host = host.map { CanonicalHost.text($0) }
        self.port = port
        self.addresses = addresses
    }

    func matches(_ host: String, _ port: Int) -> Bool {
        (self.host ?? host) == host && (self.port ?? port) == port
    }
}

/// Leads connections for one host and port to another.
///
///     configuration.connectOptions.connectToRules = [
///         HTTPConnectToRule(fromHost: "www.example.com", toHost: "staging.example.com")
///     ]
public struct HTTPConnectToRule: Sendable, Hashable {
    /// The host it is for, letters in lower case; nil for every host.
    public let fromHost: String?
    /// The port it is for; nil for every port.
    public let fromPort: Int?
    /// The host to connect to; nil for the one that was asked for.
    public let toHost: String?
    /// The port to connect to; nil for the one that was asked for.
    public let toPort: Int?

    /// Makes a redirection; nil stands for every host or port, or for no change.
    ///
    /// A request with a redirection from or to a port outside 0...65535 throws
    /// `.invalidRequest(.connectPort)`.
    public init(
        fromHost: String? = nil,
        fromPort: Int? = nil,
        toHost: String? = nil,
        toPort: Int? = nil
    ) {
        self.fromHost = fromHost.map { CanonicalHost.text($0) }
        self.fromPort = fromPort
        self.toHost = toHost.map { CanonicalHost.text($0) }
        self.toPort = toPort
    }

    func matches(_ host: String, _ port: Int) -> Bool {
        (fromHost ?? host) == host && (fromPort ?? port) == port
    }
}

public import SocketTransport
internal import Wire

/// Options for opening connections: the destination, the local address and the permitted addresses.
///
///     var configuration = HTTPClientConfiguration()
///     configuration.connectOptions.addressPolicy = .publicOnly
///     configuration.connectOptions.localBinding = .interface("eth1")
///
/// The client has default options (``HTTPClientSettings/connectOptions``). A request can have its own
/// (``HTTPRequest/connectOptions``), which replace the client's as a whole. Only requests with equal
/// options share connections, so a connection opened under one policy never serves another.
///
/// ## Topics
/// ### Destination
/// - ``overrides``
/// - ``connectToRules``
/// - ``addressFamily``
/// - ``unixSocket``
/// ### Permitted addresses
/// - ``addressPolicy``
/// ### Local address and TCP options
/// - ``localBinding``
/// - ``keepAlive``
/// - ``userTimeout``
public struct HTTPConnectOptions: Sendable, Hashable {
    /// Addresses to use instead of resolving a host name; the first match applies.
    ///
    /// Default none. The host of the request and of the certificate check stays the same. Overrides apply
    /// after ``connectToRules``.
    public var overrides: [AddressOverride] = []

    /// Hosts and ports to connect to instead of others; only the first match applies.
    ///
    /// Default none. The host of the request and of the certificate check stays the same.
    public var connectToRules: [ConnectToRule] = []

    /// The address families of a host that the client tries.
    ///
    /// Default `.any`: both, alternating between IPv6 and IPv4 (RFC 8305).
    public var addressFamily = IPAddress.Family.any

    /// The unix domain socket to connect to, whatever the host in the URL.
    ///
    /// Default none. The URL still determines the Host field, and https still uses TLS with a certificate
    /// for that host. The client does not resolve the host and does not apply ``addressPolicy``.
    public var unixSocket: UnixSocket?

    /// The policy for the addresses that the client may connect to.
    ///
    /// Default `.any`, which suits a client whose URLs come from its own program.
    public var addressPolicy = AddressPolicy.any

    /// The local address or interface of connections.
    ///
    /// Default nil: the system chooses by its routes.
    public var localBinding: LocalBinding? {
        get { socketOptions.localBinding }
        set { socketOptions.localBinding = newValue }
    }

    /// TCP keep-alive probes for connections without traffic.
    ///
    /// Default nil: no probes. ``HTTPTimeouts/readIdle`` and ``HTTPTimeouts/writeIdle`` end a stalled
    /// exchange sooner, and idle connections are closed after 30 s. Set it if those timeouts are off, for
    /// example for an event stream that can be silent for hours.
    public var keepAlive: KeepAlive? {
        get { socketOptions.keepAlive }
        set { socketOptions.keepAlive = newValue }
    }

    /// The time that sent bytes may stay unacknowledged (TCP_USER_TIMEOUT, RFC 5482).
    ///
    /// Default nil: the system's value, about 15 minutes on Linux. ``HTTPTimeouts`` usually end a call
    /// earlier. The minimum is one millisecond, the maximum 24 days.
    public var userTimeout: Duration? {
        get { socketOptions.userTimeout }
        set { socketOptions.userTimeout = newValue }
    }

    /// The options that the socket is opened with.
    package private(set) var socketOptions = HTTPSocketOptions()

    /// Creates the default options.
    public init() {}

    /// The first invalid port of an override or rule; nil if all are valid.
    package var invalidPort: Int? {
        if overrides.isEmpty, connectToRules.isEmpty { return nil }
        let ports = overrides.map(\.port) + connectToRules.flatMap { [$0.fromPort, $0.toPort] }
        return ports.lazy.compactMap(\.self).first { !(0...65_535 ~= $0) }
    }

    /// The local end of a connection.
    ///
    /// If no address is reachable from there, the call fails with
    /// ``HTTPError/Kind/bindFailed(local:reason:)``.
    public typealias LocalBinding = HTTPSocketOptions.LocalBinding

    /// Settings for probing a silent connection.
    public typealias KeepAlive = HTTPSocketOptions.KeepAlive
}

extension HTTPConnectOptions {
    /// Addresses to use instead of resolving a host.
    ///
    ///     configuration.connectOptions.overrides = [
    ///         HTTPConnectOptions.AddressOverride(host: "api.example.com", port: 443, addresses: ["192.0.2.7"])
    ///     ]
    public struct AddressOverride: Sendable, Hashable {
        /// The host that the override applies to, in lower case; nil for every host.
        public let host: String?
        /// The port that the override applies to; nil for every port.
        ///
        /// If the port is outside 0...65535, requests fail with `.invalidRequest(.connectPort)`.
        public let port: Int?
        /// The addresses in order of preference; if empty, the host has no address.
        public let addresses: [IPAddress]

        /// Creates an override.
        ///
        /// - Parameters:
        ///   - host: a name, or an address without brackets, in any case; nil for every host.
        ///   - port: the port; nil for every port.
        ///   - addresses: the addresses in order of preference.
        public init(host: String?, port: Int?, addresses: [IPAddress]) {
            self.host = host.map { CanonicalHost.text($0) }
            self.port = port
            self.addresses = addresses
        }

        package func matches(_ host: String, _ port: Int) -> Bool {
            (self.host ?? host) == host && (self.port ?? port) == port
        }
    }
}

extension HTTPConnectOptions {
    /// A rule that redirects connections from one host and port to another.
    ///
    ///     configuration.connectOptions.connectToRules = [
    ///         HTTPConnectOptions.ConnectToRule(fromHost: "www.example.com", toHost: "staging.example.com")
    ///     ]
    public struct ConnectToRule: Sendable, Hashable {
        /// The host that the rule applies to, in lower case; nil for every host.
        public let fromHost: String?
        /// The port that the rule applies to; nil for every port.
        public let fromPort: Int?
        /// The host to connect to; nil for the original host.
        public let toHost: String?
        /// The port to connect to; nil for the original port.
        public let toPort: Int?

        /// Creates a rule; nil matches every host or port, or leaves it unchanged.
        ///
        /// If either port is outside 0...65535, requests fail with `.invalidRequest(.connectPort)`.
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

        package func matches(_ host: String, _ port: Int) -> Bool {
            (fromHost ?? host) == host && (fromPort ?? port) == port
        }
    }
}

/// A custom resolver that replaces the system's resolver.
///
///     struct Registry: HTTPResolver {
///         let services: [String: [IPAddress]]
///
///         func addresses(of host: String) async throws -> [IPAddress] {
///             services[host] ?? []
///         }
///     }
///
/// Concurrent calls for the same host share one lookup. The client caches the result
/// (`HTTPDNSCacheOptions`) and applies its ``AddressPolicy`` to every address.
public protocol HTTPResolver: Sendable {
    /// Returns the addresses of a host.
    ///
    /// The client calls it on Swift's concurrent thread pool, never on its event loop. When no request
    /// waits for the result any longer, the task is canceled and the result is not used.
    ///
    /// - Parameter host: the host as in the URL, in lower case; never a numeric address.
    /// - Returns: the addresses in order of preference. The client skips those that
    ///   ``HTTPConnectOptions/addressFamily`` excludes. An empty array is a failure.
    /// - Throws: any error; the call fails with ``HTTPError/Kind/resolveFailed(host:reason:)``.
    @concurrent func addresses(of host: String) async throws -> [IPAddress]
}

public import SocketTransport
public import Wire

/// The configuration of a client: its settings and the options of its connection pool.
///
/// A client copies the configuration when it is created. The members of ``HTTPClientSettings`` can be
/// accessed directly:
///
///     var configuration = HTTPClientConfiguration()
///     configuration.timeouts.total = .seconds(30)
///     configuration.maxConnectionsPerOrigin = 2
///
/// The other properties apply to the whole connection pool.
@dynamicMemberLookup
public struct HTTPClientConfiguration: Sendable {
    /// The settings for sending requests.
    public var settings: HTTPClientSettings

    /// Accesses a member of ``settings``.
    public subscript<Value>(dynamicMember member: WritableKeyPath<HTTPClientSettings, Value>)
        -> Value
    {
        get { settings[keyPath: member] }
        set { settings[keyPath: member] = newValue }
    }

    /// The limits on what a peer may send.
    public var limits: WireLimits

    /// The maximum number of simultaneous connections to one origin.
    ///
    /// Default 64, a quarter of ``maxConnections``, so that one slow origin leaves connections for
    /// others. Without HTTP/2, each parallel call needs a connection: with 8, the 24 parallel calls of
    /// a handler would take three times as long as one. Browsers use 6, because their pages fetch
    /// many small files. Further requests wait for a connection (``HTTPTimeouts/queue``).
    public var maxConnectionsPerOrigin: Int

    /// The maximum number of connections in the pool.
    ///
    /// Default 256: a quarter of the 1024 descriptors that Linux allows a process by default.
    /// At the limit, the client first closes an idle connection to another origin.
    public var maxConnections: Int

    /// The time an idle connection is kept open.
    ///
    /// Default 30 s. Common servers close idle connections after 60 s or more, so the client
    /// closes first.
    public var idleTimeout: Duration

    /// The maximum age of a connection that is used, varied randomly by up to 10%.
    ///
    /// Default 10 minutes. Replacing connections lets the client follow address changes and
    /// spread its load over added servers. The random variation keeps connections that were
    /// opened together from being closed together.
    public var maxConnectionAge: Duration

    /// The maximum number of requests a connection carries.
    ///
    /// Default: unlimited. Servers that count requests announce when a connection must not be
    /// reused.
    public var maxConnectionUses: Int

    /// The maximum number of bytes per second of all transfers of the client together.
    ///
    /// Default nil: no limit. Simultaneous transfers get equal shares. Clients derived with
    /// ``HTTPClient/with(_:)`` share the limit, because they share the pool. Blocking calls count too.
    public var rateLimit: HTTPRateLimit?

    /// A callback for each connection that is opened or closed.
    ///
    /// Default nil. Without an observer, the client creates no events.
    ///
    /// The callback runs on the client's event loop, or on the calling thread of a blocking
    /// call. It must not block.
    public var poolObserver: HTTPPoolEvent.Observer?

    /// The limits for draining unread bodies so that their connections can be reused.
    ///
    /// Default 64 KiB within 1 s.
    public var unreadBodyPolicy: UnreadBodyPolicy

    /// The resolver that looks up the addresses of hosts.
    ///
    /// Default nil: the system's `getaddrinfo`, which reads `/etc/hosts` and the system's other
    /// sources. It runs on its own threads.
    public var resolver: (any HTTPResolver)?

    /// The options for caching the resolver's results.
    public var dnsCache: HTTPDNSCacheOptions

    /// Whether the client trusts a response's Content-Length.
    ///
    /// Default `.trusted`, as RFC 9112 §6.3 requires. With `.ignored`, a body without chunked
    /// coding is read until the connection closes. Use it for servers that send a wrong length.
    public var contentLengthPolicy: Strictness.ContentLengthPolicy

    /// Creates the default configuration.
    public init() {
        settings = HTTPClientSettings()
        limits = .default
        maxConnectionsPerOrigin = 64
        maxConnections = 256
        idleTimeout = .seconds(30)
        maxConnectionAge = .seconds(600)
        maxConnectionUses = .max
        rateLimit = nil
        poolObserver = nil
        resolver = nil
        dnsCache = HTTPDNSCacheOptions()
        unreadBodyPolicy = UnreadBodyPolicy()
        contentLengthPolicy = .trusted
    }
}

extension HTTPClientConfiguration {
    /// The limits for draining an unread body so that its connection can be reused.
    ///
    /// If a response is dropped before its end, the client reads the rest in the background. It
    /// closes the connection if the rest exceeds ``bytes`` or does not arrive within ``time``. It
    /// closes the connection immediately if the announced rest is larger, or if the connection
    /// cannot be reused anyway.
    public struct UnreadBodyPolicy: Sendable, Hashable {
        /// The maximum number of body bytes to drain, without chunked framing and before content decoding.
        ///
        /// With 0 the connection is always closed.
        ///
        /// Default 64 KiB: reading that much costs less than a new connection with its handshakes.
        public var bytes: Int

        /// The maximum time for draining.
        ///
        /// Default 1 s. Data that the peer has already sent arrives within that time. Draining for
        /// longer would keep waiting requests from using the connection's place in the pool.
        public var time: Duration

        /// Creates a policy with these limits.
        public init(bytes: Int = 64 << 10, time: Duration = .seconds(1)) {
            self.bytes = bytes
            self.time = time
        }

        /// A policy that closes the connection immediately.
        public static let close = UnreadBodyPolicy(bytes: 0, time: .zero)
    }
}

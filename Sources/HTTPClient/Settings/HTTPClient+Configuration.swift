public import Wire

extension HTTPClient {
    /// Says how a client behaves; a value, copied into the client when it is made.
    ///
    /// Everything in ``Settings`` can be named directly:
    ///
    ///     var configuration = HTTPClient.Configuration()
    ///     configuration.timeouts.total = .seconds(30)
    ///     configuration.maxConnectionsPerOrigin = 2
    ///
    /// The properties here are about the pool of connections as a whole.
    @dynamicMemberLookup
    public struct Configuration: Sendable {
        /// How requests are sent.
        public var settings: Settings

        /// Reaches one of the ``settings``.
        public subscript<Value>(dynamicMember member: WritableKeyPath<Settings, Value>) -> Value {
            get { settings[keyPath: member] }
            set { settings[keyPath: member] = newValue }
        }

        /// Bounds of what a peer may send.
        public var limits: WireLimits

        /// Connections to one origin at the same time.
        ///
        /// Default 8: enough to keep a server on the same continent busy, and few enough that none takes
        /// a single client for an attack; browsers use 6. Requests beyond that wait (``HTTPTimeouts/queue``).
        public var maxConnectionsPerOrigin: Int

        /// Connections in all.
        ///
        /// Default 256: a quarter of the 1024 descriptors that Linux lets a process have unless told
        /// otherwise. An idle connection of another origin makes room first.
        public var maxConnections: Int

        /// How long an unused connection is kept.
        ///
        /// Default 30 s: below the 60 s or more after which common servers close, so that the
        /// client closes first.
        public var idleTimeout: Duration

        /// How long after its opening a connection is still used, give or take a tenth.
        ///
        /// Default 10 minutes: so that a change of addresses is followed, and load is spread over
        /// servers that were added. The tenth keeps connections that were opened together from
        /// being closed together.
        public var maxConnectionAge: Duration

        /// How many requests a connection carries.
        ///
        /// Default: as many as come. Servers that count requests say when they have had enough.
        public var maxConnectionUses: Int

        /// Is told when a connection is opened or closed.
        ///
        /// Default none: nothing is made of events that nobody hears.
        ///
        /// Called on the client's loop, and on the calling thread of a blocking call; it must not
        /// block.
        public var poolObserver: HTTPPoolEvent.Observer?

        /// How much of a body that nobody reads is thrown away to keep its connection.
        ///
        /// Default 64 KiB within 1 s.
        public var unreadBodyPolicy: UnreadBodyPolicy

        /// What finds the addresses of hosts.
        ///
        /// Default nil: the system's getaddrinfo, with `/etc/hosts` and all it knows, on threads of
        /// its own.
        public var resolver: (any HTTPResolver)?

        /// How long the resolver's answers are remembered.
        public var dnsCache: HTTPDNSCacheOptions

        /// Whether a response's Content-Length is believed.
        ///
        /// Default `.trusted`, as RFC 9112 §6.3 has it. With `.ignored` a body without chunked coding is read to the end of
        /// the connection: for servers that announce a wrong length.
        public var contentLengthPolicy: MessageExchange.ContentLengthPolicy

        /// Makes the default configuration.
        public init() {
            settings = Settings()
            limits = .default
            maxConnectionsPerOrigin = 8
            maxConnections = 256
            idleTimeout = .seconds(30)
            maxConnectionAge = .seconds(600)
            maxConnectionUses = .max
            poolObserver = nil
            resolver = nil
            dnsCache = HTTPDNSCacheOptions()
            unreadBodyPolicy = UnreadBodyPolicy()
            contentLengthPolicy = .trusted
        }
    }

    /// Bounds what is thrown away of a body that nobody reads, so that its connection can be used
    /// again.
    ///
    /// When a response is dropped before its end, the rest is read in the background if it is not
    /// larger than ``bytes`` and comes within ``time``; else the connection is closed. Where more
    /// is announced, or the connection cannot be used again anyway, it is closed at once.
    public struct UnreadBodyPolicy: Sendable, Hashable {
        /// Bytes that may be thrown away, as framed; 0 always closes.
        ///
        /// Default 64 KiB: reading so much costs less than a new connection with its handshakes.
        public var bytes: Int

        /// How long the rest may take.
        ///
        /// Default 1 s: what a peer has sent already is here by then, and one that takes longer
        /// would keep a place in the pool from somebody who waits.
        public var time: Duration

        /// Makes bounds.
        public init(bytes: Int = 64 << 10, time: Duration = .seconds(1)) {
            self.bytes = bytes
            self.time = time
        }

        /// Closes at once.
        public static let close = UnreadBodyPolicy(bytes: 0, time: .zero)
    }

    /// Says whether content codings are asked for and undone.
    public enum Decompression: Sendable, Hashable {
        /// Accept-Encoding names gzip and deflate, and bodies are delivered decoded.
        case on
        /// No Accept-Encoding is added, and bodies are delivered as they come.
        case off
    }

    /// Says whether connections carry more than one request.
    public enum ConnectionReuse: Sendable, Hashable {
        /// Connections are kept and reused.
        case on
        /// Each request has a connection of its own and asks the peer to close it.
        case off
    }
}

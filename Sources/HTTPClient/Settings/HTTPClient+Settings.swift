public import Wire

extension HTTPClient {
    /// Says how a client sends requests, as far as that does not concern its connections as a whole.
    ///
    /// Part of every ``Configuration``, where each of these can be named directly. A client that is
    /// derived of another (``HTTPClient/with(_:)``) may differ in these alone, as both share a pool.
    public struct Settings: Sendable {
        /// Joined with relative references of requests.
        ///
        /// Default none: most clients speak with more than one server.
        ///
        /// The reference's path goes below the base's: `https://host/v1` and `users` or `/users`
        /// make `https://host/v1/users`; without a path it is the base itself. Dot segments are
        /// resolved, and may lead above the base. The queries follow each other, the base's first. An
        /// absolute URL passes the base by, and a host without a scheme (`//host/x`) is refused.
        public var baseURL: URI?

        /// Fields of every request; a request's own field of the same name replaces them.
        ///
        /// Default: `User-Agent: HTTPClient` and `Accept: */*`, which some servers insist on.
        public var headers: HTTPHeaders

        /// Bounds of each phase.
        public var timeouts: HTTPTimeouts

        /// Bytes of decoded body that a collected response may have.
        ///
        /// Default 10 MiB: enough for documents, too little to fill a service's memory by accident.
        public var collectLimit: Int

        /// Whether content codings are asked for and undone.
        ///
        /// Default on: text gets several times smaller, and what it grows to is bounded by
        /// ``collectLimit``, or by your reading. A body with a coding that cannot be decoded, or with
        /// more than ``WireLimits/codingCount``, is an error, never undecoded: `.codingFailed` or
        /// `.limitExceeded`. For other codings turn this off, and decode the body yourself.
        public var decompression: Decompression

        /// Which deviations from RFC 9112 are accepted in responses.
        ///
        /// Default `.lenient`: common servers end the lines of CGI responses in LF alone, and RFC 9112
        /// §2.2 lets a recipient read them. Heads are read as ``Strictness/lenient`` has it: those of
        /// interim responses and of a proxy's answer to CONNECT, too. What was accepted is in
        /// ``HTTPResponse/deviations``. Chunk lines and trailers are held to the strict rules, and so is
        /// framing. After LF alone, a CR inside a line or a folded line the connection is not used again:
        /// another reader may have found other lines.
        ///
        /// `.strict` refuses every deviation: `.malformedResponse`, with
        /// ``HTTPError/isReadableLeniently``. At these two levels a Set-Cookie line with a control byte is
        /// left out, and refuses nothing (RFC 6265bis §5.6); `.lenient` reports it, `.strict` refuses the
        /// response if the byte is a CR. `.forensic` reads whatever can be read, chunk lines and
        /// trailers included: use it to look at traffic, never to act on it.
        /// ``HTTPRequest/strictness`` sets it for one request.
        public var strictness: Strictness

        /// Whether connections carry more than one request.
        ///
        /// Default on: opening one costs more than most requests. ``HTTPRequest/connection`` says it for
        /// one request.
        public var connectionReuse: ConnectionReuse

        /// Whom to trust over https.
        ///
        /// Clients of one pool share connections where these are equal.
        public var security: HTTPSecurity

        /// Which proxy is used for whom; a request may have a setting of its own.
        ///
        /// Default `.environment`: what people set there is meant for every program. It is read
        /// once, when the client is made.
        public var proxy: HTTPProxySetting

        /// How connections are opened: where to, from where, and what is forbidden.
        public var connectOptions: HTTPConnectOptions

        /// What lets a few requests through at a time, and the others wait for their turn.
        ///
        /// Default none: the pool's own limits are enough for most programs. Several clients may
        /// share one queue.
        public var queue: HTTPClientQueue?

        /// Where cookies are kept.
        ///
        /// Default ``CookieStorage/disabled``: a jar mixes the sessions of all users for whom a program sends
        /// requests with one client. ``CookieStorage/automatic`` adds a jar in memory.
        ///
        /// A Cookie field of the request comes first, and the jar's cookies with other names follow. If
        /// ``headers`` has a Cookie field, the jar's cookies are not sent.
        public var cookies: CookieStorage

        /// What proves to servers who asks; ``HTTPRequest/authentication`` says it for one request.
        ///
        /// Default none.
        public var authentication: HTTPAuthentication?

        /// How redirects are followed.
        public var redirects: HTTPRedirectOptions

        /// What is retried, and how often.
        ///
        /// Default ``HTTPRetryOptions/init()``: two retries, and only of what a validator or an interceptor asks for;
        /// ``HTTPRetryOptions/standard`` also retries failures that are worth it.
        public var retries: HTTPRetryOptions

        /// What judges the outcome of each call, in order.
        ///
        /// Default none.
        public var validators: [any HTTPResponseValidator]

        /// What stands around the sending of each request; the first stands outermost.
        ///
        /// Default none.
        public var interceptors: [any HTTPInterceptor]

        /// What changes each response behind the interceptors and before the validators, in order.
        ///
        /// Default none.
        public var transformers: [HTTPResponseTransformer]

        /// What is told of each step of a call.
        ///
        /// Default none.
        public var observers: [any HTTPObserver]

        /// What answers requests in place of the network; see <doc:TestingYourCode>.
        ///
        /// Default none.
        public var stubs: HTTPStubs?

        /// What JSON is read and written with, a `JSONCoders`; nil for coders without settings, and where
        /// there is no Foundation.
        var coders: (any AnyObject & Sendable)?

        /// Makes the default settings.
        public init() {
            cookies = .disabled
            authentication = nil
            redirects = .follow
            retries = HTTPRetryOptions()
            validators = []
            interceptors = []
            transformers = []
            observers = []
            stubs = nil
            baseURL = nil
            headers = [.userAgent: "HTTPClient", .accept: "*/*"]
            timeouts = HTTPTimeouts()
            collectLimit = 10 << 20
            decompression = .on
            strictness = .lenient
            connectionReuse = .on
            security = HTTPSecurity()
            connectOptions = HTTPConnectOptions()
            proxy = .environment
            queue = nil
        }
    }

    /// Makes a client that sends requests in another way, over the same connections.
    ///
    ///     let patient = client.with { $0.timeouts.total = .seconds(600) }
    ///     let api = client.with {
    ///         $0.baseURL = try? URI("https://api.example.com/v2")
    ///         $0.headers[.authorization] = "Bearer …"
    ///     }
    ///
    /// Costs little: nothing is opened and no thread is started. Both clients live as long as they
    /// are referred to, in any order. What belongs to the pool itself, such as
    /// ``Configuration/maxConnections``, cannot be changed here: make another client for that.
    ///
    /// - Parameter change: gets this client's settings.
    /// - Returns: a client with the settings that `change` left.
    /// - Throws: what `change` throws.
    public func with<Failure: Error>(
        _ change: (inout Settings) throws(Failure) -> Void
    ) throws(Failure) -> HTTPClient {
        var configuration = configuration
        try change(&configuration.settings)
        return HTTPClient(configuration, sharing: self)
    }
}

public import SocketTransport
public import Wire

// To add a setting of clients, add it here; a setting of the whole pool belongs to `HTTPClientConfiguration`. The tests
// are those of the code that reads it.

/// The settings for sending requests, without the options of the connection pool.
///
/// They are part of every ``HTTPClientConfiguration``, which gives direct access to each of them. A
/// client derived from another with ``HTTPClient/with(_:)`` can differ only in these settings,
/// because both clients share one pool.
public struct HTTPClientSettings: Sendable {
    /// The URL that relative references of requests are joined with.
    ///
    /// Default nil, because most clients use more than one server.
    ///
    /// The path of the reference is appended to the path of the base. For example,
    /// `https://host/v1` and `users` or `/users` give `https://host/v1/users`. A reference
    /// without a path gives the base itself. Dot segments are resolved, and can lead above the
    /// base. The queries are concatenated, the base's first. An absolute URL ignores the base.
    /// A host without a scheme (`//host/x`) is rejected.
    public var baseURL: URI?

    /// The header fields added to every request; a field of the request replaces one of the
    /// same name.
    ///
    /// Default: `User-Agent: HTTPClient` and `Accept: */*`, because some servers require them.
    public var headers: HTTPHeaders

    /// The items added at the end of the query of every request, such as the key of a service.
    ///
    ///     configuration.query = [HTTPQueryItem("api-version", "2")]
    ///
    /// Items whose name is in the query of the request or of ``baseURL`` are not added. The target of a redirect is
    /// requested as the server sent it, without these items, because it may belong to another server. A retry sends
    /// the same query again. A raw target is not changed (``HTTPRequest/rawTarget``).
    ///
    /// Default none.
    public var query: [HTTPQueryItem]

    /// The timeouts of each phase of a call.
    public var timeouts: HTTPTimeouts

    /// The maximum size of a collected response body in bytes, after decoding.
    ///
    /// Default 10 MiB: enough for documents, and too little to exhaust a service's memory by
    /// accident.
    public var collectLimit: Int

    /// Whether the client requests and decodes content codings.
    ///
    /// Default on, because text becomes several times smaller. The decoded size is limited by
    /// ``collectLimit``, or by how much the caller reads from a stream.
    ///
    /// A body with an unsupported coding, or with more codings than ``WireLimits/codingCount``,
    /// is an error: `.codingFailed` or `.limitExceeded`. It is never delivered undecoded. For
    /// other codings, turn this off and decode the body yourself.
    public var decompression: Decompression

    /// Whether the client verifies the digest fields of responses;
    /// ``HTTPRequest/digestVerification`` overrides it for one request.
    ///
    /// Default ``HTTPDigest/Verification/off``, because hashing costs time and few servers send
    /// digests.
    public var digestVerification: HTTPDigest.Verification

    /// The deviations from RFC 9112 that are accepted in responses.
    ///
    /// Default `.lenient`: common servers end the lines of CGI responses with LF alone, and RFC
    /// 9112 §2.2 lets a recipient accept that. Response heads are parsed as
    /// ``Strictness/lenient`` describes, including interim responses and a proxy's response to
    /// CONNECT. ``HTTPResponse/deviations`` lists the deviations that were accepted.
    ///
    /// Chunk lines, trailers and framing still follow the strict rules. After an LF alone, a
    /// CR inside a line or a folded line, the connection is not reused, because another parser
    /// may have found other lines.
    ///
    /// `.strict` rejects every deviation with `.malformedResponse`, and sets
    /// ``HTTPError/isReadableLeniently``. At both levels, the client drops a Set-Cookie line with a
    /// control byte instead of rejecting the response (RFC 6265bis §5.6). `.lenient` reports the
    /// line. `.strict` nevertheless rejects the response if the byte is a CR.
    ///
    /// `.forensic` parses everything that can be parsed, including chunk lines and trailers. Use it to
    /// inspect traffic, never to act on it. ``HTTPRequest/strictness`` overrides this setting
    /// for one request.
    public var strictness: Strictness

    /// Whether a connection carries more than one request.
    ///
    /// Default on, because opening a connection costs more than most requests.
    /// ``HTTPRequest/connection`` overrides this setting for one request.
    public var connectionReuse: ConnectionReuse

    /// The TLS settings: trust, verification, client certificate and pins.
    ///
    /// Clients that share a pool share connections if these settings are equal.
    public var security: HTTPSecurity

    /// The proxy setting; a request can override it.
    ///
    /// Default `.environment`, because proxy variables apply to every program. The client reads
    /// them once, when it is created.
    public var proxy: HTTPProxy.Setting

    /// The options for opening connections: their destination, local address and restrictions.
    public var connectOptions: HTTPConnectOptions

    /// The queue that limits how many requests run at a time; further requests wait in it.
    ///
    /// Default nil, because the limits of the pool suffice for most programs. Several clients
    /// can share one queue.
    public var queue: HTTPClientQueue?

    /// The cookie jar, if any.
    ///
    /// Default ``CookieJar/Storage/disabled``: a jar would mix the sessions of all users for whom a
    /// program sends requests with one client. ``CookieJar/Storage/automatic`` adds a jar in
    /// memory.
    ///
    /// A Cookie field of the request comes first, followed by the jar's cookies with other
    /// names. If ``headers`` has a Cookie field, the jar's cookies are not sent.
    public var cookies: CookieJar.Storage

    /// The cache for responses, if any.
    ///
    /// Default ``HTTPCache/Setting/disabled``, because a program that asks again usually wants the answer of the
    /// origin. ``cacheMode`` sets how requests use it. Upgrades and dedicated connections do not.
    public var cache: HTTPCache.Setting

    /// The way in which requests use the cache, unless they have their own mode (``HTTPRequest/cacheMode``).
    ///
    /// Default `.default`: by RFC 9111. It has no effect without a cache.
    public var cacheMode: HTTPRequest.CacheMode

    /// The credentials for origin servers; ``HTTPRequest/authentication`` overrides them for
    /// one request.
    ///
    /// Default nil.
    public var authentication: HTTPAuthentication?

    /// The rules for following redirects.
    public var redirects: HTTPRedirectOptions

    /// The rules for retrying requests, and how often.
    ///
    /// Default ``HTTPRetryOptions/init()``: at most two retries, and only if a validator or an
    /// interceptor requests one. ``HTTPRetryOptions/standard`` also retries failures that are
    /// likely temporary.
    public var retries: HTTPRetryOptions

    /// The validators that check the result of each call, in order.
    ///
    /// Default none.
    public var validators: [any HTTPResponseValidator]

    /// The interceptors that wrap the sending of each request, outermost first.
    ///
    /// Default none.
    public var interceptors: [any HTTPInterceptor]

    /// The functions that transform each response after the interceptors and before the
    /// validators, in order.
    ///
    /// Default none.
    public var transformers: [HTTPResponseTransformer]

    /// The observers that are notified of each step of a call.
    ///
    /// Default none.
    public var observers: [any HTTPObserver]

    /// The transport that carries requests in place of the network, in tests; see
    /// <doc:TestingYourCode>.
    ///
    /// Default nil.
    public var dialer: (any HTTPDialer)?

    /// The JSON encoder and decoder, a `JSONCoders`; nil for coders without settings and
    /// without Foundation.
    package var coders: (any AnyObject & Sendable)?

    /// Creates the default settings.
    public init() {
        cookies = .disabled
        cache = .disabled
        cacheMode = .default
        authentication = nil
        redirects = .follow
        retries = HTTPRetryOptions()
        validators = []
        interceptors = []
        transformers = []
        observers = []
        dialer = nil
        baseURL = nil
        headers = [.userAgent: "HTTPClient", .accept: "*/*"]
        query = []
        timeouts = HTTPTimeouts()
        collectLimit = 10 << 20
        decompression = .on
        digestVerification = .off
        strictness = .lenient
        connectionReuse = .on
        security = HTTPSecurity()
        connectOptions = HTTPConnectOptions()
        proxy = .environment
        queue = nil
    }
}

extension HTTPClientSettings {
    /// Whether the client requests and decodes content codings.
    public enum Decompression: Sendable, Hashable {
        /// The client sends ``ContentCoding/acceptEncoding``, and decodes bodies.
        ///
        /// A request with Range asks for `identity` instead, unless the caller has set
        /// Accept-Encoding, and a 206 (Partial Content) is delivered as received: a part of a coded
        /// body cannot be decoded (RFC 9110 §14.1).
        case on
        /// The client adds no Accept-Encoding, and delivers bodies as received.
        case off
    }

    /// Whether a connection carries more than one request.
    public enum ConnectionReuse: Sendable, Hashable {
        /// Connections are kept and reused.
        case on
        /// Each request uses a new connection and asks the server to close it.
        case off
    }
}

internal import SocketTransport
public import Wire

/// An HTTP/1.1 client with a connection pool.
///
///     let client = HTTPClient()
///     let response = try await client.send("https://api.example.com/users")
///     print(response.status, response.text)
///
/// A client is immutable and can be used from any number of tasks and threads at once. It needs no
/// shutdown. When its last reference is gone, it finishes the calls in progress, closes its idle
/// connections and ends its thread. Create one client and keep it, because each has its own pool.
///
/// ## Topics
/// ### Sending requests
/// - ``send(_:)-(HTTPRequest)``
/// - ``fetch(_:from:)``
/// - ``fetch(_:)``
/// - ``stream(_:)``
/// - ``events(_:options:)``
/// - ``download(_:to:options:)``
/// - ``blocking-swift.property``
/// ### Starting calls
/// - ``start(_:)->HTTPCall<HTTPResponse>``
/// - ``startStream(_:)``
/// - ``startDownload(_:to:options:)``
/// ### Connections
/// - ``upgrade(_:to:)``
/// - ``tunnel(to:port:through:)``
/// - ``withConnection(to:_:)``
/// - ``pool``
/// ### Configuring a client
/// - ``init(_:)-(Configuration)``
/// - ``init(_:)-((Configuration)->Void)``
/// - ``init(baseURL:configuration:_:)-(String,_,_)``
/// - ``HTTPClientConfiguration``
/// - ``HTTPClientSettings``
/// - ``with(_:)``
/// - ``shared``
/// - ``cookies``
/// ### Performance
/// - ``executor``
public final class HTTPClient: Sendable {
    /// The functions of the client that block the calling thread, for threads that run no Swift task.
    ///
    ///     let response = try client.blocking.send("https://example.com/")
    ///
    /// See <doc:BlockingUse>.
    public let blocking: Blocking

    var core: ClientCore { blocking.core }

    /// Creates a client.
    ///
    /// The client opens no connection and starts no thread until its first use.
    public convenience init(_ configuration: Configuration = Configuration()) {
        self.init(configuration, loop: .threaded(), random: SplitMix64())
    }

    init(
        _ configuration: Configuration,
        loop: EventLoop,
        random: SplitMix64,
        clock: PolicyClock = .system
    ) {
        blocking = Blocking(
            core: ClientCore(configuration, loop: loop, random: random, clock: clock)
        )
    }

    /// Creates a client with other settings that shares the connections of `other`.
    init(_ configuration: Configuration, sharing other: HTTPClient) {
        blocking = Blocking(core: ClientCore(configuration, sharing: other.core))
    }

    /// The configuration that the client was created with.
    public var configuration: Configuration { core.configuration }

    var engine: Engine { core.engine }
    var policies: Policies { core.policies }

    /// The client's cookie jar; nil if ``HTTPClientSettings/cookies`` is `.disabled`, the default.
    public var cookies: CookieJar? { core.policies.cookies }

    /// The client's cache; nil if ``HTTPClientSettings/cache`` is `.disabled`, the default.
    public var cache: HTTPCache? { core.policies.cache }

    /// A client with the default configuration.
    ///
    /// It has no cookie jar, so that the parts of a program that share it never share a session.
    public static let shared = HTTPClient()

    /// The client's event loop, as a task executor.
    ///
    /// A task that prefers it makes calls on the thread that does the I/O. That saves two thread
    /// switches per call:
    ///
    ///     Task(executorPreference: client.executor) { … }
    ///
    /// Code in such a task must not block or compute for long, because it delays every connection
    /// of the client.
    public var executor: any TaskExecutor { engine.loop }
}

extension HTTPClient {
    /// Creates a client with a configuration that differs from the default.
    ///
    ///     let client = HTTPClient { $0.retries = .standard }
    ///
    /// - Parameter change: a closure that modifies the configuration.
    public convenience init(_ change: (inout Configuration) -> Void) {
        var configuration = Configuration.default
        change(&configuration)
        self.init(configuration)
    }

    /// Creates a client that resolves the relative URLs of its requests against a base URL.
    ///
    ///     let api = try HTTPClient(baseURL: "https://api.example.com/v1") {
    ///         $0.timeouts.total = .seconds(30)
    ///     }
    ///     let users = try await api.send("users")
    ///
    /// - Parameters:
    ///   - baseURL: the base URL, as for ``HTTPClientConfiguration/init(baseURL:)-(String)``.
    ///   - configuration: the initial configuration. Default ``HTTPClientConfiguration/default``.
    ///   - change: a closure that modifies the configuration. Default: no change.
    /// - Throws: the same errors as ``HTTPClientConfiguration/init(baseURL:)-(String)``.
    public convenience init(
        baseURL: String,
        configuration: Configuration = .default,
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws(HTTPError) {
        var configuration = configuration
        configuration.settings.baseURL = try Configuration(baseURL: baseURL).settings.baseURL
        change(&configuration)
        self.init(configuration)
    }
}

extension HTTPClient {
    /// The configuration of a client.
    public typealias Configuration = HTTPClientConfiguration

    /// The part of a configuration that derived clients can change.
    public typealias Settings = HTTPClientSettings

    /// Creates a client with other settings that shares this client's connections.
    ///
    ///     let patient = client.with { $0.timeouts.total = .seconds(600) }
    ///     let api = client.with {
    ///         $0.baseURL = try? URI("https://api.example.com/v2")
    ///         $0.headers[.authorization] = "Bearer …"
    ///     }
    ///
    /// Deriving a client is cheap: it opens no connection and starts no thread. Each client lives
    /// as long as it is referenced, independently of the other. The options of the pool itself,
    /// such as ``HTTPClientConfiguration/maxConnections``, cannot be changed; create another client for that.
    ///
    /// - Parameter change: a closure that modifies a copy of this client's settings.
    /// - Returns: a client with the modified settings.
    /// - Throws: any error that `change` throws.
    public func with<Failure: Error>(
        _ change: (inout Settings) throws(Failure) -> Void
    ) throws(Failure) -> HTTPClient {
        var configuration = configuration
        try change(&configuration.settings)
        return HTTPClient(configuration, sharing: self)
    }
}

// The class `HTTPClient` shadows the module of the same name, so `HTTPClient.HTTPRequest` would not
// find the module's type. These aliases make that spelling and a short one work. They also resolve
// clashes with types of other packages without a module selector.
extension HTTPClient {
    /// The module's request type, for code that also sees another `HTTPRequest`.
    public typealias HTTPRequest = HTTPClient::HTTPRequest
    /// A request.
    public typealias Request = HTTPClient::HTTPRequest
    /// The module's response type, for code that also sees another `HTTPResponse`.
    public typealias HTTPResponse = HTTPClient::HTTPResponse
    /// A response with its body.
    public typealias Response = HTTPClient::HTTPResponse
    /// The header fields of a message.
    public typealias Headers = HTTPHeaders
    /// A request method.
    public typealias Method = HTTPMethod
    /// The body of a request.
    public typealias Body = HTTPBody
}

extension HTTPClient: CustomReflectable {
    /// The configuration, whose texts have `***` in place of secrets; not the state of connections and policies.
    public var customMirror: Mirror { Mirror(self, children: ["configuration": configuration]) }
}

internal import SocketTransport
internal import Wire

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
/// - ``stream(_:)-(HTTPRequest)``
/// - ``stream(_:onUpload:)``
/// - ``call(_:)``
/// - ``run(_:)->HTTPCall<HTTPResponse>``
/// - ``download(_:to:resuming:onFailure:)``
/// - ``sendBlocking(_:)-(HTTPRequest)``
/// - ``downloadBlocking(_:to:resuming:onFailure:)``
/// - ``upgrade(_:to:)``
/// - ``tunnel(to:port:through:)``
/// - ``withConnection(to:_:)``
/// ### Configuring a client
/// - ``init(_:)``
/// - ``init(baseURL:configuration:_:)-(String,_,_)``
/// - ``HTTPClientConfiguration``
/// - ``HTTPClientSettings``
/// - ``with(_:)``
/// - ``shared``
/// - ``cookies``
/// ### Performance
/// - ``executor``
public final class HTTPClient: Sendable {
    let core: ClientCore

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
        core = ClientCore(configuration, loop: loop, random: random, clock: clock)
    }

    /// Creates a client with other settings that shares the connections of `other`.
    init(_ configuration: Configuration, sharing other: HTTPClient) {
        core = ClientCore(configuration, sharing: other.core)
    }

    /// The configuration that the client was created with.
    public var configuration: Configuration { core.configuration }

    var engine: Engine { core.engine }
    var policies: Policies { core.policies }

    /// The client's cookie jar; nil if ``HTTPClientSettings/cookies`` is `.disabled`, the default.
    public var cookies: CookieJar? { core.policies.cookies }

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

    // MARK: - Sending requests

    /// Sends a request and collects the response.
    ///
    /// Every status is returned as a response; see ``HTTPResponse/requireSuccess()``. The client
    /// follows redirects (``HTTPRedirectOptions``). It decodes the body (gzip, deflate), which may
    /// have at most ``HTTPClientSettings/collectLimit`` bytes. Canceling the task closes the connection.
    ///
    /// - Throws: every case of ``HTTPError/Kind`` except `.rejectedStatus` and `.decodingFailed`.
    public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
        try await core.send(request)
    }

    /// Sends a request and returns as soon as the response head has arrived.
    ///
    /// ``HTTPStreamedResponse/body`` delivers the body as the caller reads it. Back-pressure stops
    /// the server while the caller does not read.
    ///
    /// - Throws: the same errors as ``send(_:)-(HTTPRequest)``. Errors in the body are thrown when
    ///   it is read.
    public func stream(_ request: HTTPRequest) async throws(HTTPError) -> HTTPStreamedResponse {
        try await core.stream(request)
    }

    /// Sends a request and collects the response, blocking the calling thread.
    ///
    /// Use it in command-line tools and tests. No other thread takes part, except to produce a body
    /// that is not in memory. Blocking calls use separate connections, which are kept for later
    /// blocking calls.
    ///
    /// - Throws: the same errors as ``send(_:)-(HTTPRequest)``. It throws
    ///   `.invalidRequest(.blockingInsideTask)` inside a Swift task, because tasks share their
    ///   threads. The same error is thrown on the client's event loop, where its callbacks run.
    public func sendBlocking(_ request: HTTPRequest) throws(HTTPError) -> HTTPResponse {
        try core.sendBlocking(request)
    }
}

extension HTTPClient {
    /// Creates a client whose policies use another clock.
    package convenience init(_ configuration: Configuration, clock: PolicyClock, seed: UInt64) {
        self.init(configuration, loop: .threaded(), random: SplitMix64(seed: seed), clock: clock)
    }
}

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
/// - ``run(_:)->HTTPCall<HTTPClient.HTTPResponse>``
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
    /// The configuration that the client was created with.
    public let configuration: Configuration

    let engine: Engine
    /// The queue that requests wait in; nil if requests are sent immediately.
    let queue: HTTPClientQueue?
    let policies: Policies
    private let defaults: RequestPlanner.Defaults
    private let hostResolver: HostResolver
    /// Idle engines for blocking calls.
    private let blockingEngines: BlockingEnginePool
    /// The configuration that the pool was created with; a derived client has other settings.
    private let poolConfiguration: Configuration

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
        self.configuration = configuration
        poolConfiguration = configuration
        defaults = RequestPlanner.Defaults(configuration, in: configuration)
        hostResolver = HostResolver(configuration)
        blockingEngines = BlockingEnginePool()
        queue = configuration.settings.queue
        policies = Policies(configuration.settings, SharedPolicies(random, clock), ownJar: nil)
        engine = Engine(loop: loop, configuration: configuration, hostResolver, random: random)
    }

    /// Creates a client with other settings that shares the connections of `other`.
    init(_ configuration: Configuration, sharing other: HTTPClient) {
        self.configuration = configuration
        poolConfiguration = other.poolConfiguration
        var known: ProxyResolver?
        if case .environment = configuration.settings.proxy,
            case .environment = other.configuration.settings.proxy
        {
            known = other.defaults.allProxies
        }
        defaults = RequestPlanner.Defaults(
            configuration,
            in: other.poolConfiguration,
            proxies: known
        )
        hostResolver = other.hostResolver
        blockingEngines = other.blockingEngines
        queue = configuration.settings.queue
        policies = Policies(configuration.settings, other.policies.shared, ownJar: other.ownJar)
        engine = other.engine
    }

    /// The client's cookie jar; nil if ``HTTPClientSettings/cookies`` is `.disabled`, the default.
    public var cookies: CookieJar? { policies.cookies }

    /// The jar that this client and its derived clients share.
    private var ownJar: CookieJar? {
        if case .automatic = configuration.settings.cookies { policies.cookies } else { nil }
    }

    /// Returns the plan of a request whose connection is used beyond the response.
    func plan(
        _ request: HTTPRequest,
        _ passing: RequestPlanner.TunnelMode
    ) throws(HTTPError) -> Plan {
        try RequestPlanner.plan(request, configuration, defaults, passing)
    }

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

    /// Returns the plan of a request.
    func plan(_ request: HTTPRequest) throws(HTTPError) -> Plan {
        try RequestPlanner.plan(request, configuration, defaults)
    }

    /// Returns the plan of a request whose body is delivered without decoding.
    func planUndecoded(_ request: HTTPRequest) throws(HTTPError) -> Plan {
        var configuration = configuration
        configuration.settings.decompression = .off
        return try RequestPlanner.plan(request, configuration, defaults)
    }

    // MARK: - Sending requests

    /// Sends a request and collects the response.
    ///
    /// Every status is returned as a response; see ``HTTPResponse/requireSuccess()``. The client
    /// follows redirects (``HTTPRedirectOptions``). It decodes the body (gzip, deflate), which may
    /// have at most ``HTTPClientSettings/collectLimit`` bytes. Canceling the task closes the connection.
    ///
    /// - Throws: every case of ``HTTPError/Kind`` except `.rejectedStatus` and `.decodingFailed`.
    public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
        guard policies.letPass(request) else {
            return try await policies.isBrief(request)
                ? sendBriefly(request) : collectingPursuit().run(request)
        }
        policies.depositRetries()
        let call = Attempt(try plan(request))
        do throws(HTTPError) {
            if queue == nil {
                try await collect(call).get()
            } else {
                try await collectQueued(call)
            }
        } catch {
            guard call.hasOnlyHead(error) else { throw error }
            return try await collectingPursuit().run(
                request,
                from: .init(call: call, result: .failure(error))
            )
        }
        if let head = call.head, policies.settle(head) { return call.response() }
        return try await collectingPursuit().run(
            request,
            from: .init(call: call, result: .success(call.response()))
        )
    }

    /// Runs an attempt on the engine and collects its response.
    nonisolated(nonsending) func collect(_ call: Attempt) async -> Result<Void, HTTPError> {
        let engine = engine
        return await withTaskCancellationHandler {
            if isConfined(to: engine.loop) { return await engine.collected(call) }
            return await onLoop(engine.loop) { await engine.collected(call) }
        } onCancel: {
            call.cancel(on: engine.loop)
        }
    }

    /// Sends a request and returns as soon as the response head has arrived.
    ///
    /// ``HTTPStreamedResponse/body`` delivers the body as the caller reads it. Back-pressure stops
    /// the server while the caller does not read.
    ///
    /// - Throws: the same errors as ``send(_:)-(HTTPRequest)``. Errors in the body are thrown when
    ///   it is read.
    public func stream(_ request: HTTPRequest) async throws(HTTPError) -> HTTPStreamedResponse {
        guard policies.letPass(request) else {
            return try await streamingPursuit().run(request)
        }
        policies.depositRetries()
        let call = Attempt(try plan(request))
        let response = try await openQueued(call)
        if policies.settle(response.head) { return response }
        return try await streamingPursuit().run(
            request,
            from: .init(call: call, result: .success(response))
        )
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
        try checkMayBlock(request)
        guard policies.letPass(request) else {
            return try policies.isBrief(request)
                ? sendBrieflyBlocking(request) : pursueBlocking(request)
        }
        policies.depositRetries()
        let plan = try plan(request)
        let engine = takeBlockingEngine()
        defer { blockingEngines.put(engine) }
        let call = Attempt(plan)
        if case .failure(let error) = collectBlocking(call, by: engine) {
            guard call.hasOnlyHead(error) else { throw error }
            return try pursueBlocking(
                request,
                by: engine,
                from: .init(call: call, result: .failure(error))
            )
        }
        if let head = call.head, policies.settle(head) { return call.response() }
        return try pursueBlocking(
            request,
            by: engine,
            from: .init(call: call, result: .success(call.response()))
        )
    }

    /// Collects the response of an attempt on a loop that the calling thread drives.
    private func collectBlocking(_ call: Attempt, by engine: Engine) -> Result<Void, HTTPError> {
        do throws(TransportError) {
            if queue == nil {
                try engine.loop.driveToCompletion { call.result = await engine.collected(call) }
            } else {
                try engine.loop.driveToCompletion {
                    call.result = await self.runQueued(call, by: engine)
                }
            }
            return call.result
        } catch {
            return .failure(call.error(error))
        }
    }

    private func sendBrieflyBlocking(_ request: HTTPRequest) throws(HTTPError) -> HTTPResponse {
        let brief = try beginBriefly(request)
        let engine = takeBlockingEngine()
        defer { blockingEngines.put(engine) }
        let beginning: Pursuit<HTTPResponse>.Beginning
        switch collectBlocking(brief.call, by: engine) {
        case .success:
            let response = brief.call.response()
            if endBriefly(brief, response) { return response }
            beginning = brief.beginning(.success(response))
        case .failure(let error): beginning = brief.beginning(.failure(error))
        }
        return try pursueBlocking(brief.request, by: engine, from: beginning)
    }

    private func pursueBlocking(_ request: HTTPRequest) throws(HTTPError) -> HTTPResponse {
        let engine = takeBlockingEngine()
        defer { blockingEngines.put(engine) }
        return try pursueBlocking(request, by: engine)
    }

    /// Blocks the calling thread until an asynchronous operation has finished.
    ///
    /// - Parameters:
    ///   - request: the request, for errors.
    ///   - operation: the operation. It must switch to its own executor.
    /// - Returns: the value that `operation` returned.
    /// - Throws: the errors that ``sendBlocking(_:)-(HTTPRequest)`` throws before it sends
    ///   anything.
    func runBlocking<Value: Sendable>(
        for request: HTTPRequest,
        _ operation: @escaping @Sendable () async -> Value
    ) throws(HTTPError) -> Value {
        try checkMayBlock(request)
        let engine = takeBlockingEngine()
        defer { blockingEngines.put(engine) }
        do throws(TransportError) {
            return try engine.loop.drive { await operation() }
        } catch {
            throw HTTPError(HTTPError.Kind(error, phase: .preparing), phase: .preparing)
                .naming(request.method, request.publicURL)
        }
    }

    private func takeBlockingEngine() -> Engine {
        blockingEngines.take()
            ?? Engine(loop: .callerDriven(), configuration: poolConfiguration, hostResolver)
    }

    private func checkMayBlock(_ request: HTTPRequest) throws(HTTPError) {
        guard !isInsideTask(), !engine.loop.isCurrent else {
            throw HTTPError(.invalidRequest(.blockingInsideTask), phase: .preparing)
                .naming(request.method, request.publicURL)
        }
    }
}

// MARK: - Switching to the loop

extension HTTPClient: PlainRequestSender {
    func sendPlain(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
        let plain = with { settings in
            settings.authentication = nil
            for name in [FieldName.authorization, .proxyAuthorization, .cookie] {
                settings.headers.remove(name)
            }
            settings.validators = []
            settings.transformers = []
            settings.interceptors = []
            settings.observers = []
            settings.retries = HTTPRetryOptions(maxRetries: 0)
            settings.queue = nil
        }
        return try await plain.send(request)
    }
}

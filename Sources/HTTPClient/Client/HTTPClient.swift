internal import SocketTransport
internal import Wire

/// Sends requests and keeps the connections between them.
///
///     let client = HTTPClient()
///     let response = try await client.send("https://api.example.com/users")
///     print(response.status, response.text)
///
/// A client is immutable and can be used from every task and thread at once. It needs no shutdown:
/// when the last reference is gone its idle connections are closed and its thread ends; calls under
/// way are finished first. Make one and keep it; each has a pool of its own.
///
/// ## Topics
/// ### Asking
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
/// ### Setting up
/// - ``init(_:)``
/// - ``init(baseURL:configuration:_:)-(String,_,_)``
/// - ``Configuration``
/// - ``Settings``
/// - ``with(_:)``
/// - ``shared``
/// - ``cookies``
/// ### Speed
/// - ``executor``
public final class HTTPClient: Sendable {
    /// What the client was made with.
    public let configuration: Configuration

    let engine: Engine
    /// What requests wait in; nil when they go out as they come.
    let queue: HTTPClientQueue?
    let policies: Policies
    private let defaults: RequestPlanner.Defaults
    private let hostResolver: HostResolver
    /// Engines for blocking calls that none uses at the moment.
    private let blockingEngines: BlockingEnginePool
    /// What the pool was made with; a client that was derived has other settings.
    private let poolConfiguration: Configuration

    /// Makes a client.
    ///
    /// Opens nothing and starts no thread until it is used.
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

    /// Makes a client with other settings on the connections of `other`.
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

    /// The client's cookie jar; nil when ``HTTPClient/Settings/cookies`` is `.disabled`, the default.
    public var cookies: CookieJar? { policies.cookies }

    /// The jar that clients derived from this one share.
    private var ownJar: CookieJar? {
        if case .automatic = configuration.settings.cookies { policies.cookies } else { nil }
    }

    /// Makes the plan of a request that does not end with its response.
    func plan(
        _ request: HTTPRequest,
        _ passing: RequestPlanner.TunnelMode
    ) throws(HTTPError) -> Plan {
        try RequestPlanner.plan(request, configuration, defaults, passing)
    }

    /// A client with the default configuration, for programs that need no other.
    ///
    /// It has no cookie jar, so that parts of a program that share it never share a session.
    public static let shared = HTTPClient()

    /// The client's event loop.
    ///
    /// A task that prefers it makes calls without leaving the thread that does the I/O, which
    /// saves two thread changes a call:
    ///
    ///     Task(executorPreference: client.executor) { … }
    ///
    /// Code there must not block or compute for long: every connection of the client waits.
    public var executor: any TaskExecutor { engine.loop }

    /// Makes the plan of a request.
    func plan(_ request: HTTPRequest) throws(HTTPError) -> Plan {
        try RequestPlanner.plan(request, configuration, defaults)
    }

    /// Makes the plan of a request whose body is delivered as it comes.
    func planUndecoded(_ request: HTTPRequest) throws(HTTPError) -> Plan {
        var configuration = configuration
        configuration.settings.decompression = .off
        return try RequestPlanner.plan(request, configuration, defaults)
    }

    // MARK: - Asking

    /// Sends a request and collects the response.
    ///
    /// Any status is a response; see ``HTTPResponse/requireSuccess()``. Redirects are followed
    /// (``HTTPRedirectOptions``).
    /// The body is decoded (gzip, deflate) and may have at most
    /// ``Settings/collectLimit`` bytes. Cancelling the task closes the connection.
    ///
    /// - Throws: every case of ``HTTPError/Kind`` but `.rejectedStatus` and `.decodingFailed`.
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

    /// Has the engine make a call and collect what comes.
    nonisolated(nonsending) func collect(_ call: Attempt) async -> Result<Void, HTTPError> {
        let engine = engine
        return await withTaskCancellationHandler {
            if isConfined(to: engine.loop) { return await engine.collected(call) }
            return await onLoop(engine.loop) { await engine.collected(call) }
        } onCancel: {
            call.cancel(on: engine.loop)
        }
    }

    /// Sends a request and returns as soon as the head of the response is there.
    ///
    /// The body comes through ``HTTPStreamedResponse/body`` as fast as it is read: what nobody
    /// reads stays with the peer.
    ///
    /// - Throws: as ``send(_:)-(HTTPRequest)``; what happens to the body is thrown by reading it.
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

    /// Sends a request and collects the response while the calling thread waits.
    ///
    /// For command-line tools and tests: no other thread takes part, but for making a body that does
    /// not lie in memory. It uses connections of its own, which it keeps for the next blocking call.
    ///
    /// - Throws: as ``send(_:)-(HTTPRequest)``; `.invalidRequest(.blockingInsideTask)` inside a Swift task, whose
    ///   thread belongs to all tasks, and on the client's own loop, where its callbacks run.
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

    /// Collects what comes of a call on the loop of the thread that waits for it.
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

    /// Lets the calling thread wait for what others carry out.
    ///
    /// - Parameters:
    ///   - request: for errors.
    ///   - operation: brings itself to where it is carried out.
    /// - Returns: what it returned.
    /// - Throws: as ``sendBlocking(_:)-(HTTPRequest)`` before anything is sent.
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

// MARK: - Getting onto the loop

/// Runs `operation` on the loop and comes back.
func onLoop<Value: Sendable>(
    _ loop: EventLoop,
    _ operation: @Sendable () async -> Result<Value, HTTPError>
) async -> Result<Value, HTTPError> {
    // An actor's job may be on the loop's thread already, and go on there.
    let isPassing = !loop.isCurrent
    // The next that this thread does is to queue the job which follows: it may run it as well.
    if isPassing { loop.offerInlineRun() }
    return await withTaskExecutorPreference(loop) {
        await concurrently(loop, leavesEarly: isPassing, operation)
    }
}

/// Leaves the caller's isolation: only a function that has none of its own follows the task's
/// executor preference; one that inherits its caller's stays where it is.
///
/// The check is needed twice over. A loop that could not start passes its jobs to another executor;
/// and without something to do here the optimizer (6.3.1) drops the change of executor, because it
/// takes `operation` for a function that makes its own.
@concurrent private func concurrently<Value: Sendable>(
    _ loop: EventLoop,
    leavesEarly: Bool,
    _ operation: @Sendable () async -> Result<Value, HTTPError>
) async -> Result<Value, HTTPError> {
    loop.cancelInlineOffer()
    if !loop.isCurrent { await loop.hopToLoop() }
    guard loop.isCurrent else {
        let reason = "the event loop cannot be started: no descriptor or thread is left"
        return .failure(HTTPError(.systemFailure(reason: reason), phase: .preparing))
    }
    let result = await operation()
    if leavesEarly { loop.releaseEarly() }
    return result
}

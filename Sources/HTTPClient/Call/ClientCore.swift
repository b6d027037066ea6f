internal import SocketTransport
internal import Wire

/// The parts of a client that a call uses: the engine, the queue, the policies and the planner.
///
/// The public client holds one. A derived client has another one with the same engine.
final class ClientCore: Sendable {
    let configuration: HTTPClientConfiguration
    let engine: Engine
    /// The queue that attempts wait in; nil if requests are sent immediately.
    let queue: HTTPClientQueue?
    let policies: Policies
    private let defaults: RequestPlanner.Defaults
    private let hostResolver: HostResolver
    /// Engines for blocking calls.
    private let blockingEngines: SpareStack<Engine>
    /// The configuration that the pool was created with; a derived client has other settings.
    private let poolConfiguration: HTTPClientConfiguration

    init(
        _ configuration: HTTPClientConfiguration,
        loop: EventLoop,
        random: SplitMix64,
        clock: PolicyClock
    ) {
        self.configuration = configuration
        poolConfiguration = configuration
        defaults = RequestPlanner.Defaults(
            configuration,
            in: configuration,
            limiter: configuration.rateLimit.map { RateLimiter($0) }
        )
        hostResolver = HostResolver(configuration)
        blockingEngines = SpareStack(lifetime: configuration.idleTimeout)
        queue = configuration.settings.queue
        policies = Policies(
            configuration.settings,
            SharedPolicies(random, clock),
            ownJar: nil,
            ownCache: nil
        )
        engine = Engine(loop: loop, configuration: configuration, hostResolver, random: random)
    }

    /// Creates a core with other settings that shares the connections of `other`.
    init(_ configuration: HTTPClientConfiguration, sharing other: ClientCore) {
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
            other.defaults.routes,
            proxies: known,
            limiter: other.defaults.limiter
        )
        hostResolver = other.hostResolver
        blockingEngines = other.blockingEngines
        queue = configuration.settings.queue
        policies = Policies(
            configuration.settings,
            other.policies.shared,
            ownJar: other.ownJar,
            ownCache: other.ownCache
        )
        engine = other.engine
    }

    /// The jar that this client and its derived clients share.
    private var ownJar: CookieJar? {
        if case .automatic = configuration.settings.cookies { policies.cookies } else { nil }
    }

    /// The cache that this client and its derived clients share.
    private var ownCache: HTTPCache? {
        if case .memory = configuration.settings.cache { policies.cache } else { nil }
    }

    // MARK: - Plans

    /// Returns the plan of a request.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - tunnel: `.tunneled` if the connection is used beyond the response.
    /// - Returns: the plan.
    /// - Throws: `.invalidRequest`.
    func plan(
        _ request: HTTPRequest,
        _ tunnel: RequestPlanner.TunnelMode
    ) throws(HTTPError) -> Plan {
        try RequestPlanner.plan(request, configuration, defaults, tunnel)
    }

    /// Returns the plan of a request.
    func plan(_ request: HTTPRequest) throws(HTTPError) -> Plan {
        try RequestPlanner.plan(request, configuration, defaults)
    }

    /// Returns the plan of a request that asks for content codings, and whose body is delivered as received.
    func planKeepingCoding(_ request: HTTPRequest) throws(HTTPError) -> Plan {
        try RequestPlanner.plan(request, configuration, defaults, keepsCoding: true)
    }

    /// Returns the plan of a request that asks for no content coding.
    func planUndecoded(_ request: HTTPRequest) throws(HTTPError) -> Plan {
        var configuration = configuration
        configuration.settings.decompression = .off
        return try RequestPlanner.plan(request, configuration, defaults)
    }

    // MARK: - Running attempts

    /// Runs an attempt on an engine and collects its response.
    ///
    /// The attempt runs on the loop, wherever the caller runs: an interceptor of a blocking call may have
    /// switched to an actor or into another task. A task that is already canceled touches no connection.
    nonisolated(nonsending) func collect(
        _ attempt: RequestAttempt,
        on engine: Engine
    ) async -> Result<Void, HTTPError> {
        await withTaskCancellationHandler {
            if isConfined(to: engine.loop) { return await engine.collected(attempt) }
            if Task.isCancelled { return .failure(attempt.error(HTTPError.Kind.cancelled)) }
            return await onLoop(engine.loop) { await engine.collected(attempt) }
        } onCancel: {
            attempt.cancel(on: engine.loop)
        }
    }

    /// Runs an attempt up to the head of its response.
    func open(
        _ attempt: RequestAttempt,
        on engine: Engine
    ) async -> Result<StreamingBody, HTTPError> {
        await withTaskCancellationHandler {
            if isConfined(to: engine.loop) { return await engine.opened(attempt) }
            if Task.isCancelled { return .failure(attempt.error(HTTPError.Kind.cancelled)) }
            return await onLoop(engine.loop) { await engine.opened(attempt) }
        } onCancel: {
            attempt.cancel(on: engine.loop)
        }
    }

    /// Runs an operation of the engine on its loop, for an attempt that the task can cancel.
    func perform<Value: Sendable>(
        _ attempt: RequestAttempt,
        _ operation: @Sendable (Engine) async -> Result<Value, HTTPError>
    ) async throws(HTTPError) -> Value {
        let engine = engine
        let steps = attempt.liveObserver as? LiveSteps
        let result = await withTaskCancellationHandler {
            await onLoop(engine.loop) { await operation(engine) }
        } onCancel: {
            attempt.cancel(on: engine.loop)
        }
        await steps?.finish()
        return try result.get()
    }

    /// Waits in the client's queue, if it has one, until the attempt may run.
    ///
    /// The attempt then holds the permit.
    ///
    /// - Throws: `.cancelled`; `.timedOut`, for the wait limit of the queue and for the whole call.
    func enterQueue(_ attempt: RequestAttempt, on loop: EventLoop) async throws(HTTPError) {
        guard let queue else { return }
        attempt.phase = .queue
        var start: Deadline?
        let admission = await queue.enter(
            priority: attempt.plan.priority,
            until: attempt.deadline(PhaseTimeouts.nanoseconds(queue.waitLimit)),
            on: loop,
            onWait: {
                start = .now()
                attempt.report(.queued)
            }
        )
        let permit: HTTPClientQueue.Permit
        switch admission {
        case .admitted(let entered): permit = entered
        case .cancelled: throw attempt.error(HTTPError.Kind.cancelled)
        case .timedOut:
            let exceeded = attempt.exceededTimeout(in: .queue)
            let limit = exceeded == .queue ? queue.waitLimit : nil
            throw attempt.error(
                HTTPError.Kind.timedOut(exceeded),
                detail: limit.map { "waitLimit of the queue is \($0.secondsText)" }
            )
        }
        if let start {
            let delay = Duration.nanoseconds(Deadline.now().nanoseconds - start.nanoseconds)
            attempt.report(.dequeued(after: delay))
        }
        attempt.queuePermit = permit
        permit.onCancel { [weak attempt] in attempt?.cancel(on: loop) }
    }

    // MARK: - Engines of blocking calls

    /// Removes an engine for blocking calls from the pool, or creates one.
    func takeBlockingEngine() -> Engine {
        blockingEngines.take()
            ?? Engine(loop: .callerDriven(), configuration: poolConfiguration, hostResolver)
    }

    /// Returns an engine to the pool.
    func putBlockingEngine(_ engine: Engine) {
        blockingEngines.put(engine, sweepingOn: self.engine.loop)
    }

    /// Throws if the calling thread must not block.
    func checkMayBlock(_ request: HTTPRequest) throws(HTTPError) {
        guard engine.mayBlockThread else {
            throw HTTPError(.invalidRequest(.blockingInsideTask), phase: .preparing)
                .naming(request.method, request.publicURL)
        }
    }
}

extension ClientCore: PlainRequestSender {
    func sendPlain(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
        var configuration = configuration
        configuration.settings.authentication = nil
        for name in [FieldName.authorization, .proxyAuthorization, .cookie] {
            configuration.settings.headers.remove(name)
        }
        configuration.settings.validators = []
        configuration.settings.transformers = []
        configuration.settings.interceptors = []
        configuration.settings.observers = []
        configuration.settings.retries = HTTPRetryOptions(maxRetries: 0)
        configuration.settings.queue = nil
        configuration.settings.cache = .disabled
        return try await ClientCore(configuration, sharing: self).send(request)
    }

    func notify(_ step: HTTPStep, _ context: HTTPContext) { policies.notify(step, context) }
}

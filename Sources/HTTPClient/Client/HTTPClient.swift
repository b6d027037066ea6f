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
/// - ``send(_:)``
/// - ``stream(_:)``
/// - ``sendBlocking(_:)``
/// ### Setting up
/// - ``init(_:)``
/// - ``Configuration``
/// - ``shared``
/// ### Speed
/// - ``executor``
public final class HTTPClient: Sendable {
    /// What the client was made with.
    public let configuration: Configuration

    private let engine: Engine
    /// Engines for blocking calls that none uses at the moment.
    private let blockingEngines = Locked<[Engine]>([])

    /// Makes a client. Opens nothing and starts no thread until it is used.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        engine = Engine(loop: .threaded(), configuration: configuration)
    }

    /// A client with the default configuration, for programs that need no other.
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

    // MARK: - Asking

    /// Sends a request and collects the response.
    ///
    /// Any status is a response; see ``HTTPResponse/requireSuccess()``. Redirects are not followed.
    /// The body is decoded (gzip, deflate) and may have at most
    /// ``Configuration/collectLimit`` octets. Cancelling the task closes the connection.
    ///
    /// - Throws: every case of ``HTTPError/Kind`` but `.rejectedStatus` and `.decodingFailed`.
    public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
        let plan = try Prepare.plan(request, configuration)
        let engine = engine
        return try await perform(plan) { call async throws(HTTPError) in
            try await engine.collect(plan, call.value)
        }
    }

    /// Sends a request and returns as soon as the head of the response is there.
    ///
    /// The body comes through ``HTTPStreamedResponse/body`` as fast as it is read: what nobody
    /// reads stays with the peer.
    ///
    /// - Throws: as ``send(_:)``; what happens to the body is thrown by reading it.
    public func stream(_ request: HTTPRequest) async throws(HTTPError) -> HTTPStreamedResponse {
        let plan = try Prepare.plan(request, configuration)
        let engine = engine
        let body = try await perform(plan) { call async throws(HTTPError) in
            try await engine.open(plan, call.value)
        }
        return HTTPStreamedResponse(url: plan.url, source: body)
    }

    /// Sends a request and collects the response while the calling thread waits.
    ///
    /// For command-line tools and tests: no other thread takes part. It uses connections of its
    /// own, which it keeps for the next blocking call.
    ///
    /// - Throws: as ``send(_:)``; `.invalidRequest(.blockingInsideTask)` inside a Swift task, whose
    ///   thread belongs to all tasks.
    public func sendBlocking(_ request: HTTPRequest) throws(HTTPError) -> HTTPResponse {
        guard !isInsideTask() else {
            throw HTTPError(.invalidRequest(.blockingInsideTask), phase: .preparing)
        }
        let plan = try Prepare.plan(request, configuration)
        let engine =
            blockingEngines.withLock { $0.popLast() }
            ?? Engine(loop: .callerDriven(), configuration: configuration)
        defer { blockingEngines.withLock { $0.append(engine) } }
        let result: Result<HTTPResponse, HTTPError>
        do {
            result = try engine.loop.drive {
                do throws(HTTPError) {
                    return .success(try await engine.collect(plan, Call(plan.timeouts)))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw Call(plan.timeouts).error(error, plan)
        }
        return try result.get()
    }

    // MARK: - Getting onto the loop

    /// Runs `operation` on the loop; a cancellation of the task is led to what it waits for.
    private func perform<Value: Sendable>(
        _ plan: Plan,
        _ operation: @Sendable (LoopBound<Call>) async throws(HTTPError) -> Value
    ) async throws(HTTPError) -> Value {
        let loop = engine.loop
        let call = LoopBound(Call(plan.timeouts), on: loop)
        return try await withCancellation(of: call, on: loop) { () async throws(HTTPError) in
            if loop.isCurrent { return try await operation(call) }
            return try await onLoop(loop) { () async throws(HTTPError) in
                try await operation(call)
            }
        }
    }
}

/// Runs `operation` on the loop and comes back.
func onLoop<Value: Sendable>(
    _ loop: EventLoop,
    _ operation: @Sendable () async throws(HTTPError) -> Value
) async throws(HTTPError) -> Value {
    try await withTaskExecutorPreference(loop) { () async throws(HTTPError) in
        try await concurrently(loop, operation)
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
    _ operation: @Sendable () async throws(HTTPError) -> Value
) async throws(HTTPError) -> Value {
    guard loop.isCurrent else {
        let reason = "the event loop cannot be started: no descriptor or thread is left"
        throw HTTPError(.systemFailure(reason: reason), phase: .preparing)
    }
    return try await operation()
}

/// Runs `operation`; a cancellation of the task cancels `call`, on its loop.
nonisolated(nonsending) func withCancellation<Value>(
    of call: LoopBound<Call>,
    on loop: EventLoop,
    _ operation: () async throws(HTTPError) -> Value
) async throws(HTTPError) -> Value {
    // The library's handler rethrows `any Error`; a Result carries our type through it.
    let result: Result<Value, HTTPError> = await withTaskCancellationHandler {
        do throws(HTTPError) {
            return .success(try await operation())
        } catch {
            return .failure(error)
        }
    } onCancel: {
        loop.post { call.value.scope.cancel() }
    }
    return try result.get()
}

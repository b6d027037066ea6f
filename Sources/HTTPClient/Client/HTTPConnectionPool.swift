internal import SocketTransport
public import Wire

/// A client's connection pool, for inspecting and managing its connections.
///
///     let snapshot = await client.pool.snapshot()
///     print(snapshot.idle, snapshot.busy, snapshot.waiting)
///
/// Ordinary use does not need it: the client opens, keeps and closes connections automatically.
/// Blocking calls that collect the response (``HTTPClient/blocking``) use separate connections, which do not
/// appear here.
public struct HTTPConnectionPool: Sendable {
    let engine: Engine
    let client: HTTPClient

    /// Returns the current state of the pool.
    public func snapshot() async -> HTTPPoolSnapshot {
        let result = await onLoop(engine.loop) { .success(engine.snapshot()) }
        return (try? result.get()) ?? HTTPPoolSnapshot(origins: [])
    }

    /// Opens connections in advance, so that the first requests do not wait for name resolution,
    /// TCP and TLS.
    ///
    /// - Parameters:
    ///   - count: the number of connections to open. Fewer are opened if a limit of the
    ///     configuration is reached.
    ///   - url: the target of the requests; only its scheme, host and port matter.
    /// - Returns: the number of connections opened.
    /// - Throws: the error of the first connection that failed to open, such as `.connectFailed`.
    @discardableResult
    public func prewarm(
        _ count: Int,
        for url: some HTTPRequestConvertible
    ) async throws(HTTPError) -> Int {
        let request = url.httpRequest
        let plan = try client.core.plan(request)
        try client.core.checkUsesNetwork(request, plan, for: .pooledConnection)
        let attempt = RequestAttempt(plan)
        return try await client.core.perform(attempt) { await $0.prewarm(count, attempt) }
    }

    /// Closes the connections to an origin: idle ones immediately, others when their exchange ends.
    ///
    /// The method returns when all of them are closed, or when the task is canceled. Later requests
    /// open new connections. An ``HTTPDedicatedConnection`` is closed too, even if its owner has
    /// not released it.
    ///
    /// For all origins, it first waits until the client's cache has validated the stale responses that were just used
    /// (`stale-while-revalidate`), so that a program can do this before it exits.
    ///
    /// - Parameter origin: the scheme, host and port; nil for all origins.
    public func drain(_ origin: Origin? = nil) async {
        if origin == nil { await client.cache?.awaitRevalidations() }
        let engine = engine
        let scope = LoopBound(CancellationScope(), on: engine.loop)
        _ = await withTaskCancellationHandler {
            await onLoop(engine.loop) {
                await engine.drain(origin, in: scope.value)
                return .success(())
            }
        } onCancel: {
            engine.loop.post { scope.value.cancel() }
        }
    }

    /// Closes one connection: immediately if it is idle, otherwise when its exchange ends.
    ///
    /// - Parameter id: the connection's number, as in metrics and snapshots.
    /// - Returns: false if the pool has no such connection.
    @discardableResult
    public func evict(_ id: UInt64) async -> Bool {
        let result = await onLoop(engine.loop) { .success(engine.evict(id)) }
        return (try? result.get()) ?? false
    }
}

extension HTTPClient {
    /// The client's connection pool.
    public var pool: HTTPConnectionPool { HTTPConnectionPool(engine: engine, client: self) }
}

internal import SocketTransport

/// A connection reserved for one caller until it is released.
///
///     try await client.withConnection(to: "https://db.example/") { connection in
///         _ = try await connection.send("https://db.example/begin")
///         return try await connection.send("https://db.example/commit").text
///     }
///
/// Use it for servers that keep state per connection, and for measurements. Requests use exactly
/// this connection, one after the other, in the order they were made. A request waits while another
/// is in progress or a streamed body is unread (``HTTPTimeouts/queue``). The client never retries a
/// request on another connection, idempotent or not.
///
/// The policies of the client do not apply. The client follows no redirects, and neither retries
/// nor validates. The cookie jar, ``HTTPAuthentication`` and interceptors are not used. Observers are notified.
/// The client still sends its credentials for a proxy when a forwarding proxy requires them.
///
/// The connection counts toward the limits of the pool, which lists it as busy.
/// ``HTTPClientConfiguration/idleTimeout`` and the limits on age and uses do not close it. The
/// server, ``HTTPConnectionPool/evict(_:)`` and ``HTTPConnectionPool/drain(_:)`` can close it. It
/// returns to the pool after ``release()``, or when its last reference is gone.
public final class HTTPDedicatedConnection: Sendable {
    /// The connection's number, as in metrics, snapshots and events.
    public let id: UInt64

    /// The metrics of opening the connection, or of acquiring it if it was already open.
    public let metrics: HTTPMetrics

    private let client: HTTPClient
    private let lease: LoopBound<ConnectionLease>

    fileprivate init(
        _ client: HTTPClient,
        _ lease: LoopBound<ConnectionLease>,
        _ attempt: RequestAttempt
    ) {
        self.client = client
        self.lease = lease
        metrics = attempt.timeline
        id = metrics.connectionID
    }

    deinit {
        client.engine.loop.post { [lease, engine = client.engine] in
            lease.value.release()
            _ = engine
        }
    }

    /// Sends a request, or a GET of a URL, on this connection and collects the response.
    ///
    /// - Throws: the same errors as ``HTTPClient/send(_:)-(HTTPRequest)``.
    ///   `.invalidRequest(.connectionMismatch)` for another origin, proxy, trust or
    ///   ``HTTPConnectOptions``; `.invalidRequest(.connectionReleased)`; `.connectionClosed` if the
    ///   connection closed earlier, in which case nothing was sent.
    public func send(
        _ request: some HTTPRequestConvertible
    ) async throws(HTTPError) -> HTTPResponse {
        let (request, exchange, check) = try begin(request.httpRequest)
        let attempt = exchange.attempt
        try await exchange.perform { await $0.collected(attempt) }
        guard attempt.isChallengedByProxy else {
            return try exchange.end { () throws(HTTPError) in
                try attempt.complete(by: check?.stages(for: attempt) ?? [])
                return attempt.response()
            }
        }
        let first = exchange.first
        return try await client.core.driver(request, refused: first, isStreamed: false)
            .run(after: FirstResult(first, .success(nil)))
    }

    /// Sends a request, or a GET of a URL, on this connection and returns when the response head
    /// has arrived.
    ///
    /// The connection carries no other request until the body is read to its end or dropped.
    ///
    /// - Throws: the same errors as ``send(_:)``.
    public func stream(
        _ request: some HTTPRequestConvertible
    ) async throws(HTTPError) -> HTTPStreamedResponse {
        let (request, exchange, check) = try begin(request.httpRequest)
        let attempt = exchange.attempt
        let body = try await exchange.perform { await $0.opened(attempt) }
        guard attempt.isChallengedByProxy else {
            try exchange.end { HTTPResponse(streaming: body) }
            var response = HTTPStreamedResponse(url: attempt.plan.url, source: body)
            let stages = check?.stages(for: attempt) ?? []
            if !stages.isEmpty { response = response.passing(through: stages) }
            exchange.observeEnd(of: body, response.bodySource)
            return response
        }
        let first = exchange.first
        return try await client.core.driver(request, refused: first, isStreamed: true)
            .runStreamed(after: FirstResult(first, .success(consume body)))
    }

    /// Begins an exchange on the connection.
    private func begin(
        _ request: HTTPRequest
    ) throws(HTTPError) -> (HTTPRequest, SingleExchange, IntegrityCheck?) {
        var request = request
        try client.core.completeQuery(of: &request)
        var check: IntegrityCheck?
        let exchange = try SingleExchange(request, client.core) { () throws(HTTPError) in
            let (plan, planned) = try client.core.planSingle(request)
            check = planned
            return RequestAttempt(plan, on: lease)
        }
        return (request, exchange, check)
    }

    /// Whether the connection can carry a request now, as far as the local system knows.
    public var isOpen: Bool {
        get async {
            let lease = lease
            let result = await onLoop(client.engine.loop) { .success(lease.value.isOpen) }
            return (try? result.get()) ?? false
        }
    }

    /// Returns the connection to the pool, immediately or when its exchange ends.
    ///
    /// Later requests throw `.invalidRequest(.connectionReleased)`. Calling it again has no effect.
    /// It takes effect in the next turn of the loop: a request that code on ``HTTPClient/executor``
    /// makes before that is still sent.
    public func release() {
        client.engine.loop.post { [lease] in lease.value.release() }
    }

    /// Closes the connection, immediately or when its exchange ends.
    ///
    /// Use it if the server's state for this connection must not affect other requests. Calling it
    /// again has no effect. It takes effect in the next turn of the loop, like ``release()``.
    public func close() {
        client.engine.loop.post { [lease] in lease.value.close() }
    }
}

extension HTTPConnectionPool {
    /// Acquires an idle connection for exclusive use, or opens one.
    ///
    /// Observers are notified of the phases of opening it (``HTTPStep/entered(_:_:)``), and of its challenges. Each
    /// request on the connection is a call for them.
    ///
    /// - Parameter url: the target of the requests. Its scheme, host and port matter, and the
    ///   request's `connectOptions`, `security`, `proxy`, `priority` and `timeouts`. With
    ///   ``HTTPRequest/ConnectionUse/fresh``, the client opens a new connection.
    /// - Returns: the connection, which returns to the pool when its last reference is gone.
    /// - Throws: the errors of waiting for a connection and of opening one.
    public func acquire(
        for url: some HTTPRequestConvertible
    ) async throws(HTTPError) -> HTTPDedicatedConnection {
        let request = url.httpRequest
        let plan = try client.core.plan(request)
        try client.core.checkUsesNetwork(request, plan, for: .pooledConnection)
        let attempt = RequestAttempt(plan)
        let steps = try notifySteps(of: attempt, request)
        do throws(HTTPError) {
            let lease = try await client.core.perform(attempt) {
                await $0.acquireDedicated(attempt)
            }
            await steps?.finish()
            return HTTPDedicatedConnection(client, lease, attempt)
        } catch {
            await steps?.finish()
            throw error
        }
    }

    private func notifySteps(
        of attempt: RequestAttempt,
        _ request: HTTPRequest
    ) throws(HTTPError) -> LiveSteps? {
        let policies = client.core.policies
        guard policies.hasObservers else { return nil }
        var settled = request
        try client.core.settle(&settled)
        let context = HTTPContext(settled, client.core)
        return attempt.onStep(watchesPhases: !policies.phaseObservers.isEmpty) { step in
            policies.notifyLive(step, context)
        }
    }
}

extension HTTPClient {
    /// Runs `body` with a connection for exclusive use, and releases the connection afterwards.
    ///
    /// It throws any error that `body` throws. ``HTTPConnectionPool/acquire(for:)`` throws only an ``HTTPError``.
    ///
    /// - Parameters:
    ///   - url: the target of the requests, as for ``HTTPConnectionPool/acquire(for:)``.
    ///   - body: the closure that uses the connection. The client releases the connection when the
    ///     closure returns or throws.
    /// - Returns: the value that `body` returned.
    /// - Throws: the same errors as ``HTTPConnectionPool/acquire(for:)``; the errors that `body`
    ///   throws.
    public func withConnection<Value: Sendable>(
        to url: some HTTPRequestConvertible,
        _ body: @concurrent @Sendable (HTTPDedicatedConnection) async throws -> Value
    ) async throws -> Value {
        let connection = try await pool.acquire(for: url)
        defer { connection.release() }
        return try await body(connection)
    }
}

internal import SocketTransport

/// Holds one connection for you alone, until you give it back.
///
///     try await client.withConnection(to: "https://db.example/") { connection in
///         _ = try await connection.send("https://db.example/begin")
///         return try await connection.send("https://db.example/commit").text
///     }
///
/// For peers that tie a state to a connection, and for measuring. Requests go out on exactly this
/// connection, one after the other in the order in which they were made; one that is made while
/// another is under way, or a streamed body unread, waits for its turn
/// (``HTTPTimeouts/queue``). Nothing is ever sent again on another connection, idempotent or not.
///
/// Each request is one exchange and its response the answer: nobody who decides around the requests of a
/// client has a say here. Redirects are not followed, nothing is retried or validated, a jar's cookies and
/// ``HTTPAuthentication`` stay out, and interceptors and observers are not asked.
///
/// It counts in the limits of the pool, where it is shown as busy. Neither
/// ``HTTPClient/Configuration/idleTimeout`` nor age or number of uses end it, but its peer may, and
/// ``HTTPConnectionPool/evict(_:)`` and ``HTTPConnectionPool/drain(_:)`` do. It goes back to the pool
/// with ``release()`` or when the last reference is gone.
public final class HTTPDedicatedConnection: Sendable {
    /// The connection's number, as metrics, snapshots and events show it.
    public let id: UInt64

    /// How it was opened, or when it was leased if it was open already.
    public let metrics: HTTPMetrics

    private let client: HTTPClient
    private let lease: LoopBound<ConnectionLease>

    fileprivate init(_ client: HTTPClient, _ lease: LoopBound<ConnectionLease>, _ call: Attempt) {
        self.client = client
        self.lease = lease
        metrics = call.timeline
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
    /// - Throws: as ``HTTPClient/send(_:)-(HTTPRequest)``. `.invalidRequest(.connectionMismatch)` for another origin,
    ///   proxy, trust or ``HTTPConnectOptions``; `.invalidRequest(.connectionReleased)`;
    ///   `.connectionClosed` when it ended before, in which case nothing was sent.
    public func send(
        _ request: some HTTPRequestConvertible
    ) async throws(HTTPError) -> HTTPResponse {
        let call = Attempt(try client.plan(request.httpRequest), on: lease)
        let engine = client.engine
        let result = await withTaskCancellationHandler {
            await onLoop(engine.loop) { await engine.collected(call) }
        } onCancel: {
            call.cancel(on: engine.loop)
        }
        try result.get()
        return call.response()
    }

    /// Sends a request, or a GET of a URL, on this connection and returns as soon as the head of the response is
    /// there.
    ///
    /// The connection carries nothing else until the body was read to its end or dropped.
    ///
    /// - Throws: as ``send(_:)``.
    public func stream(
        _ request: some HTTPRequestConvertible
    ) async throws(HTTPError) -> HTTPStreamedResponse {
        let call = Attempt(try client.plan(request.httpRequest), on: lease)
        let engine = client.engine
        let result = await withTaskCancellationHandler {
            await onLoop(engine.loop) { await engine.opened(call) }
        } onCancel: {
            call.cancel(on: engine.loop)
        }
        return HTTPStreamedResponse(url: call.plan.url, source: try result.get())
    }

    /// Whether it can carry a request at this moment, as far as this machine knows.
    public var isOpen: Bool {
        get async {
            let lease = lease
            let result = await onLoop(client.engine.loop) { .success(lease.value.isOpen) }
            return (try? result.get()) ?? false
        }
    }

    /// Gives the connection back to the pool: now, or when its exchange ends.
    ///
    /// Later requests throw `.invalidRequest(.connectionReleased)`. Idempotent. It takes effect with the
    /// loop's next turn: a request that code on ``HTTPClient/executor`` makes before that still goes out.
    public func release() {
        client.engine.loop.post { [lease] in lease.value.release() }
    }

    /// Closes the connection: now, or when its exchange ends.
    ///
    /// For when its peer is in a state that nobody else should meet. Idempotent. It takes effect with the
    /// loop's next turn, as ``release()`` does.
    public func close() {
        client.engine.loop.post { [lease] in lease.value.close() }
    }
}

extension HTTPConnectionPool {
    /// Takes a connection out of what is shared, for you alone; opens one when none is idle.
    ///
    /// - Parameter url: what the requests will go to. Scheme, host and port matter, and the
    ///   request's `connecting`, `security`, `proxy`, `priority` and `timeouts`. With
    ///   ``HTTPRequest/ConnectionUse/fresh`` a connection is opened that has carried nothing.
    /// - Returns: the connection, which goes back when the last reference is gone.
    /// - Throws: what waiting for a connection and opening one throw.
    public func acquire(
        for url: some HTTPRequestConvertible
    ) async throws(HTTPError) -> HTTPDedicatedConnection {
        let request = url.httpRequest
        try client.checkIsNotStubbed(request)
        let call = Attempt(try client.plan(request))
        let engine = engine
        let result = await withTaskCancellationHandler {
            await onLoop(engine.loop) { await engine.acquireDedicated(call) }
        } onCancel: {
            call.cancel(on: engine.loop)
        }
        return HTTPDedicatedConnection(client, try result.get(), call)
    }
}

extension HTTPClient {
    /// Runs `body` with a connection that nobody else uses, and gives it back.
    ///
    /// - Parameters:
    ///   - url: what the requests will go to, as for ``HTTPConnectionPool/acquire(for:)``.
    ///   - body: gets the connection, which is given back when it returns or throws.
    /// - Returns: what `body` returned.
    /// - Throws: as ``HTTPConnectionPool/acquire(for:)``; what `body` throws.
    public func withConnection<Value: Sendable>(
        to url: some HTTPRequestConvertible,
        _ body: @concurrent @Sendable (HTTPDedicatedConnection) async throws -> Value
    ) async throws -> Value {
        let connection = try await pool.acquire(for: url)
        defer { connection.release() }
        return try await body(connection)
    }
}

internal import SocketTransport
public import Wire

/// A client's connection pool, for inspecting and managing its connections.
///
///     let snapshot = await client.pool.snapshot()
///     print(snapshot.idle, snapshot.busy, snapshot.waiting)
///
/// Ordinary use does not need it: the client opens, keeps and closes connections automatically.
/// Blocking calls (``HTTPClient/sendBlocking(_:)-(HTTPRequest)``) use separate connections, which
/// do not appear here.
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
        try client.checkIsNotStubbed(request)
        let call = Attempt(try client.plan(request))
        let engine = engine
        let result = await withTaskCancellationHandler {
            await onLoop(engine.loop) { await engine.prewarm(count, call) }
        } onCancel: {
            call.cancel(on: engine.loop)
        }
        return try result.get()
    }

    /// Closes the connections to an origin: idle ones immediately, others when their exchange ends.
    ///
    /// The method returns when all of them are closed, or when the task is canceled. Later requests
    /// open new connections. An ``HTTPDedicatedConnection`` is closed too, even if its owner has
    /// not released it.
    ///
    /// - Parameter origin: the scheme, host and port; nil for all origins.
    public func drain(_ origin: Origin? = nil) async {
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

/// The state of a connection pool at one moment.
public struct HTTPPoolSnapshot: Sendable, Hashable {
    /// The state of the connections to one origin.
    public struct OriginState: Sendable, Hashable {
        /// The scheme, host and port.
        public let origin: Origin
        /// The number of idle connections.
        public internal(set) var idle = 0
        /// The number of connections that carry a request.
        public internal(set) var busy = 0
        /// The number of connections being opened.
        public internal(set) var connecting = 0
        /// The number of requests that wait for a connection.
        public let waiting: Int
        /// The idle and busy connections.
        public internal(set) var connections: [Connection] = []

        init(origin: Origin, waiting: Int) {
            self.origin = origin
            self.waiting = waiting
        }
    }

    /// The state of one connection.
    public struct Connection: Sendable, Hashable {
        /// The connection's number in the client, from 1.
        public let id: UInt64
        /// The number of exchanges it was used for, including the current one.
        public let uses: Int
        /// The time since it was opened.
        public let age: Duration
        /// The time since its last exchange; nil while it carries one.
        public let idleFor: Duration?
        /// The peer's address, such as `127.0.0.1:80`; `unix` for a Unix domain socket.
        public let remoteAddress: String
        /// Whether it belongs to an ``HTTPDedicatedConnection``; if so, it counts as busy.
        public let isDedicated: Bool
    }

    /// The state of each origin, in no particular order.
    public let origins: [OriginState]

    /// The number of idle connections.
    public var idle: Int { origins.reduce(0) { $0 + $1.idle } }
    /// The number of connections that carry a request.
    public var busy: Int { origins.reduce(0) { $0 + $1.busy } }
    /// The number of connections being opened.
    public var connecting: Int { origins.reduce(0) { $0 + $1.connecting } }
    /// The number of requests that wait for a connection.
    public var waiting: Int { origins.reduce(0) { $0 + $1.waiting } }
}

/// An event of one connection of the pool.
public struct HTTPPoolEvent: Sendable, Hashable {
    /// A callback for pool events.
    ///
    /// It runs on the thread that currently drives the client's event loop, which can be a caller's
    /// thread. It must not block, take a lock that callers hold, or wait for their queue.
    public typealias Observer = @Sendable (HTTPPoolEvent) -> Void

    /// A kind of event.
    @nonexhaustive public enum Kind: Sendable, Hashable {
        /// The connection was opened.
        case opened
        /// The connection was closed.
        case closed(CloseReason)
    }

    /// A reason for closing a connection.
    @nonexhaustive public enum CloseReason: Sendable, Hashable {
        /// It was idle longer than ``HTTPClient/Configuration/idleTimeout``, or than the peer
        /// allows.
        case idleTimeout
        /// It exceeded ``HTTPClient/Configuration/maxConnectionAge`` or
        /// ``HTTPClient/Configuration/maxConnectionUses``, was marked for draining or eviction
        /// while busy, or was closed for the benefit of an origin without connections.
        case retired
        /// The pool needed capacity for another connection.
        case evictedForCapacity
        /// The peer closed it, or sent unexpected data, while it was idle.
        case closedByPeer
        /// The peer sent more data than the response.
        case unsolicitedData
        /// The exchange does not permit reuse: either side announced it, or the body ended with the
        /// connection.
        case notReusable
        /// The exchange failed or was canceled, or its body was not read.
        case failed
        /// ``HTTPConnectionPool/drain(_:)`` was called.
        case drained
        /// ``HTTPConnectionPool/evict(_:)`` was called.
        case evicted
        /// It was upgraded to another protocol and belongs to its ``HTTPDuplexStream``; it remains
        /// open.
        case upgraded
        /// The client was deallocated.
        case clientClosed
    }

    /// The kind of event.
    public let kind: Kind
    /// The connection's number, as in metrics and snapshots.
    public let connectionID: UInt64
    /// The number of exchanges it carried.
    public let uses: Int
}

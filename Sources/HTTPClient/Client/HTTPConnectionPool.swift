internal import SocketTransport
public import Wire

/// Looks into a client's pool of connections and changes what is in it.
///
///     let snapshot = await client.pool.snapshot()
///     print(snapshot.idle, snapshot.busy, snapshot.waiting)
///
/// Nothing here is needed for ordinary use: connections are opened, kept and closed by themselves.
/// Blocking calls (``HTTPClient/sendBlocking(_:)-(HTTPRequest)``) keep connections of their own, which do not
/// appear here.
public struct HTTPConnectionPool: Sendable {
    let engine: Engine
    let client: HTTPClient

    /// Tells what there is at this moment.
    public func snapshot() async -> HTTPPoolSnapshot {
        let result = await onLoop(engine.loop) { .success(engine.snapshot()) }
        return (try? result.get()) ?? HTTPPoolSnapshot(origins: [])
    }

    /// Opens connections before they are needed, so that the first requests do not wait for
    /// name resolution, TCP and TLS.
    ///
    /// - Parameters:
    ///   - count: connections to open; fewer are opened when a limit of the configuration is met.
    ///   - url: what the requests will go to; only scheme, host and port matter.
    /// - Returns: how many were opened.
    /// - Throws: what opening the first one that failed threw, such as `.connectFailed`.
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

    /// Closes the connections to an origin: the idle ones now, the others when their exchange ends.
    ///
    /// Returns when all of them are gone, or the task is cancelled. New requests open new ones. An
    /// ``HTTPDedicatedConnection`` is closed like any other, although its owner has not given it back.
    ///
    /// - Parameter origin: scheme, host and port; nil for all.
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

    /// Closes one connection: now if it is idle, else when its exchange ends.
    ///
    /// - Parameter id: the number that metrics and snapshots show.
    /// - Returns: false when the pool has no such connection.
    @discardableResult
    public func evict(_ id: UInt64) async -> Bool {
        let result = await onLoop(engine.loop) { .success(engine.evict(id)) }
        return (try? result.get()) ?? false
    }
}

extension HTTPClient {
    /// The client's connections.
    public var pool: HTTPConnectionPool { HTTPConnectionPool(engine: engine, client: self) }
}

/// Tells what a pool held at one moment.
public struct HTTPPoolSnapshot: Sendable, Hashable {
    /// What there is for one origin.
    public struct OriginState: Sendable, Hashable {
        /// Scheme, host and port.
        public let origin: Origin
        /// Connections that wait for a request.
        public internal(set) var idle = 0
        /// Connections that carry one.
        public internal(set) var busy = 0
        /// Connections that are being opened.
        public internal(set) var connecting = 0
        /// Requests that wait for a connection.
        public let waiting: Int
        /// The idle and the busy ones.
        public internal(set) var connections: [Connection] = []

        init(origin: Origin, waiting: Int) {
            self.origin = origin
            self.waiting = waiting
        }
    }

    /// Describes one connection.
    public struct Connection: Sendable, Hashable {
        /// Its number in the client, from 1.
        public let id: UInt64
        /// Exchanges it was used for, the present one included.
        public let uses: Int
        /// Since it was opened.
        public let age: Duration
        /// Since its last exchange; nil while it carries one.
        public let idleFor: Duration?
        /// Where it leads, such as `127.0.0.1:80`; `unix` for a unix domain socket.
        public let remoteAddress: String
        /// Whether it belongs to an ``HTTPDedicatedConnection``; it counts as busy then.
        public let isDedicated: Bool
    }

    /// What there is, by origin, in no particular order.
    public let origins: [OriginState]

    /// Connections that wait for a request.
    public var idle: Int { origins.reduce(0) { $0 + $1.idle } }
    /// Connections that carry one.
    public var busy: Int { origins.reduce(0) { $0 + $1.busy } }
    /// Connections that are being opened.
    public var connecting: Int { origins.reduce(0) { $0 + $1.connecting } }
    /// Requests that wait for a connection.
    public var waiting: Int { origins.reduce(0) { $0 + $1.waiting } }
}

/// Tells an observer what happened to a connection of the pool.
public struct HTTPPoolEvent: Sendable, Hashable {
    /// Is told of each event by the thread that is the client's loop at the moment, which may be that
    /// of a caller: it must not block, take a lock that callers hold, or wait for their queue.
    public typealias Observer = @Sendable (HTTPPoolEvent) -> Void

    /// What happened.
    @nonexhaustive public enum Kind: Sendable, Hashable {
        /// It was opened.
        case opened
        /// It was closed.
        case closed(CloseReason)
    }

    /// Why a connection was closed.
    @nonexhaustive public enum CloseReason: Sendable, Hashable {
        /// It was idle longer than ``HTTPClient/Configuration/idleTimeout``, or than its peer allows.
        case idleTimeout
        /// It is beyond ``HTTPClient/Configuration/maxConnectionAge``, beyond
        /// ``HTTPClient/Configuration/maxConnectionUses``, or was to be drained or evicted when free,
        /// or made room for an origin that had none.
        case retired
        /// Room was needed for another one.
        case evictedForCapacity
        /// The peer closed it while it was idle, or sent what nobody asked for.
        case closedByPeer
        /// The peer sent more than the answer.
        case unsolicitedData
        /// The exchange does not let it be used again: either side said so, or the body ended with it.
        case notReusable
        /// The exchange failed, was cancelled, or its body was not read.
        case failed
        /// ``HTTPConnectionPool/drain(_:)`` was called.
        case drained
        /// ``HTTPConnectionPool/evict(_:)`` was called.
        case evicted
        /// It speaks another protocol now and belongs to its ``HTTPDuplexStream``; it is not closed.
        case upgraded
        /// The client is gone.
        case clientClosed
    }

    /// What happened.
    public let kind: Kind
    /// The connection's number, as metrics and snapshots show it.
    public let connectionID: UInt64
    /// Exchanges it has carried.
    public let uses: Int
}

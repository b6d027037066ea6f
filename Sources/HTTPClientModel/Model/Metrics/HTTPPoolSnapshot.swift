public import SocketTransport
public import Wire

/// The state of a connection pool at one moment.
public struct HTTPPoolSnapshot: Sendable, Hashable {
    /// The state of the connections to one origin.
    public struct OriginState: Sendable, Hashable {
        /// The scheme, host and port.
        public let origin: Origin
        /// The number of idle connections.
        public package(set) var idle = 0
        /// The number of connections that carry a request.
        public package(set) var busy = 0
        /// The number of connections being opened.
        public package(set) var connecting = 0
        /// The number of requests that wait for a connection.
        public let waiting: Int
        /// The idle and busy connections.
        public package(set) var connections: [Connection] = []

        package init(origin: Origin, waiting: Int) {
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

        package init(
            id: UInt64,
            uses: Int,
            age: Duration,
            idleFor: Duration?,
            remoteAddress: String,
            isDedicated: Bool
        ) {
            self.id = id
            self.uses = uses
            self.age = age
            self.idleFor = idleFor
            self.remoteAddress = remoteAddress
            self.isDedicated = isDedicated
        }
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

    package init(
        origins: [OriginState]
    ) {
        self.origins = origins
    }
}

extension HTTPPoolSnapshot: CustomStringConvertible {
    /// The numbers of all origins, such as `HTTPPoolSnapshot 2 idle, 1 busy, 0 connecting, 0 waiting`.
    public var description: String {
        "HTTPPoolSnapshot \(idle) idle, \(busy) busy, \(connecting) connecting, \(waiting) waiting"
    }
}

extension HTTPPoolSnapshot.OriginState: CustomStringConvertible {
    /// Origin and numbers, such as `https://a.test: 2 idle, 1 busy, 0 connecting, 0 waiting`.
    public var description: String {
        "\(origin): \(idle) idle, \(busy) busy, \(connecting) connecting, \(waiting) waiting"
    }
}

extension HTTPPoolSnapshot.Connection: CustomStringConvertible {
    /// Number, address and use, such as `connection 3 to 127.0.0.1:80, 12 uses, idle for 0.5 seconds`.
    public var description: String {
        let place = "connection \(id) to \(remoteAddress), \(uses) use\(uses == 1 ? "" : "s")"
        let state = idleFor.map { "idle for \($0)" } ?? (isDedicated ? "dedicated" : "busy")
        return "\(place), \(state)"
    }
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
        /// Certificates, keys or pins of ``HTTPSecurity`` have changed, and new connections use them.
        case securityReloaded
        /// Certificates, keys or pins of ``HTTPSecurity`` have changed, but cannot be used for this reason; new
        /// connections use the ones before.
        case securityKept(TLSFailureReason)
    }

    /// A reason for closing a connection.
    @nonexhaustive public enum CloseReason: Sendable, Hashable {
        /// It was idle longer than ``HTTPClientConfiguration/idleTimeout``, or than the peer
        /// allows.
        case idleTimeout
        /// It exceeded ``HTTPClientConfiguration/maxConnectionAge`` or
        /// ``HTTPClientConfiguration/maxConnectionUses``, was marked for draining or eviction
        /// while busy, was closed for the benefit of an origin without connections, or was opened with
        /// certificates that have been replaced since.
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
    /// The connection's number, as in metrics and snapshots; 0 for an event of the whole pool.
    public let connectionID: UInt64
    /// The number of exchanges it carried.
    public let uses: Int

    package init(
        kind: Kind,
        connectionID: UInt64,
        uses: Int
    ) {
        self.kind = kind
        self.connectionID = connectionID
        self.uses = uses
    }
}

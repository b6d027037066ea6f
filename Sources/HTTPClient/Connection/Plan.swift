internal import SocketTransport
package import Wire

/// Holds everything the engine needs to carry out one request; made by `RequestPlanner`.
struct Plan: Sendable {
    let url: URI
    let key: PoolKey
    let head: RequestHead
    let body: [UInt8]
    /// A body that is made while it is sent; ``body`` is empty then.
    let streamedBody: SizedBody?
    var timeouts: PhaseTimeouts
    let limits: WireLimits
    /// Bytes of decoded body that a collected response may have.
    let collectLimit: Int
    let decompression: HTTPClientSettings.Decompression
    /// Ask the peer to close after this exchange, and do not keep the connection.
    var keepsConnection: Bool
    /// Who waits less when connections are scarce.
    let priority: Int8
    let contentLengthPolicy: MessageExchange.ContentLengthPolicy
    /// Which deviations of the response are accepted.
    let strictness: Strictness
    /// Whether a proxy forwards the request; the target may be in any form, as the caller has the
    /// last word on it.
    let isForwarded: Bool
    /// What the response is to be read with; see ``HTTPClientSettings``.
    let coders: (any AnyObject & Sendable)?
    /// What is played in place of the network; nil for all that is sent in earnest.
    var stub: StubbedExchange?

    /// What is asked for, for errors: without credentials and fragment.
    var publicURL: String { "\(url.origin ?? key.origin)\(url.requestTarget)" }

    /// The proxy that forwards this request; nil when it goes to the origin, directly or in a
    /// tunnel.
    var forwarder: ProxyRoute? { isForwarded ? key.proxy : nil }
}

/// Tells which connections may serve which requests.
package struct PoolKey: Sendable, Hashable {
    /// Who is at the other end: the proxy itself where it forwards.
    package let origin: Origin
    package let route: ConnectionKey
    /// What the connection leads through; nil when it leads straight there.
    package let proxy: ProxyRoute?
    /// The settings of a request with its own; nil for the client's.
    let security: HashedSecurity?

    package init(origin: Origin, route: ConnectionKey = .standard, proxy: ProxyRoute? = nil) {
        self.init(origin: origin, route: route, proxy: proxy, security: nil)
    }

    init(origin: Origin, route: ConnectionKey, proxy: ProxyRoute?, security: HashedSecurity?) {
        self.origin = origin
        self.route = route
        self.proxy = proxy
        self.security = security
    }
}

/// Holds the bounds of a call's phases in the clock's unit, so that each use is an addition.
///
/// Nanoseconds; `Int64.max` stands for no bound.
struct PhaseTimeouts: Sendable {
    let total: Int64
    /// Whether a timeout that begins when a request is sent is zero, so that nothing may be sent.
    let forbidsSending: Bool
    let queue: Int64
    let resolve: Int64
    let connect: Int64
    let establish: Int64
    let requestHead: Int64
    let requestBody: Int64
    let tlsHandshake: Int64
    let continueResponse: Int64
    var responseHead: Int64
    let readIdle: Int64
    let writeIdle: Int64
    /// nil when any pace will do.
    var throughput: ThroughputMonitor?

    init(_ timeouts: HTTPTimeouts) {
        total = Self.nanoseconds(timeouts.total)
        queue = Self.nanoseconds(timeouts.queue)
        resolve = Self.nanoseconds(timeouts.resolve)
        connect = Self.nanoseconds(timeouts.connect)
        establish = Self.nanoseconds(timeouts.establish)
        requestHead = Self.nanoseconds(timeouts.requestHead)
        requestBody = Self.nanoseconds(timeouts.requestBody)
        continueResponse = Self.nanoseconds(timeouts.continueResponse)
        tlsHandshake = Self.nanoseconds(timeouts.tlsHandshake)
        responseHead = Self.nanoseconds(timeouts.responseHead)
        readIdle = Self.nanoseconds(timeouts.readIdle)
        writeIdle = Self.nanoseconds(timeouts.writeIdle)
        forbidsSending =
            requestHead == 0 || requestBody == 0 || responseHead == 0 || readIdle == 0
            || writeIdle == 0
        throughput = timeouts.minimumThroughput.map { minimum in
            ThroughputMonitor(bytes: minimum.bytes, window: Self.nanoseconds(minimum.window))
        }
    }

    static func nanoseconds(_ duration: Duration?) -> Int64 {
        duration.map { Deadline(nanoseconds: 0).advanced(by: $0).nanoseconds } ?? .max
    }
}

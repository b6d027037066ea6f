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
    let decompression: HTTPClient.Decompression
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
    /// What the response is to be read with; see ``HTTPClient/Settings``.
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

package import Wire

/// Everything the engine needs to send one request; `RequestPlanner` creates it.
struct Plan: Sendable {
    let url: URI
    let key: PoolKey
    let head: RequestHead
    let body: [UInt8]
    /// A body that is produced while it is sent; ``body`` is empty then.
    let streamedBody: SizedBody?
    var timeouts: PhaseTimeouts
    var decompression: HTTPClientSettings.Decompression
    /// Whether the connection is kept; if not, the client asks the peer to close it.
    var keepsConnection: Bool
    /// The priority when connections are scarce; calls with higher priorities wait less.
    let priority: Int8
    /// The deviations of the response that are accepted.
    let strictness: Strictness
    /// Whether a proxy forwards the request.
    ///
    /// The form of the target does not show this, because the caller can change the target last.
    let isForwarded: Bool
    /// What the plans of all requests of the client have in common.
    let shared: Shared
    /// The rate limits; nil if there are none.
    let limiters: RateLimiters?
    /// The stream of the client's dialer; nil for the network.
    var dialed: DialedStream?

    var limits: WireLimits { shared.limits }

    /// What no request can set.
    ///
    /// An object, because a call copies its plan.
    final class Shared: Sendable {
        let limits: WireLimits
        /// The maximum decoded length of a collected body, in bytes.
        let collectLimit: Int
        let contentLengthPolicy: Strictness.ContentLengthPolicy
        /// The coders for reading the response; see ``HTTPClientSettings``.
        let coders: (any AnyObject & Sendable)?

        init(_ configuration: HTTPClientConfiguration) {
            var limits = configuration.limits
            limits.dropsMalformedCookies = true
            self.limits = limits
            // The limit plus one must not overflow.
            collectLimit = min(max(configuration.settings.collectLimit, 0), .max - 1)
            contentLengthPolicy = configuration.contentLengthPolicy
            coders = configuration.settings.coders
        }
    }

    /// The URL of the request for errors, without credentials and fragment.
    var publicURL: String { "\(url.origin ?? key.origin)\(url.requestTarget)" }

    /// The proxy that forwards this request.
    ///
    /// It is nil if the request goes to the origin, directly or through a tunnel.
    var forwarder: ProxyRoute? { isForwarded ? key.proxy : nil }
}

/// The key of the pool: connections serve only requests with an equal key.
package struct PoolKey: Sendable, Hashable {
    /// The origin of the request; the proxy's own if the proxy forwards the request.
    package let origin: Origin
    package let route: ConnectionKey
    /// The proxy; nil for a direct connection.
    package let proxy: ProxyRoute?
    /// The TLS settings of a request that has its own; nil for the client's.
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

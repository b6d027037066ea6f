internal import SocketTransport
package import Wire

/// Holds everything the engine needs to carry out one request; made by `Prepare`.
struct Plan: Sendable {
    let url: URI
    let key: PoolKey
    let head: RequestHead
    let body: [UInt8]
    let bounds: PhaseBounds
    let limits: WireLimits
    /// Octets of decoded body that a collected response may have.
    let collectLimit: Int
    let decompression: HTTPClient.Decompression
    /// Ask the peer to close after this exchange, and do not keep the connection.
    let keepsConnection: Bool
    let lengthUse: MessageExchange.LengthUse
}

/// Tells which connections may serve which requests.
package struct PoolKey: Sendable, Hashable {
    package let origin: Origin
    /// The settings of a request with its own; nil for the client's.
    let security: SettledSecurity?

    package init(origin: Origin) {
        self.init(origin: origin, security: nil)
    }

    init(origin: Origin, security: SettledSecurity?) {
        self.origin = origin
        self.security = security
    }
}

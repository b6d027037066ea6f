internal import SocketTransport
package import Wire

/// A route through one proxy, with one set of credentials.
///
/// A route is part of the pool's key. Routes are equal when their proxies are, so that connections
/// through different proxies, or for different users, never mix. The hash is computed once.
package final class ProxyRoute: Sendable, Hashable {
    /// The proxy of the route.
    package let proxy: HTTPProxy
    /// The proxy as an origin, for requests that it forwards.
    package let endpoint: Origin
    /// The reason why no request can use the proxy; nil when there is none.
    ///
    /// It is the proxy's port, or a field of its headers that only the client may set.
    let fault: HTTPInvalidRequestReason?
    private let cachedHash: Int
    private let authentication: Locked<ProxyAuthentication>

    package init(_ proxy: HTTPProxy) {
        self.proxy = proxy
        endpoint = Origin(scheme: .http, host: proxy.host, port: proxy.port)
        fault =
            1...65_535 ~= proxy.port
            ? Self.reserved.first { proxy.headers.contains($0) }.map { .framingField($0.rawName) }
            : .proxy(.port(proxy.port))
        cachedHash = proxy.hashValue
        authentication = Locked(ProxyAuthentication(proxy))
    }

    /// Fields that define where a message ends, its target host, or properties of the connection.
    ///
    /// See RFC 9110 §7.6.1.
    private static let reserved: [FieldName] = [
        .contentLength, .transferEncoding, .host, .connection, .upgrade, "TE", "Trailer",
    ]

    /// Returns whether the proxy forwards the requests for an origin.
    ///
    /// Otherwise the client opens a tunnel to the origin.
    package func forwards(to origin: Origin) -> Bool {
        proxy.scheme == .http && origin.scheme == .http && proxy.tunneling == .forHTTPS
    }

    /// Returns the credentials to send before the proxy has sent a challenge.
    func preempt(_ subject: ProxyAuthentication.Target) -> ProxyAuthentication.Authorization? {
        // Most proxies have no credentials, so there is nothing to look up.
        guard proxy.credentials != nil else { return nil }
        return authentication.withLock { $0.preempt(subject) }
    }

    /// Returns the answer to the proxy's 407; nil when it is final.
    func answer(
        _ refusal: ResponseHead,
        to subject: ProxyAuthentication.Target,
        sentWith sent: ProxyAuthentication.SentCredentials
    ) -> ProxyAuthentication.Authorization? {
        guard proxy.credentials != nil else { return nil }
        let lines = refusal.headers.values(.proxyAuthenticate)
        let clientNonce = ClientNonce.random()
        return authentication.withLock {
            $0.answer(lines, to: subject, sentWith: sent, clientNonce: clientNonce)
        }
    }

    package static func == (left: ProxyRoute, right: ProxyRoute) -> Bool {
        left === right || left.cachedHash == right.cachedHash && left.proxy == right.proxy
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(cachedHash)
    }
}

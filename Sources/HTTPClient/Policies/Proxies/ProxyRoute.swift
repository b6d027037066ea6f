internal import SocketTransport
package import Wire

/// Leads through one proxy, with one set of credentials.
///
/// Part of the pool's key: equal when the proxies are, so that connections through different
/// proxies, or in the name of different users, never mix. The hash is cachedHash once.
package final class ProxyRoute: Sendable, Hashable {
    /// Where the way leads through.
    package let proxy: HTTPProxy
    /// The proxy in the place of an origin, for requests that it forwards.
    package let endpoint: Origin
    /// Why no request can go through the proxy: its port, or a field of its headers that only the
    /// client may set; nil when there is no reason.
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

    /// Fields that say where a message ends, whom it is for, or what concerns the connection alone (RFC 9110
    /// §7.6.1).
    private static let reserved: [FieldName] = [
        .contentLength, .transferEncoding, .host, .connection, .upgrade, "TE", "Trailer",
    ]

    /// Says whether the proxy reads and passes on the requests for an origin, instead of opening a
    /// tunnel to it.
    package func forwards(to origin: Origin) -> Bool {
        proxy.scheme == .http && origin.scheme == .http && proxy.tunneling == .forHTTPS
    }

    /// Gives what a request to the proxy is sent with before it has asked.
    func preempt(_ subject: ProxyAuthentication.Target) -> ProxyAuthentication.Authorization? {
        // Without credentials, as mostly, there is nothing to look up.
        guard proxy.credentials != nil else { return nil }
        return authentication.withLock { $0.preempt(subject) }
    }

    /// Answers the proxy's 407; nil when it is final.
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

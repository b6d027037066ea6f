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
    package let invalidReason: HTTPError.InvalidRequestReason?
    private let cachedHash: Int
    private let authentication = Locked(AuthenticationState())

    package init(_ proxy: HTTPProxy) {
        self.proxy = proxy
        endpoint = Origin(scheme: .http, host: proxy.host, port: proxy.port)
        invalidReason =
            1...65_535 ~= proxy.port
            ? Self.reserved.first { proxy.headers.contains($0) }.map { .framingField($0.rawName) }
            : .proxy(.port(proxy.port))
        cachedHash = proxy.hashValue
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

    /// Returns the credentials to send before the proxy has sent a challenge; nil for none.
    package func preempt(_ request: ProtectedRequest) -> AuthorizationHeader? {
        // Most proxies have no credentials, so there is nothing to look up.
        guard let credentials = proxy.credentials else { return nil }
        if proxy.authentication.sendsBasicUnasked { return .basic(credentials) }
        return authentication.withLock { $0.preempt(request) }
    }

    /// Returns the answer to the proxy's 407.
    ///
    /// - Parameters:
    ///   - refusal: the head of the 407.
    ///   - request: the request that the proxy refused.
    ///   - sent: the credentials of that request.
    /// - Returns: nil when the response is final: it is no 407, the proxy has rejected the credentials, or
    ///   no scheme on offer is known and allowed.
    package func answer(
        _ refusal: ResponseHead,
        to request: ProtectedRequest,
        sentWith sent: SentCredentials
    ) -> AuthorizationHeader? {
        guard let credentials = proxy.credentials, refusal.status == .proxyAuthenticationRequired
        else { return nil }
        let choices = SupportedChallenge.rankedByStrength(
            AuthenticationState.challenges(refusal, in: .proxyAuthenticate),
            allowing: proxy.authentication
        )
        let clientNonce = RandomBits.digits()
        return authentication.withLock {
            $0.answer(
                choices,
                withOnly: credentials,
                request,
                sentWith: sent,
                clientNonce: clientNonce
            )
        }
    }

    package static func == (left: ProxyRoute, right: ProxyRoute) -> Bool {
        left === right || left.cachedHash == right.cachedHash && left.proxy == right.proxy
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(cachedHash)
    }
}

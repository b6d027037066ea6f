package import Wire

/// A request that a proxy forwards, with the client's credentials for the proxy.
///
/// A class, so that calls without such a proxy stay small.
package final class ForwardedRequest: Sendable {
    /// The head with the credentials; nil if there are none to send yet.
    let head: RequestHead?
    private let route: ProxyRoute
    private let request: ProtectedRequest
    private let plain: RequestHead
    private let sent: SentCredentials

    /// Prepares a request that a proxy forwards, with the credentials that the proxy has accepted before.
    ///
    /// It is nil if the proxy has no credentials, or the request sets Proxy-Authorization itself.
    ///
    /// - Parameters:
    ///   - plain: the head without credentials for the proxy.
    ///   - body: the content as sent; nil when it is generated during sending.
    ///   - route: the proxy.
    package convenience init?(_ plain: RequestHead, body: [UInt8]?, through route: ProxyRoute) {
        guard route.proxy.credentials != nil, !plain.headers.contains(.proxyAuthorization) else {
            return nil
        }
        let request = ProtectedRequest(
            method: plain.method.rawValue,
            target: plain.target.text,
            body: body
        )
        self.init(plain, request, route, route.preempt(request))
    }

    /// Prepares the request of a plan; nil also if no proxy forwards it.
    convenience init?(_ plan: Plan) {
        guard let route = plan.forwarder else { return nil }
        self.init(plan.head, body: plan.streamedBody == nil ? plan.body : nil, through: route)
    }

    private init(
        _ plain: RequestHead,
        _ request: ProtectedRequest,
        _ route: ProxyRoute,
        _ authorization: AuthorizationHeader?
    ) {
        self.plain = plain
        self.request = request
        self.route = route
        sent = authorization?.sent ?? .nothing
        head = authorization.map { authorization in
            var head = plain
            head.headers.append(.proxyAuthorization, authorization.value)
            return head
        }
    }

    /// Returns the request that answers a 407; nil if the response is final.
    func answering(_ refusal: ResponseHead) -> ForwardedRequest? {
        route.answer(refusal, to: request, sentWith: sent)
            .map { ForwardedRequest(plain, request, route, $0) }
    }
}

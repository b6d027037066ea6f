internal import Wire

/// A request that a proxy forwards, with the state of the proxy's authentication.
///
/// Loop-confined. A class, so that calls without such a proxy stay small.
final class ForwardedRequest {
    /// The head with credentials for the proxy; nil without.
    private(set) var head: RequestHead?
    private let route: ProxyRoute
    private let subject: ProxyAuthentication.Target
    private let plan: RequestHead
    private var sent = ProxyAuthentication.SentCredentials.nothing
    /// The number of challenges answered.
    private var answers = 0
    /// One answer with the requested credentials, and one with a new nonce.
    private static let maxAnswers = 2

    /// Prepares a request that a proxy forwards.
    ///
    /// It is nil if no proxy forwards the request, the proxy has no credentials, or the request
    /// sets Proxy-Authorization itself.
    init?(_ plan: Plan) {
        guard let route = plan.forwarder, route.proxy.credentials != nil,
            !plan.head.headers.contains(.proxyAuthorization)
        else { return nil }
        self.route = route
        self.plan = plan.head
        subject = ProxyAuthentication.Target(
            method: plan.head.method.rawValue,
            target: plan.head.target.text,
            body: plan.streamedBody == nil ? plan.body : nil
        )
        if let answer = route.preempt(subject) { take(answer) }
    }

    /// Answers a 407 with a new head; false if the proxy's response is final.
    func answer(_ refusal: ResponseHead) -> Bool {
        guard refusal.status == .proxyAuthenticationRequired, answers < Self.maxAnswers,
            let answer = route.answer(refusal, to: subject, sentWith: sent)
        else { return false }
        answers += 1
        take(answer)
        return true
    }

    private func take(_ answer: ProxyAuthentication.Authorization) {
        sent = answer.sent
        var head = plan
        head.headers.append(.proxyAuthorization, answer.value)
        self.head = head
    }
}

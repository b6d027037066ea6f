internal import Wire

/// Follows a request that a proxy forwards, through its challenges.
///
/// Loop-confined. An object, so that the calls that go to no such proxy stay small.
final class ForwardedRequest {
    /// The head with credentials for the proxy; nil without.
    private(set) var head: RequestHead?
    private let route: ProxyRoute
    private let subject: ProxyAuthentication.Target
    private let plan: RequestHead
    private var sent = ProxyAuthentication.SentCredentials.nothing
    /// Challenges answered.
    private var answers = 0
    /// Once with what was asked for, once with a new nonce.
    private static let maxAnswers = 2

    /// Prepares a request; nil when no proxy forwards it, or the request's own field tells the
    /// proxy who asks.
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

    /// Answers a 407 by another head; false when the proxy's answer is final.
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

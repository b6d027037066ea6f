internal import SocketTransport
internal import Wire

extension Pursuit {
    /// Asks whether a request may be sent again after an outcome; charges the budget if so.
    ///
    /// - Parameters:
    ///   - strategy: how.
    ///   - outcome: of the last attempt.
    ///   - request: that would be sent.
    /// - Returns: nil when it may not be; nothing was done then.
    func permit(
        _ strategy: HTTPRetryStrategy,
        after outcome: Result<HTTPResponse, HTTPError>,
        _ request: HTTPRequest
    ) -> RetryGrant? {
        let options = request.retries ?? policies.retries
        let (rules, deadline) = state.withLock { ($0.retryRules, $0.totalDeadline) }
        let clock = policies.shared.clock
        let retryAfter = outcome.retryAfter(
            at: HTTPDate(secondsSince1970: clock.secondsSince1970())
        )
        let grant = policies.shared.random.withLock { random in
            rules.grant(
                strategy,
                after: RetryRules.Outcome(outcome),
                retryAfter: retryAfter,
                for: RetryRules.Candidate(request),
                options,
                until: deadline,
                now: clock.now(),
                random: &random
            )
        }
        guard let grant else { return nil }
        return !grant.chargesBudget || policies.shared.budget.withdraw() ? grant : nil
    }

    /// Does what a strategy wants before the request is sent again.
    ///
    /// - Parameters:
    ///   - demand: what is wanted, and was allowed.
    ///   - request: is changed by strategies that change it.
    ///   - context: is told.
    /// - Throws: the error of what a request, a task or a closure of the strategy threw; `.cancelled`.
    func prepare(
        _ demand: RetryRequest,
        _ request: inout HTTPRequest,
        _ context: inout HTTPContext
    ) async throws(HTTPError) {
        do {
            try await execute(demand, &request, &context)
        } catch {
            throw HTTPError(interceptor: error, request)
        }
    }

    private func execute(
        _ demand: RetryRequest,
        _ request: inout HTTPRequest,
        _ context: inout HTTPContext
    ) async throws {
        let number = state.withLock { $0.retryRules.beginRetry() }
        let delay = demand.permit.delay
        // Nothing of this round is delivered any more: a body that nobody reads would keep its
        // connection, and its turn in a queue, while the call waits.
        if case .success(let response) = demand.outcome { await bufferRemainder(response) }
        state.withLock { $0.replies = [:] }
        notify(.retrying(number: number, after: delay), context)
        do {
            if delay > .zero { try await policies.shared.clock.pause(delay) }
        } catch {
            // Nothing is sent.
            if demand.permit.chargesBudget { policies.shared.budget.deposit(1) }
            throw error
        }
        switch demand.strategy {
        case .immediate, .delayed, .exponential, .fibonacci: break
        case .afterRequest(let other, _, let then):
            let response = try await context.send(other)
            try await then?(response, &request)
        case .afterTask(_, let task): try await task(&request)
        }
        context.retryCount = number
        context.redirects = []
        context.hasCrossedOrigin = false
        state.withLock { $0.reason = .retry }
    }
}

extension Result<HTTPResponse, HTTPError> {
    /// How long the server wants to be left alone.
    fileprivate func retryAfter(at now: HTTPDate) -> Duration? {
        let head: ResponseHead?
        switch self {
        case .success(let response): head = response.head
        case .failure(let error): head = error.head
        }
        guard let text = head?.headers[.retryAfter], let wish = RetryAfter(text, now: now) else {
            return nil
        }
        // A number that a peer chose may be larger than a duration.
        return .seconds(min(wish.delay(from: now), 1 << 40))
    }
}

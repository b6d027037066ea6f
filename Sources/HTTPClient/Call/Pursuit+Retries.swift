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
        let number = state.withLock { $0.retries } + 1
        let retries = request.retries ?? policies.retries
        guard number <= request.maxRetries ?? retries.maxRetries,
            !outcome.isCancellation, maySendAgain(request, retries, behind: outcome),
            let delay = delay(of: strategy, number, retries, behind: outcome)
        else { return nil }
        guard strategy.onlyDelays, retries.budget != nil else {
            return RetryGrant(delay: delay, isPaid: false)
        }
        return policies.shared.budget.withdraw() ? RetryGrant(delay: delay, isPaid: true) : nil
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
        let number = state.withLock { state in
            state.retries += 1
            return state.retries
        }
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
            if demand.permit.isPaid { policies.shared.budget.deposit(1) }
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

    /// Whether nothing can be done twice by sending the request again, and it can be.
    private func maySendAgain(
        _ request: HTTPRequest,
        _ retries: HTTPRetryOptions,
        behind outcome: Result<HTTPResponse, HTTPError>
    ) -> Bool {
        guard request.body.isReplayable else { return false }
        if retries.retriesUnsafeRequests || request.headers.contains("Idempotency-Key") {
            return true
        }
        // Of all attempts: the last one may be the GET that a POST was redirected to.
        guard !state.withLock({ $0.mayHaveSideEffects }) else { return false }
        switch outcome {
        case .success(let response):
            return request.method.isIdempotent || response.status.impliesNoSideEffects
        case .failure(let error):
            // A response may have begun; what an interceptor threw is not known to be harmless.
            return error.isRetrySafe || error.info.isIdempotent && request.method.isIdempotent
        }
    }

    /// Finds how long to wait; nil when that is longer than is allowed.
    private func delay(
        of strategy: HTTPRetryStrategy,
        _ number: Int,
        _ retries: HTTPRetryOptions,
        behind outcome: Result<HTTPResponse, HTTPError>
    ) -> Duration? {
        var delay = policies.shared.random.withLock { strategy.delay(before: number, &$0) }
        let clock = policies.shared.clock
        let time = HTTPDate(secondsSince1970: clock.secondsSince1970())
        if let wish = outcome.retryAfter(at: time) {
            guard wish <= retries.maxRetryAfter else { return nil }
            delay = max(delay, wish)
        }
        let deadline = state.withLock { $0.totalDeadline }
        return clock.now().advanced(by: delay) < deadline ? delay : nil
    }
}

extension HTTPRetryStrategy {
    /// Whether nothing but time makes the next attempt another.
    fileprivate var onlyDelays: Bool {
        switch self {
        case .immediate, .delayed, .exponential, .fibonacci: true
        case .afterRequest, .afterTask: false
        }
    }
}

extension HTTPResponse {
    /// Whether its request, or what it stands for, may not be made twice.
    ///
    /// 307 and 308 say that nothing was done here, and what was refused was not done at all.
    var impliesSideEffects: Bool {
        !method.isIdempotent && status.code != 307 && status.code != 308
            && !status.impliesNoSideEffects
    }
}

extension HTTPStatus {
    /// Whether a server that says this has refused the request before it did anything about it (RFC
    /// 9110 §15.5.2, §15.5.4, §15.5.20; RFC 8470 §5.2).
    fileprivate var impliesNoSideEffects: Bool {
        self == .unauthorized || self == .forbidden || self == .misdirectedRequest
            || self == .tooEarly
    }
}

extension Result<HTTPResponse, HTTPError> {
    fileprivate var isCancellation: Bool {
        if case .failure(let error) = self { error.isCancellation } else { false }
    }

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

internal import SocketTransport
internal import Wire

extension Pursuit {
    /// Sends a request, has its outcome judged, and sends it again as often as that is asked for and
    /// allowed.
    func rounds(_ first: HTTPRequest, _ start: HTTPContext) async throws -> HTTPResponse {
        var request = first
        var context = start
        while true {
            context.begin = .now()
            var outcome: Result<HTTPResponse, HTTPError>
            do {
                outcome = .success(try await steps(request, &context))
            } catch let demand as RetryDemand {
                if try await again(demand.strategy, demand.outcome, &request, &context) {
                    continue
                }
                outcome = demand.outcome
            } catch {
                outcome = .failure(HTTPError(interceptor: error, request))
            }
            outcome = await transformed(outcome, request)
            if try await judge(&outcome, &request, &context) { continue }
            return try outcome.get()
        }
    }

    private func transformed(
        _ outcome: Result<HTTPResponse, HTTPError>,
        _ request: HTTPRequest
    ) async -> Result<HTTPResponse, HTTPError> {
        guard case .success(var response) = outcome, !policies.transformers.isEmpty else {
            return outcome
        }
        do {
            for transformer in policies.transformers {
                try await transformer.transform(&response, request)
            }
            return .success(response)
        } catch {
            return .failure(HTTPError(interceptor: error, request))
        }
    }

    /// Asks the validators.
    ///
    /// - Returns: whether the request is to be sent again.
    private func judge(
        _ outcome: inout Result<HTTPResponse, HTTPError>,
        _ request: inout HTTPRequest,
        _ context: inout HTTPContext
    ) async throws -> Bool {
        for validator in validators(for: request) {
            let verdict: HTTPVerdict
            do {
                verdict = try await validator.validate(outcome, of: request, context)
            } catch {
                verdict = .fail(error)
            }
            switch verdict {
            case .accept: break
            case .acceptOther(let response): outcome = .success(response)
            case .fail(let error): throw HTTPError(validator: error, outcome, request)
            case .retry(let strategy, let otherwise):
                if try await again(strategy, outcome, &request, &context) { return true }
                if let otherwise { throw HTTPError(validator: otherwise, outcome, request) }
            }
        }
        return false
    }

    /// Who judges; who wants retries and does not say of what, gets those of the default validator.
    private func validators(for request: HTTPRequest) -> [any HTTPResponseValidator] {
        let all = policies.validators + request.validators
        guard all.isEmpty, let retries = request.maxRetries, retries > 0 else { return all }
        return [HTTPDefaultValidator()]
    }

    // MARK: - Again

    /// Does what a strategy wants before the request is sent again.
    ///
    /// - Returns: false when it may not be; nothing was done then.
    private func again(
        _ strategy: HTTPRetryStrategy,
        _ outcome: Result<HTTPResponse, HTTPError>,
        _ request: inout HTTPRequest,
        _ context: inout HTTPContext
    ) async throws -> Bool {
        let number = context.retryCount + 1
        guard number <= request.maxRetries ?? policies.retries.limit,
            !outcome.isCancellation, maySendAgain(request, behind: outcome),
            let delay = delay(of: strategy, number, behind: outcome),
            !strategy.hopesForLuck || policies.retries.budget == nil
                || policies.shared.budget.spend()
        else { return false }
        // Nothing of this round is delivered any more: a body that nobody reads would keep its
        // connection, and its turn in a queue, while the call waits.
        if case .success(let response) = outcome { await readAhead(response) }
        state.withLock { $0.replies = [:] }
        tell(.retrying(number: number, after: delay), context)
        if delay > .zero { try await policies.shared.clock.pause(delay) }
        switch strategy {
        case .immediate, .delayed, .exponential, .fibonacci: break
        case .afterRequest(let other, _, let then):
            let response = try await context.plainClient.send(other)
            try await then?(response, &request)
        case .afterTask(_, let task): try await task(&request)
        }
        context.retryCount = number
        context.redirects = []
        context.hasLeftOrigin = false
        state.withLock { $0.reason = .retry }
        return true
    }

    /// Whether nothing can be done twice by sending the request again, and it can be.
    private func maySendAgain(
        _ request: HTTPRequest,
        behind outcome: Result<HTTPResponse, HTTPError>
    ) -> Bool {
        guard request.body.isReplayable else { return false }
        if policies.retries.repeatsUnsafeRequests || request.headers.contains("Idempotency-Key") {
            return true
        }
        // Of all attempts: the last one may be the GET that a POST was redirected to.
        guard !state.withLock({ $0.hasActed }) else { return false }
        switch outcome {
        case .success(let response):
            return request.method.isIdempotent || response.status.saysNothingWasDone
        case .failure(let error): return error.isRetrySafe
        }
    }

    /// Finds how long to wait; nil when that is longer than is allowed.
    private func delay(
        of strategy: HTTPRetryStrategy,
        _ number: Int,
        behind outcome: Result<HTTPResponse, HTTPError>
    ) -> Duration? {
        var delay = policies.shared.dice.withLock { strategy.delay(before: number, &$0) }
        let clock = policies.shared.clock
        let time = HTTPDate(secondsSince1970: clock.secondsSince1970())
        if let wish = outcome.retryAfter(at: time) {
            guard wish <= policies.retries.longestRetryAfter else { return nil }
            delay = max(delay, wish)
        }
        let deadline = state.withLock { $0.totalDeadline }
        return clock.now().advanced(by: delay) < deadline ? delay : nil
    }
}

extension HTTPRetryStrategy {
    /// Whether nothing but time makes the next attempt another.
    fileprivate var hopesForLuck: Bool {
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
    var saysThatItActed: Bool {
        !method.isIdempotent && status.code != 307 && status.code != 308
            && !status.saysNothingWasDone
    }
}

extension HTTPStatus {
    /// Whether a server that says this has refused the request before it did anything about it (RFC
    /// 9110 §15.5.2, §15.5.4, §15.5.20; RFC 8470 §5.2).
    fileprivate var saysNothingWasDone: Bool {
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

extension HTTPError {
    /// Makes the error of what a validator holds against an outcome.
    init(
        validator error: any Error,
        _ outcome: Result<HTTPResponse, HTTPError>,
        _ request: HTTPRequest
    ) {
        if let error = error as? HTTPError {
            self = error
            return
        }
        let kind: Kind =
            error is CancellationError ? .cancelled : .rejectedResponse(reason: "\(error)")
        switch outcome {
        case .success(let response):
            self = response.error(kind).changed { $0.underlying = error }
        case .failure(let failure):
            self = failure.changed {
                $0.kind = kind
                $0.underlying = error
            }
        }
    }
}

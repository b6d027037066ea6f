internal import SocketTransport
internal import Wire

// Interceptors, the retries that interceptors and validators request, and the total timeout.
extension CallDriver {
    /// Passes a request through interceptors.
    ///
    /// - Parameters:
    ///   - request: the request, as the outer interceptors left it.
    ///   - context: the state of the call.
    ///   - list: the interceptors, the outermost first.
    ///   - first: the request that a retry would send.
    ///   - end: the operation inside all interceptors.
    /// - Returns: their result. If it is a retry, the rules have permitted it.
    /// - Throws: an ``HTTPError``.
    func pass(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        through list: ArraySlice<any HTTPInterceptor>,
        retrying first: HTTPRequest,
        to end: @escaping @Sendable (HTTPRequest) async throws -> HTTPInterceptorResult
    ) async throws -> HTTPInterceptorResult {
        guard let interceptor = list.first else { return try await end(request) }
        let rest = list.dropFirst()
        let next = HTTPNext { request in
            try await self.pass(request, context, through: rest, retrying: first, to: end)
        }
        let result: HTTPInterceptorResult
        do {
            result = try await interceptor.intercept(request, context, next: next)
        } catch {
            throw HTTPError(interceptor: error, request)
        }
        // Outer interceptors see only retries that will happen.
        guard case .retry(var retry) = result, retry.grant == nil else { return result }
        guard let grant = grant(retry.strategy, after: CallState.Outcome(retry.outcome), first)
        else {
            return .response(try retry.outcome.get())
        }
        retry.grant = grant
        return .retry(retry)
    }

    /// Returns the grant for a retry, and charges the budget.
    ///
    /// - Parameters:
    ///   - strategy: the requested strategy.
    ///   - outcome: the outcome of the last attempt.
    ///   - request: the request that would be sent.
    /// - Returns: nil if the request must not be sent again.
    func grant(
        _ strategy: HTTPRetryOptions.Strategy,
        after outcome: CallState.Outcome,
        _ request: HTTPRequest
    ) -> RetryGrant? {
        let state = shared.withLock { $0.state }
        let clock = policies.shared.clock
        let retryAfter = outcome.retryAfter(
            at: HTTPDate(secondsSince1970: clock.secondsSince1970())
        )
        let grant = policies.shared.random.withLock { random in
            state.grant(
                strategy,
                after: outcome,
                retryAfter: retryAfter,
                for: request,
                now: clock.now(),
                random: &random
            )
        }
        guard let grant else { return nil }
        return !grant.chargesBudget || policies.shared.budget.withdraw() ? grant : nil
    }

    /// Waits for the delay of a retry, and sends the request or runs the task of its strategy.
    ///
    /// - Parameters:
    ///   - action: the retry.
    ///   - request: the request that is sent again.
    /// - Returns: the request, as the strategy changed it.
    /// - Throws: the error of a request, a task or a closure of the strategy; `.cancelled`.
    func prepared(
        _ action: CallState.Action,
        _ request: HTTPRequest
    ) async throws(HTTPError) -> HTTPRequest {
        guard case .retry(let number, let strategy, let grant, let outcome) = action else {
            preconditionFailure("a granted retry is a retry")
        }
        var changed = request
        do {
            // The response of the last attempt will not be delivered. An unread body would keep its
            // connection and its queue permit while the call waits.
            if case .success(let response) = outcome { await bufferRemainder(response) }
            shared.withLock { $0.bodies = [:] }
            notify(.retrying(number: number, after: grant.delay))
            try await pause(grant)
            switch strategy {
            case .immediate, .delayed, .exponential, .fibonacci: break
            case .afterRequest(let other, _, let then):
                let response = try await context.send(other)
                try await then?(response, &changed)
            case .afterTask(_, let task): try await task(&changed)
            }
            return changed
        } catch {
            throw HTTPError(interceptor: error, changed)
        }
    }

    private func pause(_ grant: RetryGrant) async throws {
        guard grant.delay > .zero else { return }
        do {
            try await policies.shared.clock.pause(grant.delay)
        } catch {
            // The retry is not sent, so its charge is returned to the budget.
            if grant.chargesBudget { policies.shared.budget.deposit(1) }
            throw error
        }
    }

    // MARK: - Total timeout

    /// Runs the call until its total deadline, then cancels it and waits for its end.
    ///
    /// An attempt ends at the deadline by itself, and no retry is granted that would begin after it. This
    /// function limits the caller's code around attempts: interceptors, validators and credential providers.
    func inTime(
        _ work: @escaping @Sendable () async -> CallState.Outcome
    ) async -> CallState.Outcome {
        let deadline = shared.withLock { $0.state.deadline }
        guard deadline != .never, policies.mayWait(for: request) else { return await work() }
        let loop = transfer.engine.loop
        let task = Task(executorPreference: isConfined(to: loop) ? loop : nil) { await work() }
        let hasExpired = Locked(false)
        let timeout = LoopTimeout(on: loop, at: deadline) {
            // A cancellation by the caller came first.
            guard !task.isCancelled else { return }
            hasExpired.withLock { $0 = true }
            task.cancel()
        }
        let outcome = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        timeout.cancel()
        guard case .failure(let error) = outcome, hasExpired.withLock({ $0 }) else {
            return outcome
        }
        return .failure(error.asTimedOut(core.totalTimeout(of: request)))
    }
}

extension HTTPError {
    /// Returns a total timeout if the error is a cancellation; otherwise the same error.
    fileprivate func asTimedOut(_ limit: Duration?) -> HTTPError {
        guard isCancellation else { return self }
        return changed {
            $0.kind = .timedOut(.total)
            let setting =
                limit.map { "timeouts.total is \($0.secondsText)" } ?? "timeouts.total passed"
            // A closure has thrown the cancellation.
            $0.detail =
                underlying == nil
                ? setting
                : "\(setting), and passed during an interceptor, a validator or another closure"
        }
    }
}

extension CallState.Outcome {
    /// Returns the delay that the server requested in Retry-After; nil if none (RFC 9110 §10.2.3).
    func retryAfter(at now: HTTPDate) -> Duration? {
        let head: ResponseHead?
        switch self {
        case .success(let response): head = response.head
        case .failure(let error): head = error.head
        }
        guard let text = head?.headers[.retryAfter], let wish = RetryAfter(text, now: now) else {
            return nil
        }
        // A number from the server may be larger than a `Duration` can represent.
        return .seconds(min(wish.delay(from: now), 1 << 40))
    }
}

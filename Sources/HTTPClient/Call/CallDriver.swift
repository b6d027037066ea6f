internal import SocketTransport
internal import Wire

/// A driver that runs one call, from the caller's request to the outcome that is delivered.
///
/// Two loops repeat requests: ``loop(_:from:)`` after retries and redirects, and ``exchangeLoop(from:)`` within an
/// attempt after challenges. CONTRIBUTING lists the other places. Each iteration executes the action that
/// ``CallState`` returns and reports the result as the next event. Interceptors with scope `.call` wrap the first
/// loop, and those with scope `.attempt` the second.
final class CallDriver: Sendable {
    let core: ClientCore
    let transfer: Transfer
    /// The caller's request, with an absolute URL and an encoded body.
    let request: HTTPRequest
    let policies: Policies
    let context: HTTPContext
    let shared: Locked<Shared>
    /// The delivery of progress to the closure of the request; nil without one, or if another observer of
    /// the attempts reports it.
    let requestProgress: RequestProgress?
    /// The reporter of the progress; nil if it cannot be observed.
    let progress: ProgressReporter?
    /// Whether the client's observers are notified of the requests; not of those for parts of a file.
    let isObserved: Bool

    struct Shared: Sendable {
        var state: CallState
        /// The time when the first attempt or the latest retry began.
        var begin = Deadline.never
        /// The streamed bodies that can still be delivered, by the number of their response.
        ///
        /// Removing an entry drops the body, so the caller can no longer read it.
        var bodies: [UInt32: StreamingBody] = [:]
        /// The errors of bodies that could not be decoded; thrown if their response is delivered.
        var undecoded: [UInt32: HTTPError] = [:]
        /// The request of the last retry, as its strategy changed it; nil before the first.
        var retried: HTTPRequest?
        /// The body that was compressed last; nil for most calls.
        var compressed: CompressedBytes?
    }

    /// Creates a driver.
    ///
    /// - Parameters:
    ///   - request: the caller's request.
    ///   - core: the client.
    ///   - transfer: how the attempts run, and how the response is delivered.
    ///   - first: the first attempt, if the call made it without a driver.
    ///   - continuation: the call that another driver has begun, and what this one adds to it.
    /// - Throws: `.invalidRequest`, if the URL is not absolute.
    init(
        _ request: HTTPRequest,
        _ core: ClientCore,
        _ transfer: Transfer,
        after first: FirstAttempt? = nil,
        continuing continuation: Continuation? = nil
    ) throws(HTTPError) {
        self.core = core
        self.transfer = transfer
        policies = core.policies
        isObserved = continuation?.role != .part
        if let known = first?.context {
            (context, self.request) = (known, known.originalRequest)
        } else if let continuation {
            (context, self.request) = (continuation.driver.context, continuation.driver.request)
        } else {
            // Consumed, because a copy of a request is expensive.
            var settled = consume request
            try core.settle(&settled)
            if settled.optionsBox != nil { settled.shareRateLimit() }
            context = HTTPContext(settled, core)
            self.request = consume settled
        }
        if let observer = transfer.observer {
            (requestProgress, progress) = (nil, observer.progress)
        } else if let body = self.request.onProgress {
            let delivery = RequestProgress(body, on: transfer.engine.loop)
            (requestProgress, progress) = (delivery, delivery.reporter)
        } else {
            (requestProgress, progress) = (nil, nil)
        }
        let begun = continuation?.driver.shared.withLock { $0.state.deadline }
        let deadline =
            first?.attempt.limits.totalDeadline ?? begun ?? core.totalDeadline(of: self.request)
        shared = Locked(Shared(state: CallState(policies.options, until: deadline)))
        guard let continuation else { return }
        shared.withLock { $0.state.continueCall(after: continuation.metrics) }
    }

    // MARK: - Running

    /// Runs the call.
    ///
    /// - Parameter first: the first attempt with its result, if the call made it without a driver.
    /// - Returns: the response to deliver.
    /// - Throws: the error of the call.
    func run(
        after first: FirstResult? = nil
    ) async throws(HTTPError) -> HTTPResponse {
        if first == nil { policies.depositRetries(policies.retryBudget(of: request)) }
        if first?.first.context == nil { notify(.began) }
        let outcome = await inTime { await self.throughCallInterceptors(first) }
        switch withoutLostBody(outcome) {
        case .success(let response):
            if let requestProgress { await finish(requestProgress, response) }
            notify(.ended(.success(response)))
            return response
        case .failure(let bare):
            let error = completed(bare)
            if let requestProgress { await requestProgress.finish() }
            notify(.ended(.failure(error)))
            throw error
        }
    }

    /// Runs a call whose body is streamed.
    func runStreamed(
        after first: FirstResult? = nil
    ) async throws(HTTPError) -> HTTPStreamedResponse {
        let response = try await run(after: first)
        let body = shared.withLock { shared in
            defer { shared.bodies = [:] }
            return shared.bodies[response.serial]
        }
        guard let body, response.isStreamed else {
            let buffered = HTTPStreamedResponse(
                buffered: response,
                on: core.engine,
                limits: core.configuration.limits
            )
            if response.isStreamed, let stored = buffered.bodySource.buffered {
                observeEnd(of: stored, buffered.bodySource)
            }
            return buffered
        }
        let streamed = streamed(response, body)
        observeEnd(of: body, streamed.bodySource)
        return streamed
    }

    /// Returns a streamed response, whose body passes through the stages that interceptors added.
    func streamed(_ response: HTTPResponse, _ body: StreamingBody) -> HTTPStreamedResponse {
        var streamed = HTTPStreamedResponse(url: response.url, source: body)
        streamed.head = response.head
        streamed.redirects = response.redirects
        streamed.cacheStatus = response.cacheStatus
        return response.bodyStages.isEmpty
            ? streamed : streamed.passing(through: response.bodyStages)
    }

    /// Notifies the observers when a streamed body has ended; at once if it already has.
    ///
    /// - Parameters:
    ///   - body: the body as received or as stored.
    ///   - delivered: the same body as the caller reads it; it can fail after the end of `body`.
    func observeEnd(of body: some EndingBody, _ delivered: ResponseBodySource? = nil) {
        guard !policies.observers.isEmpty else { return }
        policies.observeEnd(of: body, delivered, currentContext())
    }

    /// Runs the loop inside the interceptors with scope `.call`.
    ///
    /// - Parameter first: the first attempt with its result, if the call made it without a driver.
    /// - Returns: the outcome of the call.
    func throughCallInterceptors(
        _ first: FirstResult?
    ) async -> CallState.Outcome {
        if let first {
            let attempt = first.first.attempt
            // A call with interceptors or HTTPAuthentication always starts with a driver, so there are
            // none here. Only a proxy may have sent a challenge.
            await (attempt.liveObserver as? LiveSteps)?.finish()
            begin()
            var exchange = CallState.Exchange(request, proxy: attempt.forwarded)
            exchange.refused = attempt
            let lookup = first.first.lookup
            exchange.lookup = lookup
            let check = lookup.flatMap { _ in integrityCheck(of: request, isCached: true) }
            guard let result = first.take() else {
                preconditionFailure("a driver runs once")
            }
            // Consumed, because a result would keep its body, and with it the connection, during the loop.
            var outcome = await settled(attempt, consume result, check, lookup)
            exchange.record(attempt)
            if exchange.mayContinue(after: outcome) {
                outcome = await exchangeLoop(from: .exchanged(exchange, outcome))
            }
            return await loop(request, from: .attempted(request, outcome))
        }
        guard policies.callInterceptors.isEmpty, request.interceptors.isEmpty else {
            return await throughCallInterceptors(sending: request)
        }
        return await loop(request, from: .began)
    }

    /// Runs the loop for a request inside the interceptors with scope `.call`.
    func throughCallInterceptors(sending request: HTTPRequest) async -> CallState.Outcome {
        let around = interceptors(.call, of: request)
        guard !around.isEmpty else { return await loop(request, from: .began) }
        var request = request
        do {
            while true {
                let result = try await pass(
                    request,
                    currentContext(),
                    through: around[...],
                    retrying: request
                ) { request in
                    .response(try await self.loop(request, from: .began).get())
                }
                switch result {
                case .response(let response): return .success(response)
                case .retry(let retry):
                    let action = shared.withLock { shared in
                        shared.state.next(after: .retryGranted(retry))
                    }
                    let again = try await prepared(action, request)
                    // Update the state first, so that the interceptors see the new retry count.
                    shared.withLock { _ = $0.state.next(after: .retryPrepared) }
                    request = again
                }
            }
        } catch {
            return .failure(HTTPError(interceptor: error, request))
        }
    }

    /// Returns the interceptors of one scope, the outermost first.
    private func interceptors(
        _ scope: HTTPInterceptorScope,
        of request: HTTPRequest
    ) -> [any HTTPInterceptor] {
        let common = scope == .call ? policies.callInterceptors : policies.attemptInterceptors
        guard !request.interceptors.isEmpty else { return common }
        return common + request.interceptors.filter { $0.scope == scope }
    }

    // MARK: - The loop

    /// Makes attempts until there is an outcome to deliver.
    ///
    /// - Parameters:
    ///   - first: the request that a retry sends again.
    ///   - event: `.began`; `.attempted` if the first attempt was made without a driver.
    /// - Returns: the outcome to deliver.
    func loop(_ first: HTTPRequest, from event: CallState.Event) async -> CallState.Outcome {
        var request = first
        var event = event
        while true {
            let action = shared.withLock { $0.state.next(after: event) }
            switch action {
            case .attempt:
                if case .began = event { begin() }
                event = await attempted(request, retrying: request)
            case .chooseRedirect(let choose, let redirect, let next, let former, let response):
                event = await chosen(by: choose, redirect, next, from: former, after: response)
            case .follow(let redirect, let next, let response):
                await bufferRemainder(response)
                notify(.redirected(redirect))
                event = await attempted(next, retrying: request)
            case .judge(let outcome, let sent):
                let validators = validators(for: request)
                guard !validators.isEmpty || !policies.transformers.isEmpty else {
                    event = .accepted(outcome)
                    continue
                }
                let transformed = await transformed(outcome, sent)
                event = await judged(transformed, by: validators, sent, retrying: request)
            case .retry:
                do throws(HTTPError) {
                    request = try await prepared(action, request)
                    shared.withLock { [request] in $0.retried = request }
                    begin()
                    event = .retryPrepared
                } catch {
                    event = .rejected(error)
                }
            case .end(let outcome):
                return outcome
            }
        }
    }

    /// Answers challenges, and repeats a request whose status asks for that, until an attempt has an outcome.
    ///
    /// It runs inside the interceptors with scope `.attempt`.
    func exchangeLoop(from event: CallState.ExchangeEvent) async -> CallState.Outcome {
        var event = event
        while true {
            switch shared.withLock({ $0.state.next(after: event) }) {
            case .send(var exchange):
                let outcome = await exchanged(&exchange)
                event = .exchanged(exchange, outcome)
            case .repeat(let request, let response):
                event = await repeated(request, after: response)
            case .authenticate(let challenger, let exchange, let response):
                event = await authenticated(challenger, exchange, after: response)
            case .end(let outcome):
                switch event {
                case .exchanged, .repeated: reportFinalHead(of: outcome)
                case .answered, .unanswered: break
                }
                return outcome
            }
        }
    }

    /// Reports the head of a final response whose status asks for the request again.
    private func reportFinalHead(of outcome: CallState.Outcome) {
        guard case .success(let response) = outcome, outcome.repetition != nil else { return }
        transfer.observer?.headIsFinal(response.head)
    }

    private func begin() {
        shared.withLock { $0.begin = .now() }
    }

    /// Makes an attempt inside the interceptors with scope `.attempt`.
    private func attempted(
        _ sent: HTTPRequest,
        retrying request: HTTPRequest
    ) async -> CallState.Event {
        shared.withLock { $0.bodies = [:] }
        let around = interceptors(.attempt, of: request)
        guard !around.isEmpty else { return .attempted(sent, await answered(sent)) }
        do {
            let result = try await pass(
                sent,
                currentContext(),
                through: around[...],
                retrying: request
            ) { sent in
                await self.readShortRests()
                return .response(try await self.answered(sent).get())
            }
            switch result {
            case .response(let response): return .attempted(sent, intercepted: response)
            case .retry(let retry): return .retryGranted(retry)
            }
        } catch {
            return .attempted(sent, .failure(HTTPError(interceptor: error, sent)))
        }
    }

    /// Reads the short rests of the bodies that an interceptor has, before it gets another response.
    ///
    /// Their places in the queue, and usually their connections, are then free for it.
    private func readShortRests() async {
        let bodies = shared.withLock { Array($0.bodies.values) }
        for body in bodies { await body.readShortRest() }
    }

    /// Asks the caller's closure for the request that follows a redirect.
    private func chosen(
        by choose: CallState.ChooseRedirect,
        _ redirect: HTTPRedirect,
        _ next: HTTPRequest,
        from former: HTTPRequest,
        after response: HTTPResponse
    ) async -> CallState.Event {
        do {
            var chosen = try await choose(redirect, next)
            // The closure may return a new request, which has no record of the change of origin.
            if next.optionsBox?.settings.hasCrossedOrigin == true {
                chosen?.options.hasCrossedOrigin = true
            }
            return .redirectChosen(chosen, redirect, from: former, after: response)
        } catch let error as HTTPError {
            return .redirectFailed(error, from: former)
        } catch {
            let reason = HTTPError.RedirectReason.thrown(description: "\(error)")
            return .redirectFailed(
                response.error(.redirectFailed(reason), in: .validating)
                    .changed { $0.underlying = error },
                from: former
            )
        }
    }

    // MARK: - Judging

    /// Lets the transformers change a response.
    private func transformed(
        _ outcome: CallState.Outcome,
        _ request: HTTPRequest
    ) async -> CallState.Outcome {
        guard case .success(var response) = outcome else { return outcome }
        let received = response
        do {
            for transformer in policies.transformers {
                try await transformer.transform(&response, request)
            }
            return .success(response)
        } catch {
            return .failure(HTTPError(interceptor: error, request).keeping(received))
        }
    }

    /// Passes an outcome to the validators, one after the other.
    ///
    /// - Parameters:
    ///   - received: the outcome.
    ///   - validators: the validators, in order.
    ///   - sent: the request that was sent last, before interceptors.
    ///   - request: the request that a retry would send.
    /// - Returns: the event that follows from their verdicts.
    private func judged(
        _ received: CallState.Outcome,
        by validators: [any HTTPResponseValidator],
        _ sent: HTTPRequest,
        retrying request: HTTPRequest
    ) async -> CallState.Event {
        var outcome = received
        let context = currentContext()
        for validator in validators {
            let verdict: HTTPValidationResult
            do {
                verdict = try await validator.validate(outcome.result, of: sent, context)
            } catch {
                verdict = .fail(error)
            }
            switch verdict {
            case .accept: break
            case .replace(let response): outcome = .success(response)
            case .fail(let error):
                return .rejected(HTTPError(validator: error, outcome.result, sent))
            case .retry(let strategy, let otherwise):
                if let grant = grant(strategy, after: outcome, request) {
                    return .retryGranted(strategy, grant, after: outcome)
                }
                if let otherwise {
                    return .rejected(HTTPError(validator: otherwise, outcome.result, sent))
                }
            }
        }
        return .accepted(outcome)
    }

    /// Returns the validators of a request.
    ///
    /// If there are none and the request allows retries, it has the default validator.
    private func validators(for request: HTTPRequest) -> [any HTTPResponseValidator] {
        var all = policies.validators + request.validators
        if let retries = request.retries { all = retries.completing(all) }
        guard all.isEmpty, let retries = request.maxRetries, retries > 0 else { return all }
        return [HTTPDefaultValidator()]
    }

    // MARK: - Ending

    /// Replaces a response with an error if its body cannot be delivered.
    ///
    /// That is so if the body could not be decoded, or if it was streamed and another attempt has followed.
    func withoutLostBody(_ outcome: CallState.Outcome) -> CallState.Outcome {
        guard let serial = outcome.serial else { return outcome }
        let (error, isLost) = shared.withLock { shared in
            (shared.undecoded[serial], shared.bodies[serial] == nil)
        }
        if let error { return .failure(error) }
        guard isLost, outcome.isStreamed, case .success(let response) = outcome,
            response.storedBody == nil
        else { return outcome }
        let reason = "the body of its response was discarded when it sent another request"
        return .failure(response.error(.interceptorFailed(reason: reason), in: .validating))
    }

    /// Adds the side-effect flag of the call to an error.
    ///
    /// An error without metrics also gets the call's metrics and last response.
    func completed(_ error: HTTPError) -> HTTPError {
        let state = shared.withLock { $0.state }
        guard let past = state.metrics else { return error }
        let isBare = error.metrics.attempts.isEmpty
        return error.changed { info in
            info.mayHaveSideEffects = state.mayHaveSideEffects
            if isBare { info.metrics = past }
        }
        .keeping(isBare ? state.lastResponse : nil)
    }

    // MARK: - Observers

    /// Returns the state of the call, for interceptors, validators and observers.
    func currentContext() -> HTTPContext {
        var context = context
        shared.withLock { shared in
            context.begin = shared.begin
            context.retryCount = shared.state.retryCount
            context.redirects = shared.state.redirects
            context.hasCrossedOrigin = shared.state.hasCrossedOrigin
        }
        return context
    }

    func notify(_ step: @autoclosure () -> HTTPStep) {
        guard !policies.observers.isEmpty, isObserved else { return }
        policies.notify(step(), currentContext())
    }

    /// Notifies the observers of a step that happened while an attempt ran.
    func notifyLive(_ step: HTTPStep) {
        guard isObserved else { return }
        policies.notifyLive(step, currentContext())
    }
}

extension CallState.Event {
    /// Returns the event of a retry that an interceptor requested and the rules permitted.
    static func retryGranted(_ retry: HTTPInterceptorResult.Retry) -> CallState.Event {
        guard let grant = retry.grant else { preconditionFailure("the retry was permitted") }
        return .retryGranted(retry.strategy, grant, after: CallState.Outcome(retry.outcome))
    }
}

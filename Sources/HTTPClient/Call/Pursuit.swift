internal import SocketTransport
internal import Wire

/// Leads one call through what interceptors, redirects, validators and retries make of it.
///
/// The parts stand around each other: the interceptors of the call; in them the rounds, of which each
/// retry begins another; in a round the steps, of which each redirect is one; in a step the attempt,
/// with its interceptors around it.
final class Pursuit<Reply: PolicyReply>: Sendable {
    /// Makes one attempt.
    typealias PerformAttempt = @Sendable (Attempt) async -> Result<Reply, HTTPError>

    let client: HTTPClient
    let policies: Policies
    let attempt: PerformAttempt
    let planning: @Sendable (HTTPRequest) throws(HTTPError) -> Plan
    let state = Locked(State())

    struct State: Sendable {
        /// What the attempts so far have measured; nil before the first.
        var past: HTTPMetrics?
        /// When the whole call must be over.
        var totalDeadline = Deadline.never
        /// The retries so far, and the rules for another.
        var retryRules = RetryRules()
        /// How many attempts were begun.
        var exchanges = 0
        /// What the last exchange brought; nil when it failed.
        var last: HTTPResponse?
        /// Why the next attempt is made.
        var reason = HTTPMetrics.Attempt.Reason.first
        var serial: UInt32 = 0
        /// What may still be delivered of this step; who drops a streamed one leaves it unread.
        var replies: [UInt32: Reply] = [:]
        /// Why the body of a response could not be decoded; thrown when that response is delivered.
        var undecoded: [UInt32: HTTPError] = [:]
        /// An attempt that was made before anybody was asked.
        var beginning: Beginning?
    }

    /// Holds an attempt that was made before anybody was asked.
    struct Beginning: Sendable {
        let call: Attempt
        let result: Result<Reply, HTTPError>
        /// The call's, when observers were told already of what came before the result.
        var context: HTTPContext?
    }

    /// Prepares a call.
    ///
    /// - Parameters:
    ///   - client: whose policies count.
    ///   - planning: makes the plan of an attempt.
    ///   - attempt: carries it out.
    init(
        _ client: HTTPClient,
        planning: @escaping @Sendable (HTTPRequest) throws(HTTPError) -> Plan,
        attempt: @escaping PerformAttempt
    ) {
        self.client = client
        policies = client.policies
        self.planning = planning
        self.attempt = attempt
    }

    /// Carries the call out.
    ///
    /// - Parameters:
    ///   - request: what is asked.
    ///   - beginning: the first attempt, when it was made already.
    /// - Returns: what the policies made of what came.
    /// - Throws: what they made of a failure.
    func run(
        _ request: HTTPRequest,
        from beginning: Beginning? = nil
    ) async throws(HTTPError) -> Reply {
        // Whoever has a say sees where the request goes.
        var request = request
        request.target = .uri(
            try request.absoluteURL(below: client.configuration.settings.baseURL)
        )
        request.encodeBody(with: client.configuration.settings.coders)
        let total = beginning?.call.totalDeadline ?? totalDeadline(of: request)
        state.withLock { state in
            state.beginning = beginning
            state.totalDeadline = total
        }
        if beginning == nil { policies.depositRetries(by: request.retries ?? policies.retries) }
        let context = beginning?.context ?? HTTPContext(request, client)
        if beginning?.context == nil { notify(.began, context) }
        let outcome = await inTime(total) { [request] in
            await self.result(request, context)
        }
        let result = withoutLostBody(outcome, request).mapError(told)
        notify(.ended(result), context)
        let reply = deliver(try result.get())
        let observers = policies.observers
        if !observers.isEmpty {
            reply.onBodyEnd { metrics, error in
                for observer in observers { observer.observe(.streamed(metrics, error), context) }
            }
        }
        return reply
    }

    private func result(
        _ first: HTTPRequest,
        _ start: HTTPContext
    ) async -> Result<HTTPResponse, HTTPError> {
        var request = first
        var context = start
        let around =
            policies.callInterceptors + request.interceptors.filter { $0.scope == .call }
        do {
            while true {
                let current = context
                do {
                    return .success(
                        try await pass(request, request, current, through: around[...]) { request in
                            try await self.rounds(request, current)
                        }
                    )
                } catch let demand as RetryRequest {
                    try await prepare(demand, &request, &context)
                }
            }
        } catch {
            return .failure(HTTPError(interceptor: error, request))
        }
    }

    /// Puts into an error what the call knows and who made the error did not.
    private func told(_ error: HTTPError) -> HTTPError {
        let (past, last, mayHaveSideEffects) = state.withLock {
            ($0.past, $0.last, $0.retryRules.mayHaveSideEffects)
        }
        guard past != nil else { return error }
        let isBare = error.metrics.attempts.isEmpty
        return error.changed { info in
            info.mayHaveSideEffects = mayHaveSideEffects
            if isBare, let past { info.metrics = past }
        }
        .keeping(isBare ? last : nil)
    }

    /// Leads a request through interceptors.
    ///
    /// - Parameters:
    ///   - request: as those outside left it.
    ///   - first: what is sent again when one of them wants that.
    ///   - context: which call it is.
    ///   - list: the interceptors, the outermost first.
    ///   - end: what is inside of them all.
    /// - Returns: what comes out of them.
    /// - Throws: an ``HTTPError``; a ``RetryRequest``, which was permitted.
    func pass(
        _ request: HTTPRequest,
        _ first: HTTPRequest,
        _ context: HTTPContext,
        through list: ArraySlice<any HTTPInterceptor>,
        to end: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        guard let interceptor = list.first else { return try await end(request) }
        let rest = list.dropFirst()
        let next = HTTPNext { strategy, outcome in
            self.permit(strategy, after: outcome, first)
        } _: { request in
            try await self.pass(request, first, context, through: rest, to: end)
        }
        do {
            return try await interceptor.intercept(request, context, next: next)
        } catch let demand as RetryRequest {
            throw demand
        } catch {
            throw HTTPError(interceptor: error, request)
        }
    }

    // MARK: - Steps

    /// Sends a request and follows where it leads.
    ///
    /// - Parameters:
    ///   - request: becomes the one that was sent last, before interceptors.
    ///   - context: is told of each step.
    /// - Returns: what the last one brought.
    /// - Throws: as ``pass(_:_:_:through:to:)``, and what is wrong with a redirect.
    func steps(
        _ request: inout HTTPRequest,
        _ context: inout HTTPContext
    ) async throws -> HTTPResponse {
        let first = request
        let around =
            policies.attemptInterceptors + request.interceptors.filter { $0.scope == .attempt }
        while true {
            let current = context
            state.withLock { $0.replies = [:] }
            var response = try await pass(request, first, current, through: around[...]) {
                request in
                try await self.send(request, current)
            }
            response.redirects = context.redirects
            guard let next = try await redirected(request, by: response, &context) else {
                return response
            }
            request = next
            state.withLock { $0.reason = .redirect }
        }
    }

    /// Makes one attempt with the cookies and credentials that belong to it, and those that a 401 asks
    /// for besides.
    private func send(
        _ request: HTTPRequest,
        _ context: HTTPContext
    ) async throws(HTTPError) -> HTTPResponse {
        let common = client.configuration.settings.headers
        guard let (authentication, subject) = identity(of: request, context) else {
            return try await exchange(policies.withCookies(request, common), context)
        }
        let memory = policies.shared.authentication
        var proof = try await memory.preempt(authentication, subject)
        var answers = 0
        while true {
            // Anew each time: a challenge may come with a cookie that the answer needs.
            var proven = policies.withCookies(request, common)
            if let proof { proven.headers.append(.authorization, proof.value) }
            let response = try await exchange(proven, context)
            let sent = proof?.sent ?? .nothing
            memory.record(authentication, response.head, subject, sentWith: sent)
            if response.status == .unauthorized { await bufferRemainder(response) }
            let next = try await memory.answer(
                authentication,
                to: response.head,
                subject,
                sentWith: sent,
                attempts: answers
            )
            guard let next else { return response }
            guard request.body.isReplayable else {
                throw response.error(.bodyFailed(.notReplayable(.challenge)), in: .validating)
            }
            answers += 1
            proof = next
            state.withLock { state in
                state.replies[response.serial] = nil
                state.reason = .challenge
            }
        }
    }

    /// Finds who asks; nil when nobody said, or the request says so itself.
    private func identity(
        of request: HTTPRequest,
        _ context: HTTPContext
    ) -> (HTTPAuthentication, AuthenticationTarget)? {
        guard let authentication = request.authentication ?? policies.authentication,
            !request.says(.authorization, besides: client.configuration.settings.headers),
            case .uri(let url) = request.target,
            url.userinfo == nil, case .uri(let first) = context.originalRequest.target,
            let origin = url.origin, let start = first.origin
        else { return nil }
        var named = start
        if authentication.isLimitedToInitialOrigin {
            // Whoever led the call away would choose what is asked at home.
            guard request.optionsBox?.settings.hasCrossedOrigin != true else { return nil }
            if policies.redirects.sendsCredentialsCrossOrigin { named = origin }
        }
        let sent = request.body.encoded(with: client.configuration.settings.coders)
        var body: [UInt8]? = sent.bytes
        if case .source = sent.content { body = nil }
        let subject = AuthenticationTarget(
            url: url,
            initialOrigin: named,
            method: request.method,
            target: request.rawTarget ?? url.requestTarget,
            body: body
        )
        return subject.map { (authentication, $0) }
    }

    /// Makes one attempt.
    private func exchange(
        _ prepared: HTTPRequest,
        _ context: HTTPContext
    ) async throws(HTTPError) -> HTTPResponse {
        var request = prepared
        request.encodeBody(with: client.configuration.settings.coders)
        let isOneTooMany = state.withLock { state in
            state.exchanges += 1
            return state.exchanges > HTTPRetryOptions.maxRequests
        }
        guard !isOneTooMany else {
            let reason = "the call reached the limit of \(HTTPRetryOptions.maxRequests) requests"
            throw HTTPError(.interceptorFailed(reason: reason), phase: .validating)
                .naming(request.method, request.publicURL)
        }
        let beginning = takeBeginning()
        if beginning?.context == nil { notify(.prepared(request), context) }
        do throws(HTTPError) {
            let result: Result<Reply, HTTPError>
            let call: Attempt
            if let beginning {
                result = beginning.result
                call = beginning.call
            } else {
                let plan = try client.plan(request, by: planning)
                notify(.sending(plan.head), context)
                call = makeCall(plan)
                result = await attempt(call)
            }
            let response = try keep(result, of: call).get()
            if let jar = policies.cookies, response.headers.contains(.setCookie) {
                jar.store(response.headers, from: response.url)
            }
            notify(.received(response), context)
            return response
        } catch {
            notify(.failed(error), context)
            throw error
        }
    }

    private func takeBeginning() -> Beginning? {
        state.withLock { state in
            defer { state.beginning = nil }
            return state.beginning
        }
    }

    private func makeCall(_ plan: Plan) -> Attempt {
        let (past, total, reason) = state.withLock { state in
            // Whoever sends again without a reason of ours has one of his own.
            defer { state.reason = .retry }
            return (state.past, state.totalDeadline, state.reason)
        }
        guard let past else { return Attempt(plan, until: total) }
        return Attempt(plan, following: past, until: total, reason)
    }

    /// Keeps what an attempt came to, and gives what policies see of it.
    ///
    /// A redirect, a challenge or a 503 needs no body: policies see the response without it, and the
    /// error is thrown only when no other request follows.
    private func keep(
        _ attempted: Result<Reply, HTTPError>,
        of call: Attempt
    ) -> Result<HTTPResponse, HTTPError> {
        var result = attempted
        var fault: HTTPError?
        if case .failure(let error) = attempted, call.hasOnlyHead(error) {
            fault = error
            result = .success(Reply(buffered: call.response(), by: client))
        }
        return state.withLock { [result, fault] state in
            switch result {
            case .success(let reply):
                state.serial += 1
                var response = reply.response
                response.serial = state.serial
                state.retryRules.record(.response(response.method, response.status))
                state.replies[state.serial] = reply
                if let fault { state.undecoded[state.serial] = fault }
                state.past = response.metrics
                state.last = response
                return .success(response)
            case .failure(let error):
                state.retryRules.record(RetryRules.Outcome(.failure(error)))
                state.past = error.metrics
                state.last = nil
                return .failure(error)
            }
        }
    }

    /// Makes an error of a response whose body could not be decoded, or whose streamed body was given
    /// up for another attempt.
    private func withoutLostBody(
        _ outcome: Result<HTTPResponse, HTTPError>,
        _ request: HTTPRequest
    ) -> Result<HTTPResponse, HTTPError> {
        guard case .success(let response) = outcome else { return outcome }
        if let fault = state.withLock({ $0.undecoded[response.serial] }) { return .failure(fault) }
        guard response.isStreamed, state.withLock({ $0.replies[response.serial] == nil })
        else { return outcome }
        let reason = "the body of its response was discarded when it sent another request"
        return .failure(response.error(.interceptorFailed(reason: reason), in: .validating))
    }

    /// Makes the reply of what policies let pass.
    private func deliver(_ response: HTTPResponse) -> Reply {
        let reply = state.withLock { state in
            defer { state.replies = [:] }
            return state.replies[response.serial]
        }
        return reply?.delivering(response, by: client) ?? Reply(buffered: response, by: client)
    }

    /// Reads the streamed body of a response that another attempt may follow.
    ///
    /// It would keep its connection and its turn in a queue, which that attempt, or a refresh that goes
    /// before it, may be waiting for. A complete response has neither any more.
    func bufferRemainder(_ response: HTTPResponse) async {
        guard response.isStreamed,
            let reply = state.withLock({ $0.replies[response.serial] })
        else { return }
        await reply.bufferRemainder()
        state.withLock { $0.past = reply.response.metrics }
    }

    func notify(_ step: @autoclosure () -> HTTPStep, _ context: HTTPContext) {
        policies.notify(step(), context)
    }
}

extension Pursuit {
    /// When a call that begins now must be over.
    func totalDeadline(of request: HTTPRequest) -> Deadline {
        let common = client.configuration.settings.timeouts
        let total = (request.optionsBox?.settings.timeouts(of: common) ?? common).total
        return total.map { Deadline.now().advanced(by: $0) } ?? .never
    }

    /// Lets a call work until its total bound, then cancels it and waits for its end.
    ///
    /// An attempt ends at the bound by itself; this is for what stands around attempts: interceptors,
    /// validators, credentials and alternates, which the bound would else not reach.
    func inTime(
        _ deadline: Deadline,
        _ work: @escaping @Sendable () async -> Result<HTTPResponse, HTTPError>
    ) async -> Result<HTTPResponse, HTTPError> {
        guard deadline != .never else { return await work() }
        return await withTaskGroup { group in
            group.addTask { Optional(await work()) }
            group.addTask {
                let left = deadline.nanoseconds - Deadline.now().nanoseconds
                try? await Task.sleep(for: .nanoseconds(max(left, 0)))
                return nil
            }
            var isOver = false
            while let end = await group.next() {
                guard let end else {
                    // The wait ends early as well, when it is the caller who gives up.
                    isOver = !Task.isCancelled
                    group.cancelAll()
                    continue
                }
                group.cancelAll()
                return isOver ? end.mapError(\.asTimedOut) : end
            }
            return .failure(HTTPError(.timedOut(.total), phase: .validating))
        }
    }
}

extension HTTPError {
    /// The same, when it was the total bound that cancelled the call.
    fileprivate var asTimedOut: HTTPError {
        isCancellation ? changed { $0.kind = .timedOut(.total) } : self
    }
}

extension Pursuit {
    /// Sends a request, has its outcome judged, and sends it again as often as that is asked for and
    /// allowed.
    func rounds(_ first: HTTPRequest, _ start: HTTPContext) async throws -> HTTPResponse {
        var request = first
        var context = start
        while true {
            context.begin = .now()
            // As redirects made it.
            var sent = request
            var outcome: Result<HTTPResponse, HTTPError>
            do {
                outcome = .success(try await steps(&sent, &context))
            } catch let demand as RetryRequest {
                try await prepare(demand, &request, &context)
                continue
            } catch {
                outcome = .failure(HTTPError(interceptor: error, sent))
            }
            outcome = await transformed(outcome, sent)
            guard let demand = try await judge(&outcome, sent, request, context) else {
                return try outcome.get()
            }
            try await prepare(demand, &request, &context)
        }
    }

    private func transformed(
        _ outcome: Result<HTTPResponse, HTTPError>,
        _ request: HTTPRequest
    ) async -> Result<HTTPResponse, HTTPError> {
        guard case .success(var response) = outcome, !policies.transformers.isEmpty else {
            return outcome
        }
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

    /// Asks the validators.
    ///
    /// - Parameters:
    ///   - outcome: is changed by those who accept another.
    ///   - sent: what it is the outcome of.
    ///   - request: what would be sent again.
    ///   - context: which call it is.
    /// - Returns: what is to be done before the request is sent again; nil when it is not to be.
    /// - Throws: what a validator holds against the outcome.
    private func judge(
        _ outcome: inout Result<HTTPResponse, HTTPError>,
        _ sent: HTTPRequest,
        _ request: HTTPRequest,
        _ context: HTTPContext
    ) async throws -> RetryRequest? {
        for validator in validators(for: request) {
            let verdict: HTTPValidationResult
            do {
                verdict = try await validator.validate(outcome, of: sent, context)
            } catch {
                verdict = .fail(error)
            }
            switch verdict {
            case .accept: break
            case .replace(let response): outcome = .success(response)
            case .fail(let error): throw HTTPError(validator: error, outcome, sent)
            case .retry(let strategy, let otherwise):
                if let permit = permit(strategy, after: outcome, request) {
                    return RetryRequest(strategy: strategy, permit: permit, outcome: outcome)
                }
                if let otherwise { throw HTTPError(validator: otherwise, outcome, sent) }
            }
        }
        return nil
    }

    /// Who judges; who wants retries and does not say of what, gets those of the default validator.
    private func validators(for request: HTTPRequest) -> [any HTTPResponseValidator] {
        var all = policies.validators + request.validators
        if let retries = request.retries { all = retries.completing(all) }
        guard all.isEmpty, let retries = request.maxRetries, retries > 0 else { return all }
        return [HTTPDefaultValidator()]
    }
}

internal import SocketTransport
internal import Wire

// One attempt: the exchange, with the credentials and cookies that belong to it, and the answers to
// challenges.
extension CallDriver {
    /// Sends a request, and sends it again with the credentials that a 401 asks for.
    func answered(_ request: HTTPRequest) async -> CallState.Outcome {
        do throws(HTTPError) {
            guard let (authentication, subject) = authentication(for: request) else {
                return .success(try await exchange(core.withCookies(request)))
            }
            return .success(try await answered(request, authentication, subject))
        } catch {
            return .failure(error)
        }
    }

    private func answered(
        _ request: HTTPRequest,
        _ authentication: HTTPAuthentication,
        _ subject: AuthenticationTarget
    ) async throws(HTTPError) -> HTTPResponse {
        let memory = policies.shared.authentication
        var proof = try await memory.preempt(authentication, subject)
        var answers = 0
        while true {
            // Again for each request: a challenge may set a cookie that the answer needs.
            var proven = core.withCookies(request)
            if let proof { proven.headers.append(.authorization, proof.value) }
            let response = try await exchange(proven)
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
            shared.withLock { shared in
                shared.bodies[response.serial] = nil
                shared.state.answerChallenge()
            }
        }
    }

    /// Returns the authentication of a request and the target that the credentials are computed for.
    ///
    /// - Returns: nil if there is none, or if the request has its own Authorization.
    private func authentication(
        for request: HTTPRequest
    ) -> (HTTPAuthentication, AuthenticationTarget)? {
        guard let authentication = request.authentication ?? policies.authentication,
            !request.sets(.authorization, orClient: core.configuration.settings.headers),
            case .uri(let url) = request.target, url.userinfo == nil,
            case .uri(let initial) = self.request.target,
            let origin = url.origin, let start = initial.origin
        else { return nil }
        var initialOrigin = start
        if authentication.isLimitedToInitialOrigin {
            // Otherwise a server that redirects would choose the requests that carry credentials.
            guard request.optionsBox?.settings.hasCrossedOrigin != true else { return nil }
            if policies.redirects.sendsCredentialsCrossOrigin { initialOrigin = origin }
        }
        let sent = request.body.encoded(with: core.configuration.settings.coders)
        var body: [UInt8]? = sent.bytes
        if case .source = sent.content { body = nil }
        let subject = AuthenticationTarget(
            url: url,
            initialOrigin: initialOrigin,
            method: request.method,
            target: request.rawTarget ?? url.requestTarget,
            body: body
        )
        return subject.map { (authentication, $0) }
    }

    // MARK: - One exchange

    /// Sends a request once.
    private func exchange(_ prepared: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
        var request = prepared
        request.encodeBody(with: core.configuration.settings.coders)
        guard shared.withLock({ $0.state.beginRequest() }) else {
            let reason = "the call reached the limit of \(HTTPRetryOptions.maxRequests) requests"
            throw HTTPError(.interceptorFailed(reason: reason), phase: .validating)
                .naming(request.method, request.publicURL)
        }
        notify(.prepared(request))
        let attempt: Attempt
        do throws(HTTPError) {
            let plan = try core.plan(request, by: transfer.planning)
            notify(.sending(plan.head))
            attempt = makeAttempt(plan)
        } catch {
            notify(.failed(error))
            throw error
        }
        return try settle(attempt, await transfer.run(attempt, of: core)).get()
    }

    private func makeAttempt(_ plan: Plan) -> Attempt {
        let (past, deadline, reason) = shared.withLock { shared in
            (shared.state.metrics, shared.state.deadline, shared.state.takeReason())
        }
        guard let past else { return Attempt(plan, until: deadline) }
        return Attempt(plan, following: past, until: deadline, reason)
    }

    /// Records the result of an attempt, stores its cookies, and notifies the observers.
    ///
    /// A redirect, a challenge or a 503 needs no body: if only its body cannot be decoded, the outcome is
    /// the response without it. The error is thrown only if no other request follows.
    func settle(
        _ attempt: Attempt,
        _ result: Result<StreamingBody?, HTTPError>
    ) -> CallState.Outcome {
        let received: HTTPResponse
        var fault: HTTPError?
        var body: StreamingBody?
        switch result {
        case .success(let streamed):
            body = streamed
            received = streamed.map { HTTPResponse(streaming: $0) } ?? attempt.response()
        case .failure(let error) where attempt.hasOnlyHead(error):
            fault = error
            received = attempt.response()
        case .failure(let error):
            shared.withLock { $0.state.record(error) }
            notify(.failed(error))
            return .failure(error)
        }
        let response = shared.withLock { [fault, body] shared in
            let response = shared.state.record(received)
            if let fault { shared.undecoded[response.serial] = fault }
            if let body { shared.bodies[response.serial] = body }
            return response
        }
        if let jar = policies.cookies, response.headers.contains(.setCookie) {
            jar.store(response.headers, from: response.url)
        }
        notify(.received(response))
        return .success(response)
    }

    /// Reads the short rest of a streamed body before another attempt.
    ///
    /// An unread body holds its connection and its queue permit. The next attempt, or a token request
    /// before it, may need them and would wait in vain.
    func bufferRemainder(_ response: HTTPResponse) async {
        guard response.isStreamed,
            let body = shared.withLock({ $0.bodies[response.serial] })
        else { return }
        await body.readShortRest()
        shared.withLock { $0.state.record(body.metrics) }
    }
}

extension HTTPResponse {
    /// Creates the view that policies have of a response whose body is streamed: it has no body.
    init(streaming source: StreamingBody) {
        self.init(
            head: source.head,
            body: [],
            url: source.attempt.plan.url,
            method: source.attempt.plan.head.method,
            informational: source.informational,
            proxyHeads: source.proxyHeads,
            metrics: source.metrics,
            coders: source.attempt.plan.coders
        )
        isStreamed = true
    }
}

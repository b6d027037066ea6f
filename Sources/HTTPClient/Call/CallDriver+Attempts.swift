internal import SocketTransport
internal import Wire

// One attempt: its exchanges, with the credentials and cookies that belong to them.
extension CallDriver {
    /// Sends a request, and sends it again with the credentials that a 401 or a 407 requires.
    ///
    /// It also sends the request again if the status asks for that (``StatusRepetition``).
    func answered(_ uncompressed: HTTPRequest) async -> CallState.Outcome {
        let compresses = uncompressed.mayCompress(core.configuration.settings.headers)
        var exchange = CallState.Exchange(compresses ? compressed(uncompressed) : uncompressed)
        let outcome = await begun(&exchange)
        // Few responses are challenges.
        guard exchange.mayContinue(after: outcome) else { return outcome }
        return await exchangeLoop(from: .exchanged(exchange, outcome))
    }

    /// Sends a request again whose response asks for that.
    func repeated(
        _ request: HTTPRequest,
        after response: HTTPResponse
    ) async -> CallState.ExchangeEvent {
        let hasEnded = await bufferRemainder(response)
        // The next exchange may need the connection of a body that has not ended.
        if !hasEnded { shared.withLock { $0.bodies[response.serial] = nil } }
        var exchange = CallState.Exchange(request)
        let outcome = await begun(&exchange)
        if case .success = outcome { shared.withLock { $0.bodies[response.serial] = nil } }
        return .repeated(exchange, outcome, after: hasEnded ? response : nil)
    }

    /// Sends the request of an exchange for the first time, with the credentials that the client has for it.
    private func begun(_ exchange: inout CallState.Exchange) async -> CallState.Outcome {
        if let authentication = exchange.request.authentication ?? policies.authentication {
            do throws(HTTPError) {
                exchange.origin = try await originCredentials(
                    authentication,
                    for: exchange.request
                )
            } catch {
                return .failure(error)
            }
        }
        return await exchanged(&exchange)
    }

    /// Returns the request with the body that is sent, compressed if that makes it shorter.
    private func compressed(_ request: HTTPRequest) -> HTTPRequest {
        var request = request
        request.encodeBody(with: core.configuration.settings.coders)
        return request.compressingBody { bytes in
            // Retries and redirects send the same bytes again.
            if let known = shared.withLock({ $0.compressed }), known.input == bytes {
                return known.output
            }
            let output = Deflater.gzip(bytes)
            shared.withLock { $0.compressed = CompressedBytes(input: bytes, output: output) }
            return output
        }
    }

    /// A body in memory and its gzip form.
    struct CompressedBytes: Sendable {
        let input: [UInt8]
        let output: [UInt8]?
    }

    /// Looks for the credentials that answer a challenge.
    func authenticated(
        _ challenger: CallState.Challenger,
        _ refused: CallState.Exchange,
        after response: HTTPResponse
    ) async -> CallState.ExchangeEvent {
        var exchange = refused
        await bufferRemainder(response)
        switch challenger {
        case .origin:
            exchange.refused = nil
            guard let credentials = exchange.origin else { return .unanswered(response) }
            do throws(HTTPError) {
                exchange.origin?.header = try await policies.shared.authentication.answer(
                    credentials.authentication,
                    to: response.head,
                    credentials.target,
                    sentWith: credentials.header?.sent ?? .nothing
                )
            } catch {
                return .exchanged(refused, .failure(error))
            }
            guard exchange.origin?.header != nil else { return .unanswered(response) }
        case .proxy:
            guard let next = exchange.proxy?.answering(response.head) else {
                received(response)
                transfer.observer?.headIsFinal(response.head)
                return .unanswered(response)
            }
            exchange.proxy = next
            exchange.proxyHeads = response.proxyHeads + [response.head]
        }
        shared.withLock { $0.bodies[response.serial] = nil }
        return .answered(exchange, challenger, after: response)
    }

    /// Returns the credentials of a request for its origin, with the value to send before a challenge.
    ///
    /// - Returns: nil if there are none, or if the request has its own Authorization.
    /// - Throws: the errors of ``AuthenticationCache/preempt(_:_:)``.
    private func originCredentials(
        _ authentication: HTTPAuthentication,
        for request: HTTPRequest
    ) async throws(HTTPError) -> CallState.OriginCredentials? {
        guard !request.sets(.authorization, orClient: core.configuration.settings.headers),
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
        let target = AuthenticationTarget(
            url: url,
            initialOrigin: initialOrigin,
            method: request.method,
            target: request.rawTarget ?? url.requestTarget,
            body: body
        )
        guard let target else { return nil }
        var credentials = CallState.OriginCredentials(authentication, target)
        credentials.header = try await policies.shared.authentication
            .preempt(authentication, target)
        return credentials
    }

    // MARK: - One exchange

    /// Sends a request once, with its credentials, unless the cache answers it.
    func exchanged(_ exchange: inout CallState.Exchange) async -> CallState.Outcome {
        guard let cache = policies.cache else { return await sent(&exchange) }
        return await exchanged(&exchange, through: cache)
    }

    /// Sends a request once, with its credentials.
    func sent(_ exchange: inout CallState.Exchange) async -> CallState.Outcome {
        let attempt: RequestAttempt
        let check = integrityCheck(of: exchange.request, isCached: exchange.lookup != nil)
        do throws(HTTPError) {
            attempt = try makeAttempt(exchange, check)
        } catch {
            return .failure(error)
        }
        if let progress {
            attempt.progress = progress
            // A call that can be paused has a reporter.
            if let gate = transfer.observer?.gate {
                attempt.limits.pacing = TransferPacing(attempt.plan.limiters, gate)
            }
        }
        let steps = observeSteps(of: attempt)
        let result = await transfer.run(attempt, of: core)
        // The caller owns a collected attempt now. A streamed one still belongs to the loop.
        if let progress, !transfer.isStreamed { progress.recordEnd(of: attempt) }
        await steps?.finish()
        // Most calls have no cache, and do not pay for an async call.
        let outcome =
            exchange.lookup == nil
            ? settle(attempt, result, check)
            : await settled(attempt, result, check, exchange.lookup)
        exchange.proxy = attempt.forwarded
        exchange.refused = attempt.forwarded == nil ? nil : attempt
        exchange.record(attempt)
        if let credentials = exchange.origin, case .success(let response) = outcome {
            policies.shared.authentication.record(
                credentials.authentication,
                response.head,
                credentials.target,
                sentWith: credentials.header?.sent ?? .nothing
            )
        }
        return outcome
    }

    /// Passes the steps of an attempt to the client's observers, and its 1xx responses to the request's closure.
    private func observeSteps(of attempt: RequestAttempt) -> LiveSteps? {
        let handler = request.onInformational
        guard handler != nil || policies.hasObservers, isObserved else { return nil }
        return attempt.onStep(watchesPhases: !policies.phaseObservers.isEmpty) { step in
            self.notifyLive(step)
            if case .informational(let head) = step { handler?(head) }
        }
    }

    /// Returns the verification of digests for a request; nil if there is none.
    func integrityCheck(of request: HTTPRequest, isCached: Bool) -> IntegrityCheck? {
        // The plan of a download does not decode.
        let decompression =
            transfer.planning == nil ? core.configuration.settings.decompression : .off
        if isCached {
            return IntegrityCheck(
                cachedCall: request,
                core.configuration.settings.digestVerification,
                decompression
            )
        }
        return IntegrityCheck(
            request,
            core.configuration.settings.digestVerification,
            decompression
        )
    }

    private func makeAttempt(
        _ exchange: CallState.Exchange,
        _ check: IntegrityCheck?
    ) throws(HTTPError) -> RequestAttempt {
        guard shared.withLock({ $0.state.beginRequest() }) else {
            let reason = "the call reached the limit of \(HTTPRetryOptions.maxRequests) requests"
            throw HTTPError(.interceptorFailed(reason: reason), phase: .validating)
                .naming(exchange.request.method, exchange.request.publicURL)
        }
        if let refused = exchange.refused, let forwarded = exchange.proxy {
            return repeated(refused, as: forwarded, after: exchange.proxyHeads)
        }
        var request = completed(exchange, check)
        exchange.lookup?.addFields(to: &request)
        notify(.prepared(request))
        do throws(HTTPError) {
            var plan = try core.plan(request, by: transfer.planning)
            // The check needs the body as received, and decodes it.
            if check != nil { plan.decompression = .off }
            notify(.sending(plan.head))
            return makeAttempt(plan)
        } catch {
            notify(.failed(error))
            throw error
        }
    }

    /// Returns the request of an exchange with the fields that are sent.
    func completed(_ exchange: CallState.Exchange, _ check: IntegrityCheck?) -> HTTPRequest {
        // Add the cookies for each exchange, because a challenge may set one that the answer needs.
        var request = exchange.request
        core.addCookies(to: &request)
        if let header = exchange.origin?.header {
            request.headers.append(.authorization, header.value)
        }
        check?.addFields(to: &request, core.configuration.settings.headers)
        request.encodeBody(with: core.configuration.settings.coders)
        return request
    }

    // Inlined, because a call would copy the plan.
    @inline(__always)
    private func makeAttempt(_ plan: Plan) -> RequestAttempt {
        let (past, deadline, reason) = shared.withLock { shared in
            (shared.state.metrics, shared.state.deadline, shared.state.takeReason())
        }
        if let past { return RequestAttempt(plan, following: past, until: deadline, reason) }
        // The first attempt of a driver that continues a call has a reason.
        guard reason == .first else {
            return RequestAttempt(plan, following: HTTPMetrics(), until: deadline, reason)
        }
        return RequestAttempt(plan, until: deadline)
    }

    /// Makes an attempt that sends the same request with other credentials for the proxy.
    ///
    /// The observers are not notified again, because the origin has not received the refused request.
    private func repeated(
        _ refused: RequestAttempt,
        as forwarded: ForwardedRequest,
        after proxyHeads: [ResponseHead]
    ) -> RequestAttempt {
        let (past, reason) = shared.withLock { ($0.state.metrics, $0.state.takeReason()) }
        return RequestAttempt(
            repeating: refused,
            as: forwarded,
            following: past ?? HTTPMetrics(),
            proxyHeads: proxyHeads,
            reason
        )
    }

    /// Records the result of an attempt, stores its cookies, and notifies the observers.
    ///
    /// A redirect, a challenge or a 503 needs no body: if only its body cannot be decoded, the outcome is
    /// the response without it. The error is thrown only if no other request follows.
    func settle(
        _ attempt: RequestAttempt,
        _ result: Result<StreamingBody?, HTTPError>,
        _ check: IntegrityCheck? = nil,
        _ lookup: HTTPCache.Lookup? = nil
    ) -> CallState.Outcome {
        var arrived: HTTPResponse
        var decodingError: HTTPError?
        var body: StreamingBody?
        let recording = lookup.flatMap { self.recording(of: attempt, to: $0) }
        let stages = check?.stages(for: attempt, recording?.recording) ?? []
        switch completed(attempt, result, by: stages) {
        case .success(let streamed):
            body = streamed
            arrived = streamed.map { HTTPResponse(streaming: $0) } ?? attempt.response()
            if streamed != nil { arrived.bodyStages = stages }
        case .failure(let error) where attempt.hasOnlyHead(error):
            decodingError = error
            arrived = attempt.response()
        case .failure(let error):
            shared.withLock { $0.state.record(.failure(error)) }
            notify(.failed(error))
            return .failure(error)
        }
        if let (recording, status) = recording {
            // A streamed body is stored as it is read.
            let hasFailed = body == nil && recording?.isStored == false
            arrived.cacheStatus = hasFailed ? status.refused(because: "store") : status
        }
        let serial = shared.withLock { [decodingError, body] shared in
            let serial = shared.state.nextSerial()
            if let decodingError { shared.undecoded[serial] = decodingError }
            if let body { shared.bodies[serial] = body }
            return serial
        }
        arrived.serial = serial
        // Observers are notified of a proxy's challenge, and its cookies are stored, only if it is final.
        if arrived.status != .proxyAuthenticationRequired || attempt.forwarded == nil {
            received(arrived)
        }
        if let challenge = HTTPStep.Challenge(arrived.head) { notify(.challenged(challenge)) }
        let known = RetryRules.Outcome(arrived)
        // Consumed, because a copy of the response is expensive.
        let outcome = CallState.Outcome.success(consume arrived)
        shared.withLock { $0.state.record(outcome, as: known) }
        return outcome
    }

    /// Verifies and decodes a collected body; that of a streamed one happens as it is read.
    private func completed(
        _ attempt: RequestAttempt,
        _ result: Result<StreamingBody?, HTTPError>,
        by stages: [BodyStageFactory]
    ) -> Result<StreamingBody?, HTTPError> {
        guard !stages.isEmpty, case .success(nil) = result else { return result }
        attempt.progress?.enter(.verifying)
        do throws(HTTPError) {
            try attempt.complete(by: stages)
            return result
        } catch {
            return .failure(error)
        }
    }

    /// Stores the cookies of a response, and notifies the observers.
    private func received(_ response: HTTPResponse) {
        if let jar = policies.cookies, response.headers.contains(.setCookie) {
            jar.store(response.headers, from: response.url)
        }
        notify(.received(response))
    }

    /// Reads the rest of a streamed body before another attempt, if it is short.
    ///
    /// An unread body holds its connection and its queue permit. The next attempt, or a token request
    /// before it, may need them and would wait until a timeout.
    ///
    /// - Returns: whether the body has ended; false if it still has its connection.
    @discardableResult func bufferRemainder(_ response: HTTPResponse) async -> Bool {
        guard response.isStreamed,
            let body = shared.withLock({ $0.bodies[response.serial] })
        else { return true }
        let hasEnded = await body.readShortRest()
        shared.withLock { $0.state.record(body.metrics) }
        return hasEnded
    }
}

extension CallState.Exchange {
    /// Records what decides whether the request may be repeated.
    mutating func record(_ attempt: RequestAttempt) {
        expectsContinue = attempt.plan.head.expectsContinue
        isDedicated = attempt.lease != nil
    }
}

extension HTTPResponse {
    /// Creates the response that policies get if the body is streamed; it has no body.
    init(streaming source: StreamingBody) {
        self.init(
            head: source.head,
            body: [],
            url: source.attempt.plan.url,
            request: source.attempt.plan.head,
            informational: source.informational,
            proxyHeads: source.proxyHeads,
            metrics: source.metrics,
            coders: source.attempt.plan.shared.coders
        )
        isStreamed = true
    }
}

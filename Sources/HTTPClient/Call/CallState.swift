package import SocketTransport
internal import Wire

// To change another reaction to a response or an error than those of the policies, change this file. `CallStateTests`
// needs no socket.

/// The state of one call: the requests that were sent, their outcomes, and the next action.
///
/// It has no clock, no randomness and no I/O. The driver reports what happened (``Event``) and does what
/// the state returns (``Action``). Within an attempt, it reports exchanges (``ExchangeEvent``), and the state answers
/// challenges and statuses such as 421 (``ExchangeAction``).
package struct CallState: Sendable {
    /// The outcome of one or more attempts.
    ///
    /// A response is on the heap, because it passes through every step of the driver and is expensive to copy.
    package enum Outcome: Sendable {
        indirect case success(HTTPResponse)
        case failure(HTTPError)

        package init(_ result: Result<HTTPResponse, HTTPError>) {
            switch result {
            case .success(let response): self = .success(response)
            case .failure(let error): self = .failure(error)
            }
        }

        /// The outcome as a `Result`, as in the public API.
        package var result: Result<HTTPResponse, HTTPError> {
            switch self {
            case .success(let response): .success(response)
            case .failure(let error): .failure(error)
            }
        }

        // Each of these properties reads one trivial part of the response. To read more, the compiler copies all of it.

        /// The status; nil for an error.
        fileprivate var status: HTTPStatus? {
            if case .success(let response) = self { response.status } else { nil }
        }

        /// The number of the response; nil for an error.
        var serial: UInt32? {
            if case .success(let response) = self { response.serial } else { nil }
        }

        /// Whether there is a response whose body is streamed.
        var isStreamed: Bool {
            if case .success(let response) = self { response.isStreamed } else { false }
        }

        /// The reason why the server asks for the same request again; nil if it does not.
        var repetition: StatusRepetition.Cause? { status.flatMap { .init($0) } }

        func get() throws(HTTPError) -> HTTPResponse {
            switch self {
            case .success(let response): return response
            case .failure(let error): throw error
            }
        }
    }

    package typealias ChooseRedirect =
        @Sendable (HTTPRedirect, HTTPRequest) async throws -> HTTPRequest?

    /// An event within an attempt.
    ///
    /// Large values are on the heap, because the driver passes events on.
    package indirect enum ExchangeEvent: Sendable {
        /// An exchange ended.
        case exchanged(Exchange, Outcome)
        /// An exchange that repeats a request ended. The response is the one whose status asked for it; nil if
        /// its connection was closed before its body ended.
        case repeated(Exchange, Outcome, after: HTTPResponse?)
        /// The client has credentials that answer a challenge; the exchange contains them.
        case answered(Exchange, Challenger, after: HTTPResponse)
        /// The client has no credentials that answer a challenge.
        case unanswered(HTTPResponse)
    }

    /// The next action of the driver within an attempt.
    package enum ExchangeAction: Sendable {
        /// Sends the request of the exchange again, with its credentials.
        indirect case send(Exchange)
        /// Sends a request again, because the status of its response asks for that.
        indirect case `repeat`(HTTPRequest, after: HTTPResponse)
        /// Looks for credentials that answer a challenge.
        indirect case authenticate(Challenger, Exchange, after: HTTPResponse)
        /// Delivers the outcome of the attempt to its interceptors.
        case end(Outcome)
    }

    /// An event in a call.
    package enum Event: Sendable {
        /// The call began.
        case began
        /// An attempt at this request ended. Its interceptors have run, and its challenges were answered.
        indirect case attempted(HTTPRequest, Outcome)
        /// The caller's closure chose the request that follows a redirect; nil means that the response is final.
        indirect case redirectChosen(
            HTTPRequest?,
            HTTPRedirect,
            from: HTTPRequest,
            after: HTTPResponse
        )
        /// A redirect of this request cannot be followed.
        indirect case redirectFailed(HTTPError, from: HTTPRequest)
        /// The validators accept the outcome.
        case accepted(Outcome)
        /// The call fails with this error, regardless of the outcome.
        case rejected(HTTPError)
        /// A validator or an interceptor asked for a retry, and ``grant(_:after:retryAfter:for:now:random:)``
        /// permitted it.
        case retryGranted(HTTPRetryOptions.Strategy, RetryGrant, after: Outcome)
        /// The delay before a retry is over, and its request is ready.
        case retryPrepared
    }

    /// The next action of the driver.
    package enum Action: Sendable {
        /// Makes an attempt at the caller's request, with the changes of the last retry, through the
        /// interceptors with scope `.attempt`.
        case attempt
        /// Asks the caller's closure which request follows a redirect.
        indirect case chooseRedirect(
            ChooseRedirect,
            HTTPRedirect,
            HTTPRequest,
            from: HTTPRequest,
            after: HTTPResponse
        )
        /// Discards the response of a redirect, then makes an attempt at the request.
        indirect case follow(HTTPRedirect, HTTPRequest, after: HTTPResponse)
        /// Passes the outcome of the request to the transformers and the validators.
        indirect case judge(Outcome, of: HTTPRequest)
        /// Waits, and prepares the request for a retry; the number counts retries from 1.
        case retry(Int, HTTPRetryOptions.Strategy, RetryGrant, after: Outcome)
        /// Delivers the outcome of the call.
        case end(Outcome)
    }

    /// A server that can require credentials.
    package enum Challenger: Sendable, Hashable {
        /// The origin, with a 401.
        case origin
        /// The proxy that forwards the request, with a 407.
        case proxy
    }

    /// One exchange: a request with the client's credentials.
    package struct Exchange: Sendable {
        /// The request, without credentials and cookies.
        package let request: HTTPRequest
        /// The credentials for the origin; nil if the client has none.
        var origin: OriginCredentials?
        /// The request with the credentials for the proxy; nil if the client has none, or before it was sent.
        var proxy: ForwardedRequest?
        /// The attempt that the proxy refused; nil if the request is planned again.
        var refused: RequestAttempt?
        /// Whether the request was sent with `Expect: 100-continue`.
        package var expectsContinue = false
        /// What the cache knows about the request; nil if it takes no part.
        var lookup: HTTPCache.Lookup?
        /// Whether the connection belongs to the caller, so that no other one may be used.
        package var isDedicated = false
        /// The earlier responses of the proxy to this request.
        var proxyHeads: [ResponseHead] = []

        package init(
            _ request: HTTPRequest,
            origin: OriginCredentials? = nil,
            proxy: ForwardedRequest? = nil
        ) {
            self.request = request
            self.origin = origin
            self.proxy = proxy
        }

        /// Returns the server whose challenge the client may be able to answer; nil if there is none.
        package func challenger(in outcome: Outcome) -> Challenger? {
            guard case .success(let response) = outcome else { return nil }
            switch response.status {
            case .unauthorized: return origin == nil ? nil : .origin
            case .proxyAuthenticationRequired: return proxy == nil ? nil : .proxy
            default: return nil
            }
        }

        /// Returns whether another exchange may follow: an answer to a challenge, or a repetition.
        func mayContinue(after outcome: Outcome) -> Bool {
            challenger(in: outcome) != nil || !isDedicated && outcome.repetition != nil
        }
    }

    /// The credentials of a request for its origin.
    package struct OriginCredentials: Sendable {
        let authentication: HTTPAuthentication
        let target: AuthenticationTarget
        /// The Authorization value of the request; nil if it is sent without one.
        var header: AuthorizationHeader?

        package init(_ authentication: HTTPAuthentication, _ target: AuthenticationTarget) {
            self.authentication = authentication
            self.target = target
        }
    }

    /// The options of the client.
    ///
    /// A class, because each call has a state: copying the options would retain each of their parts.
    package final class Options: Sendable {
        /// Those for redirects; a request may have its own mode.
        let redirects: HTTPRedirectOptions
        /// Those for retries; a request may have its own.
        let retries: HTTPRetryOptions

        package init(redirects: HTTPRedirectOptions, retries: HTTPRetryOptions) {
            self.redirects = redirects
            self.retries = retries
        }
    }

    let options: Options
    /// The total deadline of the call.
    let deadline: Deadline

    /// The redirects since the last retry, in order.
    package private(set) var redirects: [HTTPRedirect] = []
    /// Whether one of the redirects led to another origin.
    package private(set) var hasCrossedOrigin = false
    /// The number of retries that have begun; a retry begins when its delay is over.
    package private(set) var retryCount = 0
    /// The outcome of the last attempt; nil before the first has ended.
    private var last: Outcome?
    /// The metrics of the last response after more of its body was read; nil if it was not.
    private var laterMetrics: HTTPMetrics?
    /// The number of responses so far.
    package private(set) var responses: UInt32 = 0
    private var reason = HTTPMetrics.Attempt.Reason.first
    private var requests = 0
    private var rules = RetryRules()
    private var repetitions = StatusRepetition()

    package init(_ options: Options, until deadline: Deadline) {
        self.options = options
        self.deadline = deadline
    }

    /// The metrics of the attempts so far; nil before the first has ended.
    package var metrics: HTTPMetrics? {
        if let laterMetrics { return laterMetrics }
        return switch last {
        case .success(let response): response.metrics
        case .failure(let error): error.metrics
        case nil: nil
        }
    }

    /// The response of the last attempt; nil if it failed.
    package var lastResponse: HTTPResponse? {
        if case .success(let response) = last { response } else { nil }
    }

    /// Whether an attempt may have had a side effect that must not happen twice.
    package var mayHaveSideEffects: Bool { rules.mayHaveSideEffects }

    /// Records that a lost body has brought new bytes of a file; see ``RetryRules/recordProgress()``.
    package mutating func recordProgress() { rules.recordProgress() }

    // MARK: - Decisions

    /// Returns what to do after an event within an attempt.
    package mutating func next(after event: ExchangeEvent) -> ExchangeAction {
        switch event {
        case .exchanged(let exchange, let outcome):
            guard case .success(let response) = outcome else { return .end(outcome) }
            guard let challenger = exchange.challenger(in: outcome) else {
                return afterExchange(exchange, response)
            }
            return .authenticate(challenger, exchange, after: response)
        case .repeated(_, .failure(let error), after: var response?) where error.isConnectFailure:
            // The second request was not sent, so the response to the first one is the result.
            let cacheStatus = response.cacheStatus
            response.metrics = error.metrics
            if cacheStatus != nil { response.cacheStatus = cacheStatus }
            record(.success(response))
            return .end(.success(response))
        case .repeated(let exchange, let outcome, _):
            return next(after: ExchangeEvent.exchanged(exchange, outcome))
        case .answered(let exchange, let challenger, let response):
            return answer(challenger, exchange, after: response)
        case .unanswered(let response):
            return .end(.success(response))
        }
    }

    /// Returns what to do after an event of the call.
    package mutating func next(after event: Event) -> Action {
        switch event {
        case .began:
            return .attempt
        case .attempted(let request, let outcome):
            return afterAttempt(outcome, at: request)
        case .redirectChosen(let request?, let redirect, let former, let response):
            return follow(redirect, request, after: response, to: former)
        case .redirectChosen(nil, _, let former, let response):
            return .judge(.success(response), of: former)
        case .redirectFailed(let error, let former):
            return .judge(.failure(error), of: former)
        case .accepted(let outcome):
            return .end(outcome)
        case .rejected(let error):
            return .end(.failure(error))
        case .retryGranted(let strategy, let grant, let outcome):
            return .retry(rules.beginRetry(), strategy, grant, after: outcome)
        case .retryPrepared:
            retryCount = rules.retries
            redirects = []
            hasCrossedOrigin = false
            reason = .retry
            return .attempt
        }
    }

    /// Repeats an exchange if its status asks for that.
    private mutating func afterExchange(
        _ exchange: Exchange,
        _ response: HTTPResponse
    ) -> ExchangeAction {
        guard !exchange.isDedicated, let cause = StatusRepetition.Cause(response.status),
            let request = repetitions.request(
                after: cause,
                to: exchange.request,
                expectsContinue: exchange.expectsContinue
            )
        else { return .end(.success(response)) }
        reason = cause.reason
        return .repeat(request, after: response)
    }

    /// Repeats an exchange with credentials that answer a challenge.
    private mutating func answer(
        _ challenger: Challenger,
        _ exchange: Exchange,
        after response: HTTPResponse
    ) -> ExchangeAction {
        let reason: HTTPMetrics.Attempt.Reason =
            challenger == .origin ? .challenge : .proxyChallenge
        // If the server sent the challenge before it requested the body, even a body that can be sent only
        // once is still available.
        guard exchange.request.body.isReadyToSend else {
            return .end(
                .failure(response.error(.bodyFailed(.notReplayable(reason)), in: .validating))
            )
        }
        if challenger == .proxy, var past = metrics {
            past.recordProxyChallenge()
            laterMetrics = past
        }
        self.reason = reason
        return .send(exchange)
    }

    /// Decides whether an outcome leads to another request.
    private mutating func afterAttempt(_ outcome: Outcome, at request: HTTPRequest) -> Action {
        guard let status = outcome.status else { return .judge(outcome, of: request) }
        let mayFollow = options.redirects.mayFollow(status)
        if !mayFollow, redirects.isEmpty { return .judge(outcome, of: request) }
        return afterResponse(outcome, to: request, mayFollow: mayFollow)
    }

    /// Decides whether a response leads to another request (RFC 9110 §15.4).
    ///
    /// Not inlined: it copies the response, and most calls do not need it.
    @inline(never) private mutating func afterResponse(
        _ outcome: Outcome,
        to request: HTTPRequest,
        mayFollow: Bool
    ) -> Action {
        guard case .success(var response) = outcome else { return .judge(outcome, of: request) }
        response.redirects = redirects
        let mode = request.redirectMode ?? options.redirects.mode
        guard mayFollow, !mode.isRefusal else { return .judge(.success(response), of: request) }
        let rules = RedirectRules(options.redirects, keepsRequest: mode.keepsRequest)
        let step: RedirectRules.Redirection
        switch rules.decision(
            on: response.head,
            from: response.url,
            response.method,
            afterRedirects: redirects.count
        ) {
        case .notARedirect: return .judge(.success(response), of: request)
        case .failure(let reason):
            let error = response.error(.redirectFailed(reason), in: .validating)
            return .judge(.failure(error), of: request)
        case .redirect(let found): step = found
        }
        let redirect = HTTPRedirect(
            url: response.url.withoutUserinfo,
            request: response.request,
            head: response.head,
            location: step.location
        )
        let next = rules.request(after: request, step, from: response.url)
        if case .custom(let choose) = mode {
            return .chooseRedirect(choose, redirect, next, from: request, after: response)
        }
        return follow(redirect, next, after: response, to: request)
    }

    private mutating func follow(
        _ redirect: HTTPRedirect,
        _ request: HTTPRequest,
        after response: HTTPResponse,
        to former: HTTPRequest
    ) -> Action {
        guard request.body.isReplayable else {
            let error = response.error(.bodyFailed(.notReplayable(.redirect)), in: .validating)
            return .judge(.failure(error), of: former)
        }
        redirects.append(redirect)
        hasCrossedOrigin = request.optionsBox?.settings.hasCrossedOrigin ?? false
        reason = .redirect
        return .follow(redirect, request, after: response)
    }

    /// Returns the grant for a retry; nil if the request must not be sent again.
    ///
    /// The caller withdraws from the budget if the grant charges it.
    package func grant(
        _ strategy: HTTPRetryOptions.Strategy,
        after outcome: Outcome,
        retryAfter: Duration?,
        for request: HTTPRequest,
        now: Deadline,
        random: inout some RandomNumberGenerator
    ) -> RetryGrant? {
        rules.grant(
            strategy,
            after: RetryRules.Outcome(outcome),
            retryAfter: retryAfter,
            for: RetryRules.Candidate(request),
            request.retries ?? options.retries,
            until: deadline,
            now: now,
            random: &random
        )
    }

    // MARK: - Attempts

    /// Records that a request is about to be sent.
    ///
    /// - Returns: false if the call has reached its limit of requests.
    package mutating func beginRequest() -> Bool {
        requests += 1
        return requests <= HTTPRetryOptions.maxRequests
    }

    /// Returns the reason for the attempt that begins now.
    ///
    /// Afterwards the reason is `.retry`: a further request that follows no redirect or challenge comes
    /// from an interceptor.
    package mutating func takeReason() -> HTTPMetrics.Attempt.Reason {
        defer { reason = .retry }
        return reason
    }

    /// Returns the number of the next response.
    package mutating func nextSerial() -> UInt32 {
        responses += 1
        return responses
    }

    /// Records the outcome of an attempt.
    package mutating func record(_ outcome: Outcome) {
        record(outcome, as: RetryRules.Outcome(outcome))
    }

    /// Records the outcome of an attempt; `known` is what the rules for retries use of it.
    mutating func record(_ outcome: Outcome, as known: RetryRules.Outcome) {
        rules.record(known)
        last = outcome
        laterMetrics = nil
    }

    /// Continues a call that another state has begun.
    ///
    /// - Parameter metrics: the metrics of its attempts, before those that follow; empty to count only these.
    mutating func continueCall(after metrics: HTTPMetrics) {
        reason = .segment
        if !metrics.attempts.isEmpty { laterMetrics = metrics }
    }

    /// Records the metrics of the last response after more of its body was read.
    package mutating func record(_ metrics: HTTPMetrics) {
        laterMetrics = metrics
    }
}

extension RetryRules.Outcome {
    fileprivate init(_ outcome: CallState.Outcome) {
        switch outcome {
        case .success(let response): self.init(response)
        case .failure(let error): self.init(error)
        }
    }

    init(_ response: HTTPResponse) {
        self = .response(isIdempotent: response.method.isIdempotent, response.status)
    }
}

extension CallState.Event {
    /// Returns the event of an attempt whose response comes from interceptors.
    ///
    /// They may have received it in another call, whose redirects are not those of this one.
    package static func attempted(
        _ request: HTTPRequest,
        intercepted response: consuming HTTPResponse
    ) -> CallState.Event {
        if !response.redirects.isEmpty { response.redirects = [] }
        return .attempted(request, .success(response))
    }
}

extension HTTPRedirectOptions.Mode {
    /// Whether the client follows no redirect.
    var isRefusal: Bool {
        if case .refuse = self { true } else { false }
    }

    fileprivate var keepsRequest: Bool {
        if case .followKeepingRequest = self { true } else { false }
    }
}

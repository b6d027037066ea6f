internal import SocketTransport
internal import Wire

/// The first attempt of a call that has no interceptors and waits for no credentials.
///
/// Most calls end with it. Such a call needs no ``CallDriver`` and allocates nothing but its attempt. If
/// something follows from the outcome (a redirect, a retry, an error to judge), a driver continues.
struct FirstAttempt: Sendable {
    let attempt: RequestAttempt
    fileprivate let observed: HTTPContext.Call?
    /// What the cache knows about the request; nil if it was not asked.
    let lookup: HTTPCache.Lookup?

    /// The context that observers have seen; nil if no policy sees the request.
    var context: HTTPContext? { observed.map { HTTPContext($0) } }

    fileprivate init(attempt: RequestAttempt, observed: HTTPContext.Call?) {
        self.attempt = attempt
        self.observed = observed
        lookup = nil
    }

    /// Creates the first attempt of a call from an attempt that no policy sees but the cache or observers.
    init(
        _ attempt: RequestAttempt,
        after lookup: HTTPCache.Lookup? = nil,
        seenIn context: HTTPContext? = nil
    ) {
        self.attempt = attempt
        self.lookup = lookup
        observed = context?.call
    }
}

/// The result of a first attempt, which a driver takes.
///
/// Nothing else keeps the body. If the call goes on without it, its connection is free for the next attempt.
final class FirstResult: Sendable {
    let first: FirstAttempt
    private let result: Locked<Result<StreamingBody?, HTTPError>?>

    init(_ first: FirstAttempt, _ result: consuming Result<StreamingBody?, HTTPError>) {
        self.first = first
        self.result = Locked(result)
    }

    /// Returns the result the first time, and nil after that.
    func take() -> Result<StreamingBody?, HTTPError>? {
        result.withLock { $0.take() }
    }
}

// Functions instead of members of FirstAttempt: an initializer would copy the request.
extension ClientCore {
    /// Prepares the first attempt of a call.
    ///
    /// - Returns: nil if a policy may have to wait before the request is sent.
    /// - Throws: `.invalidRequest`; it has been reported to the observers.
    func firstAttempt(_ request: HTTPRequest) throws(HTTPError) -> FirstAttempt? {
        guard policies.path(of: request) != .driven else { return nil }
        policies.depositRetries(policies.retries.budget)
        guard policies.seesRequests else {
            return FirstAttempt(attempt: RequestAttempt(try plan(request)), observed: nil)
        }
        var request = request
        try settle(&request)
        let context = HTTPContext(request, self)
        policies.notify(.began, context)
        addCookies(to: &request)
        request = policies.notifyPrepared(request, context)
        do throws(HTTPError) {
            // A plan in a variable would be copied into the attempt.
            let attempt = RequestAttempt(try plan(request))
            policies.notify(.sending(attempt.plan.head), context)
            attempt.liveObserver = context.call
            return FirstAttempt(attempt: attempt, observed: context.call)
        } catch {
            policies.notify(.failed(error), context)
            policies.notify(.ended(.failure(error)), context)
            throw error
        }
    }

    /// Returns whether the call ends with the error of its first attempt.
    func isFinal(_ error: HTTPError, of first: FirstAttempt) -> Bool {
        first.observed == nil && policies.defaultValidators.isEmpty
            && !first.attempt.hasOnlyHead(error)
    }

    /// Returns whether the call ends with the response that its first attempt has collected.
    func isFinal(_ first: FirstAttempt) -> Bool {
        guard let status = first.attempt.received.head?.status,
            policies.isFinal(status, isForwarded: first.attempt.forwarded != nil)
        else { return false }
        if policies.path == .direct { return true }
        // A driver waits until the observers have seen the steps of the attempt.
        if first.observed != nil, first.attempt.trace.hasReported || status.asksForCredentials {
            return false
        }
        if policies.accepts(status) { return true }
        let response = first.attempt.response()
        return policies.defaultValidators.allSatisfy { $0.accepts(response) }
    }

    /// Returns the final response of a first attempt, after the policies have seen it.
    func response(to first: FirstAttempt) -> HTTPResponse {
        if first.observed == nil, policies.cookies == nil { return first.attempt.response() }
        let response = first.attempt.response()
        if let jar = policies.cookies, response.headers.contains(.setCookie) {
            jar.store(response.headers, from: response.url)
        }
        guard let context = first.context else { return response }
        return policies.notifyFinal(response, context)
    }
}

extension HTTPContext.Call: LiveObserver {
    // A client with an observer of phases makes its attempts with a driver.
    var watchesPhases: Bool { false }

    // Most attempts have no such step, so the object that passes them on is created only then.
    func step(_ step: HTTPStep, of attempt: RequestAttempt) {
        attempt.onStep(watchesPhases: false) { step in
            self.sender.notify(step, HTTPContext(self))
        }
        .step(step, of: attempt)
    }

    func finalHead(_ head: ResponseHead, of attempt: RequestAttempt) {}
}

extension HTTPDefaultValidator {
    /// Returns whether the validator accepts a response.
    fileprivate func accepts(_ response: HTTPResponse) -> Bool {
        !retriedStatuses.contains(response.status) && rejection(of: response) == nil
    }
}

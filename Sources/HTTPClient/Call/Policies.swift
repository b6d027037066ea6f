package import SocketTransport
internal import Wire

/// The policies of a client, fixed when the client is created.
///
/// A class, because calls pass it around: copying a struct would retain each of its parts.
final class Policies: Sendable {
    /// The options for redirects and retries.
    let options: CallState.Options
    let cookies: CookieJar?
    /// The cache; nil for none.
    let cache: HTTPCache?
    /// The cache, if no other policy may have to wait or to change a request or a response but cookies and the default
    /// validators; nil otherwise.
    let soleCache: HTTPCache?
    let authentication: HTTPAuthentication?
    let validators: [any HTTPResponseValidator]
    let transformers: [HTTPResponseTransformer]
    /// The observers of the steps of calls.
    let observers: [any HTTPObserver]
    /// The observers of phases.
    let phaseObservers: [any HTTPObserver]
    /// The dialer that can replace the network; nil for the network.
    let dialer: (any HTTPDialer)?
    /// The interceptors with scope `.call`.
    let callInterceptors: [any HTTPInterceptor]
    /// The interceptors with scope `.attempt`.
    let attemptInterceptors: [any HTTPInterceptor]
    /// The state that all clients of one pool share.
    let shared: SharedPolicies
    /// What makes the first attempt of a call, unless the request has policies.
    let path: Path
    /// The validators of a client whose validators are all default validators.
    let defaultValidators: [HTTPDefaultValidator]
    /// Whether ``defaultValidators`` accept every 2xx response.
    let acceptsAllSuccesses: Bool

    /// What makes the first attempt of a call, and what sees its response.
    enum Path {
        /// A driver: a policy may wait before the attempt, or change its response.
        case driven
        /// No driver; default validators or observers see the response.
        case observed
        /// No driver, and nothing but the call sees the response.
        case direct
    }

    init(
        _ settings: HTTPClientSettings,
        _ shared: SharedPolicies,
        ownJar: CookieJar?,
        ownCache: HTTPCache?
    ) {
        switch settings.cookies {
        case .disabled: cookies = nil
        case .automatic: cookies = ownJar ?? CookieJar()
        case .jar(let jar): cookies = jar
        }
        let (security, connectOptions) = (settings.security, settings.connectOptions)
        switch settings.cache {
        case .disabled: cache = nil
        case .memory(let maxBytes):
            // A derived client that connects in another way has its own cache.
            if let ownCache, ownCache.admits(security, connectOptions) {
                cache = ownCache
            } else {
                cache = HTTPCache(maxBytes: maxBytes)
                _ = cache?.admits(security, connectOptions)
            }
        case .cache(let shared): cache = shared.admits(security, connectOptions) ? shared : nil
        }
        authentication = settings.authentication
        options = CallState.Options(redirects: settings.redirects, retries: settings.retries)
        let validators = settings.retries.completing(settings.validators)
        self.validators = validators
        transformers = settings.transformers
        observers = settings.observers.filter { $0.interests.contains(.calls) }
        phaseObservers = settings.observers.filter { $0.interests.contains(.phases) }
        dialer = settings.dialer
        callInterceptors = settings.interceptors.filter { $0.scope == .call }
        attemptInterceptors = settings.interceptors.filter { $0.scope == .attempt }
        self.shared = shared
        defaultValidators = validators.compactMap { $0 as? HTTPDefaultValidator }
        acceptsAllSuccesses = defaultValidators.allSatisfy(\.acceptsAllSuccesses)
        let isDriven =
            settings.authentication != nil || defaultValidators.count != validators.count
            || !settings.transformers.isEmpty || !settings.interceptors.isEmpty
            || settings.digestVerification != .off || !settings.query.isEmpty
            || !phaseObservers.isEmpty
        let isSeen = !validators.isEmpty || !observers.isEmpty
        path =
            isDriven || settings.dialer != nil || cache != nil
            ? .driven : isSeen ? .observed : .direct
        soleCache = isDriven || !observers.isEmpty ? nil : cache
    }

    var redirects: HTTPRedirectOptions { options.redirects }
    var retries: HTTPRetryOptions { options.retries }

    /// Returns what makes the first attempt of a call.
    func path(of request: HTTPRequest) -> Path {
        request.optionsBox?.settings.hasPolicies == true ? .driven : path
    }

    /// Returns whether a call may wait for anything but its attempts and the delays before retries.
    func mayWait(for request: HTTPRequest) -> Bool {
        if case .custom = redirects.mode { return true }
        return path(of: request) != .direct
    }

    /// Whether a policy sees or changes requests before they are sent.
    var seesRequests: Bool { !observers.isEmpty || !(cookies?.isEmpty ?? true) }

    /// Returns whether a status leads to no further request.
    ///
    /// The status may lead to one if the client follows the redirect, if it has credentials for the proxy that
    /// requires them, or if the status asks for the same request again.
    ///
    /// - Parameters:
    ///   - status: the status of a response.
    ///   - isForwarded: whether a proxy forwarded the request, and the client has credentials for it.
    /// - Returns: whether no other request follows because of the status.
    func isFinal(_ status: HTTPStatus, isForwarded: @autoclosure () -> Bool) -> Bool {
        // Most responses.
        guard status.code >= 300 else { return true }
        if status == .proxyAuthenticationRequired { return !isForwarded() }
        if StatusRepetition.Cause(status) != nil { return false }
        return !redirects.mayFollow(status) || redirects.mode.isRefusal
    }

    /// Returns whether the default validators accept every response with a status.
    func accepts(_ status: HTTPStatus) -> Bool {
        defaultValidators.isEmpty || status.kind == .successful && acceptsAllSuccesses
    }

    /// Returns the share of one call in the retry budget; nil without a limit.
    ///
    /// It does not copy the options, which would take 130 instructions of each call.
    func retryBudget(of request: HTTPRequest) -> Double? {
        if let own = request.retries { own.budget } else { retries.budget }
    }

    /// Adds the share of one call to the retry budget.
    func depositRetries(_ share: Double?) {
        guard let share else { return }
        shared.budget.deposit(share)
    }

    func notify(_ step: @autoclosure () -> HTTPStep, _ context: HTTPContext) {
        guard !observers.isEmpty else { return }
        let step = step()
        for observer in observers { observer.observe(step, context) }
    }

    /// Whether there is an observer of any step.
    var hasObservers: Bool { !observers.isEmpty || !phaseObservers.isEmpty }

    /// Notifies the observers of a step that happened while an attempt ran.
    func notifyLive(_ step: HTTPStep, _ context: HTTPContext) {
        if case .entered = step {
            for observer in phaseObservers { observer.observe(step, context) }
        } else {
            notify(step, context)
        }
    }

    /// Notifies the observers when a streamed body has ended; at once if it already has.
    ///
    /// - Parameters:
    ///   - body: the body as received or as stored.
    ///   - delivered: the same body as the caller reads it; it can fail after the end of `body`.
    ///   - context: the context of the call.
    func observeEnd(
        of body: some EndingBody,
        _ delivered: ResponseBodySource?,
        _ context: HTTPContext
    ) {
        let notify: @Sendable (HTTPMetrics, HTTPError?) -> Void = { [observers] metrics, error in
            for observer in observers { observer.observe(.streamed(metrics, error), context) }
        }
        if case .transformed(let transformed) = delivered {
            transformed.onBodyEnd(of: body, notify)
        } else {
            body.onBodyEnd(notify)
        }
    }

    // A step of these two has a large value, and each copy would retain all of its parts. The value moves
    // into the step and out again.

    /// Notifies the observers of a request that is about to be sent, and returns it.
    func notifyPrepared(_ request: consuming HTTPRequest, _ context: HTTPContext) -> HTTPRequest {
        guard !observers.isEmpty else { return request }
        let step = HTTPStep.prepared(request)
        for observer in observers { observer.observe(step, context) }
        guard case .prepared(let request) = step else { preconditionFailure("another step") }
        return request
    }

    /// Notifies the observers of a response that ends the call, and returns it.
    func notifyFinal(_ response: consuming HTTPResponse, _ context: HTTPContext) -> HTTPResponse {
        guard !observers.isEmpty else { return response }
        let received = HTTPStep.received(response)
        for observer in observers { observer.observe(received, context) }
        guard case .received(let response) = received else { preconditionFailure("another step") }
        let ended = HTTPStep.ended(.success(response))
        for observer in observers { observer.observe(ended, context) }
        guard case .ended(.success(let response)) = ended else {
            preconditionFailure("another step")
        }
        return response
    }
}

/// The state of policies that all clients of one pool share.
final class SharedPolicies: Sendable {
    let budget = RetryBudget()
    let authentication = AuthenticationCache()
    let random: Locked<SplitMix64>
    let clock: PolicyClock

    init(_ random: SplitMix64, _ clock: PolicyClock) {
        self.random = Locked(random)
        self.clock = clock
    }
}

extension HTTPRequest {
    /// Returns whether the request has a credential field, its own or a default one of the client.
    ///
    /// After a redirect to another origin, the client does not send its default credential fields.
    func sets(_ name: FieldName, orClient common: HTTPHeaders) -> Bool {
        headers.contains(name)
            || common.contains(name) && optionsBox?.settings.hasCrossedOrigin != true
    }
}

extension Policies {
    /// Adds the cookies of the jar to a request, after its own.
    ///
    /// A cookie of the request replaces the one of the jar with the same name.
    ///
    /// - Parameters:
    ///   - request: the request, with an absolute URL.
    ///   - common: the default header fields of the client.
    ///   - isShown: whether the request is displayed and not sent, so that no cookie counts as used.
    func addCookies(
        to request: inout HTTPRequest,
        _ common: HTTPHeaders,
        isShown: Bool = false
    ) {
        guard let jar = cookies, !jar.isEmpty, case .uri(let url) = request.target,
            let kept = isShown ? jar.peekFieldBytes(for: url) : jar.fieldBytes(for: url)
        else { return }
        guard request.headers.contains(.cookie) else {
            guard !request.sets(.cookie, orClient: common) else { return }
            request.headers.append(.cookie, bytes: kept)
            return
        }
        let own = request.headers.valueBytes(.cookie)
        let names = Set(own.flatMap(CookiePairs.list).map(CookiePairs.name))
        let others = CookiePairs.list(kept).filter { !names.contains(CookiePairs.name(of: $0)) }
        guard !others.isEmpty else { return }
        request.headers.replace(.cookie, with: CookiePairs.joined(own + others.map(Array.init)))
    }
}

/// The clock of policies; tests pass one that they control.
package struct PolicyClock: Sendable {
    /// A closure that returns the time of the monotonic clock.
    package let now: @Sendable () -> Deadline
    /// A closure that returns the time of the wall clock.
    package let secondsSince1970: @Sendable () -> Int
    /// A closure that waits, and throws if the task is canceled.
    package let pause: @Sendable (Duration) async throws -> Void

    package init(
        now: @escaping @Sendable () -> Deadline,
        secondsSince1970: @escaping @Sendable () -> Int,
        pause: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.secondsSince1970 = secondsSince1970
        self.pause = pause
    }

    /// The clock of the machine.
    static let system = PolicyClock {
        .now()
    } secondsSince1970: {
        WallClock.secondsSince1970
    } pause: {
        try await Task.sleep(for: $0)
    }
}

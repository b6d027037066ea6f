internal import SocketTransport

/// Holds what decides around the requests of a client, settled when it is made.
struct Policies: Sendable {
    let redirects: HTTPRedirectOptions
    let cookies: CookieJar?
    let authentication: HTTPAuthentication?
    let retries: HTTPRetryOptions
    let validators: [any HTTPResponseValidator]
    let transformers: [HTTPResponseTransformer]
    let observers: [any HTTPObserver]
    /// What answers in place of the network.
    let stubs: HTTPStubs?
    /// Asked once for a call.
    let callInterceptors: [any HTTPInterceptor]
    /// Asked for each attempt.
    let attemptInterceptors: [any HTTPInterceptor]
    /// Shared by all clients of one pool.
    let shared: SharedPolicies
    /// Nobody has a say unless the server demands something.
    let isQuiet: Bool
    /// Who has a say neither waits nor stands around attempts: observers, a jar, default validators.
    let isBrief: Bool
    /// The validators of a brief client.
    let briefValidators: [HTTPDefaultValidator]
    /// Whether they need not be asked about a 2xx.
    let acceptsAllSuccesses: Bool

    init(
        _ settings: HTTPClient.Settings,
        _ shared: SharedPolicies,
        ownJar: CookieJar?
    ) {
        switch settings.cookies {
        case .disabled: cookies = nil
        case .automatic: cookies = ownJar ?? CookieJar()
        case .jar(let jar): cookies = jar
        }
        authentication = settings.authentication
        redirects = settings.redirects
        retries = settings.retries
        let validators = settings.retries.completing(settings.validators)
        self.validators = validators
        transformers = settings.transformers
        observers = settings.observers
        stubs = settings.stubs
        callInterceptors = settings.interceptors.filter { $0.scope == .call }
        attemptInterceptors = settings.interceptors.filter { $0.scope == .attempt }
        self.shared = shared
        briefValidators = validators.compactMap { $0 as? HTTPDefaultValidator }
        acceptsAllSuccesses = briefValidators.allSatisfy(\.acceptsAllSuccesses)
        isBrief =
            settings.authentication == nil && settings.stubs == nil
            && briefValidators.count == validators.count
            && settings.transformers.isEmpty && settings.interceptors.isEmpty
        isQuiet = isBrief && validators.isEmpty && settings.observers.isEmpty
    }

    /// Whether the first attempt can be made before anybody is asked.
    func letPass(_ request: HTTPRequest) -> Bool {
        guard isQuiet, cookies?.isEmpty ?? true else { return false }
        guard let options = request.optionsBox else { return true }
        return !options.settings.hasPolicies
    }

    /// Whether a call needs no more than a ``BriefCall``, if its response is what is wished for.
    func isBrief(_ request: HTTPRequest) -> Bool {
        isBrief && request.optionsBox?.settings.hasPolicies != true
    }

    /// A call begins, and pays for retries as the client's settings say.
    func depositRetries() { depositRetries(by: retries) }

    /// A call begins, and pays for retries as its own settings say.
    func depositRetries(by retries: HTTPRetryOptions) {
        guard let share = retries.budget else { return }
        shared.budget.deposit(share)
    }

    func notify(_ step: @autoclosure () -> HTTPStep, _ context: HTTPContext) {
        guard !observers.isEmpty else { return }
        let step = step()
        for observer in observers { observer.observe(step, context) }
    }

    /// Whether nothing follows from a response to a request that was let pass.
    func settle(_ head: ResponseHead) -> Bool {
        (cookies == nil || !head.headers.contains(.setCookie))
            && (!redirects.mayFollow(head.status) || redirects.mode.isRefusal)
    }
}

/// Holds what clients that share a pool share of policies.
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

extension HTTPRedirectMode {
    /// Whether every response is the answer.
    var isRefusal: Bool {
        if case .refuse = self { true } else { false }
    }
}

package import SocketTransport
internal import Wire

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
        _ settings: HTTPClientSettings,
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

extension HTTPRequest {
    /// Whether the user says the field himself, for the request or, in `common`, for all of a client's.
    func says(_ name: FieldName, besides common: HTTPHeaders) -> Bool {
        headers.contains(name)
            || common.contains(name) && optionsBox?.settings.hasCrossedOrigin != true
    }
}

extension Policies {
    /// Adds the jar's cookies behind those of the request itself, but for those it has already.
    ///
    /// - Parameters:
    ///   - request: with the URL that it goes to.
    ///   - common: fields of all requests of the client.
    ///   - isShown: whether the request is only shown and not sent, so that no cookie counts as used.
    /// - Returns: the request as it is to be sent.
    func withCookies(
        _ request: HTTPRequest,
        _ common: HTTPHeaders,
        isShown: Bool = false
    ) -> HTTPRequest {
        guard let jar = cookies, !jar.isEmpty, case .uri(let url) = request.target,
            let kept = isShown ? jar.peekFieldBytes(for: url) : jar.fieldBytes(for: url)
        else { return request }
        var request = request
        guard request.headers.contains(.cookie) else {
            guard !request.says(.cookie, besides: common) else { return request }
            request.headers.append(.cookie, bytes: kept)
            return request
        }
        let own = request.headers.valueBytes(.cookie)
        let names = Set(own.flatMap(Self.pairs).map(Self.cookieName))
        let others = Self.pairs(kept).filter { !names.contains(Self.cookieName($0)) }
        guard !others.isEmpty else { return request }
        let all = own + others.map(Array.init)
        request.headers.replace(.cookie, with: Array(all.joined(separator: [semicolon, space])))
        return request
    }

    /// The pairs of a value of Cookie, without a space in front.
    private static func pairs(_ field: [UInt8]) -> [ArraySlice<UInt8>] {
        field.split(separator: semicolon).map { $0.first == space ? $0.dropFirst() : $0 }
    }

    private static func cookieName(_ pair: ArraySlice<UInt8>) -> [UInt8] {
        Array(pair.prefix { $0 != UInt8(ascii: "=") })
    }
}

private let semicolon = UInt8(ascii: ";")
private let space = UInt8(ascii: " ")

/// The clock of policies; tests pass one that they control.
package struct PolicyClock: Sendable {
    /// By the monotonic clock.
    package let now: @Sendable () -> Deadline
    /// By the clock on the wall.
    package let secondsSince1970: @Sendable () -> Int
    /// Waits; throws when the task is cancelled.
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

    /// The machine's.
    static let system = PolicyClock {
        .now()
    } secondsSince1970: {
        WallClock.secondsSince1970
    } pause: {
        try await Task.sleep(for: $0)
    }
}

extension HTTPClient {
    /// Makes a client whose policies go by another clock.
    package convenience init(_ configuration: Configuration, clock: PolicyClock, seed: UInt64) {
        self.init(configuration, loop: .threaded(), random: SplitMix64(seed: seed), clock: clock)
    }
}

package import SocketTransport

/// A bearer token that is refreshed when an origin rejects it and before its lifetime ends, once for all calls.
///
///     let tokens = HTTPTokenSource(stored) { previous in
///         try await account.newToken(insteadOf: previous)
///     }
///
/// When an origin answers 401, the call waits for a refresh and is retried. Calls that are rejected
/// during a refresh wait for it too. Calls that were sent with an older token are retried with the
/// current one. If the new token is rejected as well, the call returns the 401 response.
///
/// If a refresh fails, all calls that waited for it fail with the same error. For ``coolDown``
/// after the failure, calls that need a refresh fail immediately with that error.
///
/// If the closure returns a ``Token`` with a lifetime, one call refreshes the token shortly before the end: 30
/// seconds, or a tenth of the lifetime if that is less. Meanwhile other calls use the old token, and so do all
/// calls if that refresh fails. So an upload that cannot be repeated is not sent with an expired token.
///
///     let tokens = HTTPTokenSource { _ in
///         let grant = try await account.requestToken()
///         return HTTPTokenSource.Token(grant.accessToken, expiresIn: .seconds(grant.expiresIn))
///     }
///
/// Requests that the refresh closure makes in its task or a child task are sent without the token,
/// whichever client sends them.
public final class HTTPTokenSource: Sendable {
    /// A closure that returns a new token.
    ///
    /// Its argument is the last token; nil if there was none.
    public typealias Refresh = @concurrent @Sendable (_ previous: String?) async throws -> String

    /// A closure that returns a new token with its lifetime.
    ///
    /// Its argument is the last token; nil if there was none.
    public typealias TimedRefresh =
        @concurrent @Sendable (_ previous: String?) async throws -> Token

    /// A token and its lifetime.
    public struct Token: Sendable, Hashable {
        /// The text of the token, which follows `Bearer` in Authorization.
        public var text: String
        /// The lifetime from the time when the token was requested, `expires_in` of OAuth 2.0 (RFC 6749 §5.1); nil if
        /// it is unknown.
        public var lifetime: Duration?

        /// Creates a token.
        ///
        /// - Parameters:
        ///   - text: the text of the token.
        ///   - lifetime: the lifetime. Default nil: the token is used until an origin rejects it.
        public init(_ text: String, expiresIn lifetime: Duration? = nil) {
            self.text = text
            self.lifetime = lifetime
        }
    }

    private typealias End = Result<TokenRefreshState.Token, HTTPError>

    /// The time after a failed refresh in which no other refresh starts.
    public let coolDown: Duration

    private let refresh: TimedRefresh
    private let now: @Sendable () -> Deadline
    private let flight: SingleFlight<TokenRefreshState, End>

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - token: the initial token. Default nil: the first call waits for a refresh.
    ///   - coolDown: the time after a failed refresh in which no other refresh starts. Default 5
    ///     seconds, so that calls do not overload a failing server. Zero or less means none.
    ///   - refresh: the closure that returns a new token. It continues when the waiting calls are
    ///     canceled, so it needs its own timeout. Calls of this library have timeouts by default.
    public convenience init(
        _ token: String? = nil,
        coolDown: Duration = .seconds(5),
        refresh: @escaping Refresh
    ) {
        self.init(token, coolDown: coolDown, now: { .nowCountingSleep() }, refresh: refresh)
    }

    /// Creates a source of tokens with lifetimes.
    ///
    /// - Parameters:
    ///   - token: the initial token; its lifetime begins now. Default nil: the first call waits for a refresh.
    ///   - coolDown: the time after a failed refresh in which no other refresh starts. Default 5 seconds.
    ///   - refresh: the closure that returns a new token, as in ``init(_:coolDown:refresh:)-(String?,_,_)``.
    @_disfavoredOverload
    public convenience init(
        _ token: Token? = nil,
        coolDown: Duration = .seconds(5),
        refresh: @escaping TimedRefresh
    ) {
        self.init(token, coolDown: coolDown, now: { .nowCountingSleep() }, timedRefresh: refresh)
    }

    /// Creates a source with a custom clock.
    package convenience init(
        _ token: String?,
        coolDown: Duration,
        now: @escaping @Sendable () -> Deadline,
        refresh: @escaping Refresh
    ) {
        self.init(token.map { Token($0) }, coolDown: coolDown, now: now) { previous in
            Token(try await refresh(previous))
        }
    }

    /// Creates a source of tokens with lifetimes, and with a custom clock.
    package init(
        _ token: Token?,
        coolDown: Duration,
        now: @escaping @Sendable () -> Deadline,
        timedRefresh: @escaping TimedRefresh
    ) {
        self.coolDown = coolDown
        refresh = timedRefresh
        self.now = now
        flight = SingleFlight(TokenRefreshState(token, at: now()))
    }

    /// The current token; nil if there is none, and after its lifetime.
    public var current: String? {
        let time = now()
        return flight.withState { state, _ in state.usable(after: nil, now: time)?.text }
    }

    /// Returns the current token, or waits for one.
    ///
    /// - Returns: the token for the next request.
    /// - Throws: `.authenticationFailed(.refresh)`; `.authenticationFailed(.recursiveRefresh)` if
    ///   the refresh closure calls this method; `.cancelled`.
    public func token() async throws(HTTPError) -> String {
        try await token(after: nil).text
    }

    /// Discards the token, for example after the user has signed out; the next request waits for a
    /// new one.
    public func invalidate() {
        flight.withState { state, _ in state.invalidate() }
    }

    /// The number of calls that wait for the refresh in progress.
    package var waiting: Int { flight.waiting }

    /// Returns the current token if it is newer than `generation` and need not be refreshed.
    package func newer(than generation: UInt64) -> TokenRefreshState.Token? {
        let time = now()
        return flight.withState { state, _ in
            state.isDue(now: time) ? nil : state.usable(after: generation, now: time)
        }
    }

    /// Returns a token that is newer than the rejected one, or any token if none was rejected.
    package func token(after refused: UInt64?) async throws(HTTPError) -> TokenRefreshState.Token {
        if let token = newer(than: refused ?? 0) { return token }
        guard !ActiveCredentialSources.contains(self) else {
            throw HTTPError(.authenticationFailed(.recursiveRefresh), phase: .preparing)
        }
        let time = now()
        let cancelled = HTTPError(.cancelled, phase: .preparing)
        let end = await flight.end(ifCancelled: .failure(cancelled)) { state, _ in
            switch state.nextStep(after: refused, now: time) {
            case .use(let token): .end(.success(token))
            case .fail(let error): .end(.failure(error))
            case .wait: .wait
            case .refresh(let previous): .run { await self.refreshed(previous) }
            }
        }
        do throws(HTTPError) {
            return try end.get()
        } catch {
            // A refresh before the end of the lifetime may fail: the token is still good, unless it was rejected.
            let token = flight.withState { state, _ in state.usable(after: refused, now: now()) }
            guard let token, !error.isCancellation else { throw error }
            return token
        }
    }

    /// Refreshes, and returns a function that records the result.
    private func refreshed(
        _ previous: String?
    ) async -> @Sendable (inout TokenRefreshState) -> End {
        let refresh = refresh
        let began = now()
        do {
            let token = try await ActiveCredentialSources.withActive(self) {
                try await refresh(previous)
            }
            return { state in .success(state.refreshed(token, at: began)) }
        } catch {
            let reason = HTTPError.AuthenticationReason.refresh(description: "\(error)")
            let failure = HTTPError(
                .authenticationFailed(reason),
                phase: .preparing,
                underlying: error
            )
            let resumption = now().advanced(by: coolDown)
            return { state in
                state.failed(failure, until: resumption)
                return .failure(failure)
            }
        }
    }
}

extension HTTPTokenSource.Token: CustomStringConvertible, CustomReflectable {
    /// The lifetime, without the text.
    public var description: String {
        lifetime.map { "token that expires after \($0.secondsText)" } ?? "token"
    }

    /// Only ``description``, to keep the token out of logs.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// A state machine that decides which callers use, refresh or wait for a token.
///
/// It is pure: the time is an argument. Tokens are numbered, so that a caller whose older token was
/// rejected uses the newer one without another refresh.
package struct TokenRefreshState: Sendable {
    /// A numbered token.
    package struct Token: Sendable, Hashable {
        package let text: String
        /// The number of the token, from 1.
        package let generation: UInt64
        /// The end of its lifetime.
        fileprivate let expiry: Deadline
        /// The time from which one caller refreshes it.
        fileprivate let dueTime: Deadline
    }

    /// The next step of a caller that needs a token.
    package enum Step: Sendable {
        case use(Token)
        /// Wait for the refresh in progress.
        case wait
        /// Start a refresh and wait for it.
        case refresh(previous: String?)
        case fail(HTTPError)
    }

    /// The current token; nil before the first one and after ``invalidate()``.
    package private(set) var token: Token?
    /// The most recent token, valid or not.
    private var last: Token?
    private var isRefreshing = false
    /// The error of the last refresh, and the time until which no other refresh starts.
    private var pause: (until: Deadline, error: HTTPError)?

    /// Creates the state; `now` is the start of the token's lifetime.
    package init(_ token: HTTPTokenSource.Token?, at now: Deadline) {
        guard let token else { return }
        _ = refreshed(token, at: now)
    }

    /// Returns the current token if it is newer than a rejected one, and its lifetime has not ended.
    package func usable(after refused: UInt64?, now: Deadline) -> Token? {
        guard let token, token.generation > refused ?? 0, now < token.expiry else { return nil }
        return token
    }

    /// Whether the current token should be refreshed before its lifetime ends, and nothing speaks against it.
    package func isDue(now: Deadline) -> Bool {
        guard let token, !isRefreshing, token.dueTime <= now else { return false }
        return pause.map { $0.until <= now } ?? true
    }

    /// Returns the next step of a caller that needs a token.
    ///
    /// - Parameters:
    ///   - refused: the generation that an origin rejected; nil if any token suffices.
    ///   - now: the current time.
    /// - Returns: the next step. A caller that gets `.refresh` must report its result.
    package mutating func nextStep(after refused: UInt64?, now: Deadline) -> Step {
        let isDue = isDue(now: now)
        if !isDue, let token = usable(after: refused, now: now) { return .use(token) }
        if isRefreshing { return .wait }
        if let pause, now < pause.until { return .fail(pause.error) }
        isRefreshing = true
        return .refresh(previous: last?.text)
    }

    /// Records a successful refresh, and returns the new token.
    ///
    /// - Parameters:
    ///   - new: the new token.
    ///   - start: the start of its lifetime.
    /// - Returns: the token with its number.
    package mutating func refreshed(_ new: HTTPTokenSource.Token, at start: Deadline) -> Token {
        let times = new.lifetime.map { lifetime in
            let margin = min(.seconds(30), max(lifetime, .zero) / 10)
            return (start.advanced(by: lifetime), start.advanced(by: lifetime - margin))
        }
        let next = Token(
            text: new.text,
            generation: (last?.generation ?? 0) + 1,
            expiry: times?.0 ?? .never,
            dueTime: times?.1 ?? .never
        )
        token = next
        last = next
        isRefreshing = false
        pause = nil
        return next
    }

    /// Records a failed refresh; no other starts until `resumption`.
    package mutating func failed(_ error: HTTPError, until resumption: Deadline) {
        isRefreshing = false
        pause = (resumption, error)
    }

    /// Discards the current token.
    package mutating func invalidate() {
        token = nil
    }
}

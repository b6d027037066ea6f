package import SocketTransport

/// A bearer token that is refreshed when an origin rejects it, once for all calls.
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
/// Requests that the refresh closure makes in its task or a child task are sent without the token,
/// whichever client sends them.
public final class HTTPTokenSource: Sendable {
    /// A closure that returns a new token.
    ///
    /// Its argument is the last token; nil if there was none.
    public typealias Refresh = @concurrent @Sendable (_ previous: String?) async throws -> String

    private typealias End = Result<TokenRefreshState.Token, HTTPError>

    /// The time after a failed refresh in which no other refresh starts.
    public let coolDown: Duration

    private let refresh: Refresh
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
        self.init(token, coolDown: coolDown, now: { .now() }, refresh: refresh)
    }

    /// Creates a source with a custom clock.
    package init(
        _ token: String?,
        coolDown: Duration,
        now: @escaping @Sendable () -> Deadline,
        refresh: @escaping Refresh
    ) {
        self.coolDown = coolDown
        self.refresh = refresh
        self.now = now
        flight = SingleFlight(TokenRefreshState(token))
    }

    /// The current token; nil if there is none.
    public var current: String? { newer(than: 0)?.text }

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

    /// Returns the current token if it is newer than `generation`.
    func newer(than generation: UInt64) -> TokenRefreshState.Token? {
        flight.withState { state, _ in
            state.token.flatMap { $0.generation > generation ? $0 : nil }
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
        return try end.get()
    }

    /// Refreshes, and returns a function that records the result.
    private func refreshed(
        _ previous: String?
    ) async -> @Sendable (inout TokenRefreshState) -> End {
        let refresh = refresh
        do {
            let text = try await ActiveCredentialSources.withActive(self) {
                try await refresh(previous)
            }
            return { state in .success(state.refreshed(text)) }
        } catch {
            let problem = HTTPAuthenticationFailureReason.refresh(description: "\(error)")
            let failure = HTTPError(
                .authenticationFailed(problem),
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

extension HTTPTokenSource: Hashable {
    /// Returns whether both are the same instance.
    public static func == (left: HTTPTokenSource, right: HTTPTokenSource) -> Bool {
        left === right
    }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
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

    package init(_ text: String?) {
        guard let text else { return }
        token = Token(text: text, generation: 1)
        last = token
    }

    /// Returns the next step of a caller that needs a token.
    ///
    /// - Parameters:
    ///   - refused: the generation that an origin rejected; nil if any token suffices.
    ///   - now: the current time.
    /// - Returns: the next step. A caller that gets `.refresh` must report its result.
    package mutating func nextStep(after refused: UInt64?, now: Deadline) -> Step {
        if let token, token.generation > refused ?? 0 { return .use(token) }
        if isRefreshing { return .wait }
        if let pause, now < pause.until { return .fail(pause.error) }
        isRefreshing = true
        return .refresh(previous: last?.text)
    }

    /// Records a successful refresh and returns the new token.
    package mutating func refreshed(_ text: String) -> Token {
        let next = Token(text: text, generation: (last?.generation ?? 0) + 1)
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

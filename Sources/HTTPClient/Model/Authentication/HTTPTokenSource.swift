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

    private struct State: Sendable {
        var flight: TokenRefreshState
        /// The calls that wait for the refresh in progress.
        var waits: [SingleFlightWaiter<End>] = []
    }

    /// The time after a failed refresh in which no other refresh starts.
    public let coolDown: Duration

    private let refresh: Refresh
    private let now: @Sendable () -> Deadline
    private let state: Locked<State>

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
        state = Locked(State(flight: TokenRefreshState(token)))
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
        state.withLock { $0.flight.invalidate() }
    }

    /// The number of calls that wait for the refresh in progress.
    package var waiting: Int { state.withLock { $0.waits.count } }

    /// Returns the current token if it is newer than `generation`.
    func newer(than generation: UInt64) -> TokenRefreshState.Token? {
        state.withLock { state in
            state.flight.token.flatMap { $0.generation > generation ? $0 : nil }
        }
    }

    /// Returns a token that is newer than the rejected one, or any token if none was rejected.
    package func token(after refused: UInt64?) async throws(HTTPError) -> TokenRefreshState.Token {
        if let token = newer(than: refused ?? 0) { return token }
        guard !ActiveCredentialSources.contains(self) else {
            throw HTTPError(.authenticationFailed(.recursiveRefresh), phase: .preparing)
        }
        let wait = SingleFlightWaiter<End>()
        let time = now()
        let step = state.withLock { state in
            let step = state.flight.nextStep(after: refused, now: time)
            switch step {
            case .wait, .refresh: state.waits.append(wait)
            case .use, .fail: break
            }
            return step
        }
        switch step {
        case .use(let token): return token
        case .fail(let error): throw error
        case .wait: break
        case .refresh(let previous): begin(previous)
        }
        let end = await withTaskCancellationHandler {
            await wait.end()
        } onCancel: {
            wait.finish(.failure(HTTPError(.cancelled, phase: .preparing)))
        }
        return try end.get()
    }

    /// Refreshes in a new task, which the cancellation of a call does not reach.
    private func begin(_ previous: String?) {
        Task { [self] in
            let refresh = refresh
            do {
                let text = try await ActiveCredentialSources.withActive(self) {
                    try await refresh(previous)
                }
                finish(.success(text))
            } catch {
                let problem = HTTPAuthenticationFailureReason.refresh(description: "\(error)")
                finish(
                    .failure(
                        HTTPError(
                            .authenticationFailed(problem),
                            phase: .preparing,
                            underlying: error
                        )
                    )
                )
            }
        }
    }

    private func finish(_ result: Result<String, HTTPError>) {
        let resumption = now().advanced(by: coolDown)
        let (waits, end): ([SingleFlightWaiter<End>], End) = state.withLock { state in
            defer { state.waits = [] }
            switch result {
            case .success(let text):
                return (state.waits, .success(state.flight.refreshed(text)))
            case .failure(let error):
                state.flight.failed(error, until: resumption)
                return (state.waits, .failure(error))
            }
        }
        for wait in waits { wait.finish(end) }
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

package import SocketTransport

/// Holds a bearer token, and gets another when it is refused: once, however many want it.
///
///     let tokens = HTTPTokenSource(stored) { previous in
///         try await account.newToken(insteadOf: previous)
///     }
///
/// When an origin answers 401, the call waits for a refresh and is sent again. Calls that are refused
/// meanwhile wait for the same refresh; those that were sent with an older token than the one in use are
/// sent again with that. A call whose new token is refused as well has its 401 as the answer. A refresh
/// that fails, fails all who waited for it with the same error; for ``coolDown`` after it whoever needs a
/// refresh gets that error at once.
///
/// Requests that the refresh makes itself are sent without the token, whichever client makes them, as
/// long as they are made in its task or a child of it.
public final class HTTPTokenSource: Sendable {
    /// Gets a new token.
    ///
    /// Its argument is the last token; nil when there was none.
    public typealias Refresh = @concurrent @Sendable (_ previous: String?) async throws -> String

    private typealias End = Result<TokenRefreshState.Token, HTTPError>

    private struct State: Sendable {
        var flight: TokenRefreshState
        /// Who waits for the refresh that is under way.
        var waits: [SingleFlightWaiter<End>] = []
    }

    /// How long no refresh is tried after one that failed.
    public let coolDown: Duration

    private let refresh: Refresh
    private let now: @Sendable () -> Deadline
    private let state: Locked<State>

    /// Makes a source.
    ///
    /// - Parameters:
    ///   - token: the first; default nil: the first call waits for a refresh.
    ///   - coolDown: how long no refresh is tried after one that failed; default 5 seconds, so that a
    ///     server in trouble is not asked by every call. Zero or less means none.
    ///   - refresh: gets a new token. It goes on when those who wait are cancelled, so it should have a
    ///     bound of its own, as a call of this library has.
    public convenience init(
        _ token: String? = nil,
        coolDown: Duration = .seconds(5),
        refresh: @escaping Refresh
    ) {
        self.init(token, coolDown: coolDown, now: { .now() }, refresh: refresh)
    }

    /// Makes a source with a clock of its own.
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

    /// The token in use; nil when there is none.
    public var current: String? { newer(than: 0)?.text }

    /// Gives the token in use, or waits for one.
    ///
    /// - Returns: what the next request would be sent with.
    /// - Throws: `.authenticationFailed(.refresh)`; `.authenticationFailed(.recursiveRefresh)` when it
    ///   is the refresh that asks; `.cancelled`.
    public func token() async throws(HTTPError) -> String {
        try await token(after: nil).text
    }

    /// Puts the token out of use, as when its user has signed out: the next request waits for another.
    public func invalidate() {
        state.withLock { $0.flight.invalidate() }
    }

    /// How many wait for the refresh that is under way.
    package var waiting: Int { state.withLock { $0.waits.count } }

    /// Gives the token in use when it is newer than that.
    func newer(than generation: UInt64) -> TokenRefreshState.Token? {
        state.withLock { state in
            state.flight.token.flatMap { $0.generation > generation ? $0 : nil }
        }
    }

    /// Gives a token that is newer than the one refused; any when none was.
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

    /// Refreshes in a task of its own, which nobody's cancellation reaches.
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
    /// A source is equal to itself alone.
    public static func == (left: HTTPTokenSource, right: HTTPTokenSource) -> Bool {
        left === right
    }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

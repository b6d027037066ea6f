package import SocketTransport

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

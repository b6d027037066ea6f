package import SocketTransport

/// Decides who uses a token, who refreshes it and who waits.
///
/// Pure: the time comes as an argument. Tokens are numbered, so that whoever was refused with an older
/// one takes the newer instead of asking for yet another.
package struct TokenRefreshState: Sendable {
    /// One token.
    package struct Token: Sendable, Hashable {
        package let text: String
        /// Counts from 1.
        package let generation: UInt64
    }

    /// Says what somebody who needs a token does.
    package enum Step: Sendable {
        case use(Token)
        /// Waits for the refresh that is under way.
        case wait
        /// Refreshes, and waits.
        case refresh(previous: String?)
        case fail(HTTPError)
    }

    /// The token in use; nil before the first, and when it was invalidated.
    package private(set) var token: Token?
    /// The last one there was, good or not.
    private var last: Token?
    private var isRefreshing = false
    /// The last refresh failed so, and until then none is tried.
    private var pause: (until: Deadline, error: HTTPError)?

    package init(_ text: String?) {
        guard let text else { return }
        token = Token(text: text, generation: 1)
        last = token
    }

    /// Asks for a token.
    ///
    /// - Parameters:
    ///   - refused: the generation that an origin refused; nil when any is good.
    ///   - now: what time it is.
    /// - Returns: what to do; who is told to refresh must report how it ended.
    package mutating func nextStep(after refused: UInt64?, now: Deadline) -> Step {
        if let token, token.generation > refused ?? 0 { return .use(token) }
        if isRefreshing { return .wait }
        if let pause, now < pause.until { return .fail(pause.error) }
        isRefreshing = true
        return .refresh(previous: last?.text)
    }

    /// Reports that a refresh ended well.
    package mutating func refreshed(_ text: String) -> Token {
        let next = Token(text: text, generation: (last?.generation ?? 0) + 1)
        token = next
        last = next
        isRefreshing = false
        pause = nil
        return next
    }

    /// Reports that a refresh failed; until `resumption` none is tried.
    package mutating func failed(_ error: HTTPError, until resumption: Deadline) {
        isRefreshing = false
        pause = (resumption, error)
    }

    /// Puts the token out of use.
    package mutating func invalidate() {
        token = nil
    }
}

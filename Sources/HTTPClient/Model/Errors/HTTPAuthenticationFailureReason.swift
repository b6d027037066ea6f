/// Says why nobody could tell an origin who asks.
///
/// That an origin refuses credentials is none of these: its response with status 401 is the answer.
@nonexhaustive public enum HTTPAuthenticationFailureReason: Sendable, Hashable {
    /// A credential provider threw; what it threw is ``HTTPError/underlying``.
    case provider(description: String)
    /// A token could not be refreshed; what was thrown is ``HTTPError/underlying``.
    case refresh(description: String)
    /// A token was wanted while it is being refreshed, by the code that refreshes it.
    case recursiveRefresh
}

extension HTTPAuthenticationFailureReason: CustomStringConvertible {
    /// One line.
    public var description: String {
        switch self {
        case .provider(let description): "the credential provider failed: \(description)"
        case .refresh(let description): "the token could not be refreshed: \(description)"
        case .recursiveRefresh: "the code that refreshes a token waits for that token"
        }
    }
}

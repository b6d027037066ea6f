/// The reason why the client has no credentials for an origin.
///
/// An origin that rejects credentials is not such a failure: the call returns its 401 response.
@nonexhaustive public enum HTTPAuthenticationFailureReason: Sendable, Hashable {
    /// A credential provider threw; ``HTTPError/underlying`` is the error.
    case provider(description: String)
    /// Refreshing a token failed; ``HTTPError/underlying`` is the error.
    case refresh(description: String)
    /// The refresh closure of an ``HTTPTokenSource`` called ``HTTPTokenSource/token()`` of the same source.
    case recursiveRefresh
}

extension HTTPAuthenticationFailureReason: CustomStringConvertible {
    /// A one-line description.
    public var description: String {
        switch self {
        case .provider(let description): "the credential provider failed: \(description)"
        case .refresh(let description): "the token could not be refreshed: \(description)"
        case .recursiveRefresh:
            "the refresh closure of a token source called token() of the same source"
        }
    }
}

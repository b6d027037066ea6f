/// Says what becomes of a response that names another place (RFC 9110 §15.4).
public enum HTTPRedirectMode: Sendable {
    /// Asks there, as the RFC has it.
    ///
    /// A POST becomes a GET without content at 301, 302 and 303, as it does everywhere; at 303 so does
    /// every method but HEAD. At 307 and 308 method and content stay.
    case follow
    /// Asks there with the same method and content, whatever the status.
    ///
    /// Credentials still do not go to another origin.
    case followKeepingRequest
    /// Takes the response for the answer.
    case refuse
    /// Asks a closure each time; it gets the step, and the request that ``follow`` would send next.
    ///
    /// What it returns is sent, with no more taken away; nil means ``refuse``. What it throws ends
    /// the call: an ``HTTPError`` as it is, all else as `.redirectFailed(.thrown(…))` with
    /// ``HTTPError/underlying``.
    case custom(@Sendable (HTTPRedirect, HTTPRequest) async throws -> HTTPRequest?)
}

/// Says where a client keeps cookies.
public enum HTTPCookies: Sendable {
    /// In a jar of its own, in memory; ``HTTPClient/cookies`` is it.
    ///
    /// Clients that are derived of one another (``HTTPClient/with(_:)``) share it.
    case own
    /// In that jar, which others may use as well.
    case jar(CookieJar)
    /// Nowhere: none is kept and none is sent, but for Cookie fields of your own.
    case none
}

/// Where a client keeps cookies.
public enum CookieStorage: Sendable {
    /// The client stores no cookies and sends none, except those of your own Cookie fields.
    case disabled
    /// The client makes a jar in memory; ``HTTPClient/cookies`` returns it.
    ///
    /// Clients derived from this one (``HTTPClient/with(_:)``) share the jar.
    case automatic
    /// The client uses this jar, which other clients may use as well.
    case jar(CookieJar)
}

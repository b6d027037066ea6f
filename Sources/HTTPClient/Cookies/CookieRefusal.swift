/// Says why a jar did not take a cookie.
@nonexhaustive public enum CookieRefusal: Sendable, Hashable, CustomStringConvertible {
    /// The URL is not one of http or https.
    case foreignURL
    /// The line, or the name and value, cannot be a cookie: control octets, nothing at all, too long.
    case malformed
    /// Name and value have more octets than ``CookieJar/Limits/pairOctets``.
    case tooLarge
    /// The domain is not ASCII; international names are written in their `xn--` form.
    case foreignDomain
    /// The domain belongs to many owners, such as `co.uk`.
    case publicSuffix
    /// The host is not in the domain.
    case otherDomain
    /// A Secure cookie that came over http.
    case insecure
    /// It came over http, and there is a Secure cookie of that name that it would stand in for.
    case hidesSecure
    /// A name that begins with `__Secure-` or `__Host-` without what these promise.
    case brokenPrefix

    /// What is wrong, in a few words.
    public var description: String {
        switch self {
        case .foreignURL: "the URL is neither http nor https"
        case .malformed: "it is no cookie"
        case .tooLarge: "name and value are too long"
        case .foreignDomain: "the domain is not ASCII"
        case .publicSuffix: "the domain is a public suffix"
        case .otherDomain: "the host is not in the domain"
        case .insecure: "it is Secure and came over http"
        case .hidesSecure: "it would hide a Secure cookie, and came over http"
        case .brokenPrefix: "it does not keep what its name promises"
        }
    }
}

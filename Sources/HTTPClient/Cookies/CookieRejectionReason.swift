/// Says why a jar did not take a cookie.
@nonexhaustive public enum CookieRejectionReason: Sendable, Hashable, CustomStringConvertible {
    /// The URL is not one of http or https.
    case unsupportedScheme
    /// The line, or the name and value, cannot be a cookie: control bytes, nothing at all, too long.
    case malformed
    /// Name and value have more bytes than ``CookieJar/Limits/maxPairBytes``.
    case tooLarge
    /// The domain is not ASCII; international names are written in their `xn--` form.
    case nonASCIIDomain
    /// The domain belongs to many owners, such as `co.uk`.
    case publicSuffix
    /// The host is not in the domain.
    case domainMismatch
    /// A Secure cookie that came over http.
    case secureOverHTTP
    /// It came over http, and there is a Secure cookie of that name that it would stand in for.
    case shadowsSecureCookie
    /// A name that begins with `__Secure-` or `__Host-` without what these promise.
    case invalidPrefix

    /// What is wrong, in a few words.
    public var description: String {
        switch self {
        case .unsupportedScheme: "the URL is neither http nor https"
        case .malformed: "it is no cookie"
        case .tooLarge: "name and value are too long"
        case .nonASCIIDomain: "the domain is not ASCII"
        case .publicSuffix: "the domain is a public suffix"
        case .domainMismatch: "the host is not in the domain"
        case .secureOverHTTP: "it is Secure and came over http"
        case .shadowsSecureCookie: "it would hide a Secure cookie, and came over http"
        case .invalidPrefix: "it does not keep what its name promises"
        }
    }
}

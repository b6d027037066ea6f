internal import Wire

/// The reason why a redirect could not be followed; the error has the response.
@nonexhaustive public enum HTTPRedirectFailureReason: Sendable, Hashable {
    /// The call exceeded ``HTTPRedirectOptions/maxRedirects``.
    case tooMany(limit: Int)
    /// Location, with this text, is not a URL.
    case invalidLocation(String)
    /// The response has several Location fields with different values.
    case differentLocations([String])
    /// Location has a scheme other than http and https.
    case unsupportedScheme(String)
    /// Location leads from https to http, which ``HTTPRedirectOptions/allowsDowngrade`` forbids.
    case downgrade
    /// The closure of ``HTTPRedirectMode/custom(_:)`` threw this error.
    case thrown(description: String)
}

extension HTTPRedirectFailureReason: CustomStringConvertible {
    /// A one-line description.
    public var description: String {
        switch self {
        case .tooMany(let limit): "more than \(limit) redirects"
        case .invalidLocation(let text):
            "redirected to \(text.debugDescription), which is not a URL\(Self.reason(text))"
        case .differentLocations(let texts):
            "redirected to several different URLs: \(texts.map(\.debugDescription).joined(separator: ", "))"
        case .unsupportedScheme(let scheme):
            "redirected to the scheme \(scheme.debugDescription), which is neither http nor https"
        case .downgrade: "redirected from https to http, which is not allowed"
        case .thrown(let description): "the custom redirect closure failed: \(description)"
        }
    }

    /// The rule that a Location violates, after a colon; empty if the URL itself is valid.
    private static func reason(_ text: String) -> String {
        do throws(WireError) {
            _ = try URI(encoding: text)
            return ""
        } catch {
            return ": \(error.message)"
        }
    }
}

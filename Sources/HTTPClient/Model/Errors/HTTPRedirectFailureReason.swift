internal import Wire

/// Says why a redirect cannot be followed; the response is in the error.
@nonexhaustive public enum HTTPRedirectFailureReason: Sendable, Hashable {
    /// There were more than ``HTTPRedirectOptions/maxRedirects``.
    case tooMany(limit: Int)
    /// Location is no URL; the text is what it says.
    case invalidLocation(String)
    /// There are several fields of Location that differ.
    case differentLocations([String])
    /// It leads to another scheme than http and https.
    case unsupportedScheme(String)
    /// It leads from https to http, which ``HTTPRedirectOptions/allowsDowngrade`` forbids.
    case downgrade
    /// The closure of ``HTTPRedirectMode/custom(_:)`` threw this.
    case thrown(description: String)
}

extension HTTPRedirectFailureReason: CustomStringConvertible {
    /// One line.
    public var description: String {
        switch self {
        case .tooMany(let limit): "more than \(limit) redirects"
        case .invalidLocation(let text):
            "redirected to \(text.debugDescription), which is no URL\(Self.reason(text))"
        case .differentLocations(let texts):
            "redirected to different places: \(texts.map(\.debugDescription).joined(separator: ", "))"
        case .unsupportedScheme(let scheme):
            "redirected to the scheme \(scheme.debugDescription), which is neither http nor https"
        case .downgrade: "redirected from https to http"
        case .thrown(let description): "deciding on a redirect failed: \(description)"
        }
    }

    /// The rule that a Location breaks, with a colon before it; empty when it breaks none by itself.
    private static func reason(_ text: String) -> String {
        do throws(WireError) {
            _ = try URI(encoding: text)
            return ""
        } catch {
            return ": \(error.message)"
        }
    }
}

public import Wire

/// Says how redirects are followed.
///
///     var configuration = HTTPClient.Configuration()
///     configuration.redirects.maxRedirects = 3
///     let plain = client.with { $0.redirects = .refuse }
///
/// At each step the URL is resolved against the last one (RFC 3986 §5), keeps the fragment when it
/// names none, and loses its user name and password; ``HTTPRequest/rawTarget`` counts for the first
/// one alone. In another origin (scheme, host or port) and ever after, Authorization, Cookie,
/// Proxy-Authorization and Host of request and client are left out, as is Referer in a step from
/// https to http.
public struct HTTPRedirectOptions: Sendable {
    /// What becomes of a redirect.
    ///
    /// Default ``HTTPRedirectMode/follow``; ``HTTPRequest/redirectMode`` says it for one request.
    public var mode: HTTPRedirectMode

    /// Steps that one call may take.
    ///
    /// Default 10: no honest chain is longer, and a ring must end.
    public var maxRedirects: Int

    /// The statuses of 3xx that lead elsewhere when there is a Location.
    ///
    /// Default 300 to 303, 307 and 308 (RFC 9110 §15.4). 304 is an answer to a condition, 305 and 306
    /// are gone.
    public var statuses: HTTPStatusSet

    /// The statuses among 301, 302 and 303 at which a POST stays one, with its content.
    ///
    /// Default none: that is what servers expect, whatever the RFC wished for.
    public var keepsPost: HTTPStatusSet

    /// Whether a step from https to http is taken.
    ///
    /// Default yes, without credentials: many a shop's short link is one.
    public var allowsDowngrade: Bool

    /// Whether credentials go to wherever a redirect leads.
    ///
    /// Default no, and better left so: whoever can make the server redirect gets them then.
    public var sendsCredentialsCrossOrigin: Bool

    /// Makes the default settings.
    ///
    /// - Parameters:
    ///   - mode: default ``HTTPRedirectMode/follow``.
    ///   - maxRedirects: steps; default 10.
    public init(_ mode: HTTPRedirectMode = .follow, maxRedirects: Int = 10) {
        self.mode = mode
        self.maxRedirects = maxRedirects
        statuses = Self.usualStatuses
        keepsPost = []
        allowsDowngrade = true
        sendsCredentialsCrossOrigin = false
    }

    /// Whether a response with this status may lead elsewhere.
    func mayFollow(_ status: HTTPStatus) -> Bool {
        300...399 ~= status.code && statuses.contains(status)
    }

    private static let usualStatuses = HTTPStatusSet(300...303).union(HTTPStatusSet(307...308))

    /// Follows up to ten.
    public static let follow = HTTPRedirectOptions()
    /// Takes every response for the answer.
    public static let refuse = HTTPRedirectOptions(.refuse)
}

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

/// Tells of one step from a URL to another.
public struct HTTPRedirect: Sendable {
    /// The URL that was asked, without credentials.
    public let url: URI
    /// With which method.
    public let method: HTTPMethod
    /// What it answered: status and fields.
    public let head: ResponseHead
    /// Where it led: absolute, without credentials.
    public let location: URI

    /// The status code.
    public var status: HTTPStatus { head.status }
}

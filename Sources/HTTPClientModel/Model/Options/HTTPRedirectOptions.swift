public import Wire

/// Options for following redirects.
///
///     var configuration = HTTPClientConfiguration()
///     configuration.redirects.maxRedirects = 3
///     let plain = client.with { $0.redirects = .refuse }
///
/// Each redirect resolves Location against the previous URL (RFC 3986 §5). The new URL keeps the
/// previous fragment unless Location has one, and loses user name and password.
/// ``HTTPRequest/rawTarget`` applies to the first request only.
///
/// After a redirect to another origin (scheme, host or port), the client no longer sends Authorization,
/// Cookie, Proxy-Authorization and Host fields that are set on the request or the client. It also removes
/// If-Range, together with Range. A redirect from https to http removes Referer.
public struct HTTPRedirectOptions: Sendable {
    /// How redirects are handled.
    ///
    /// Default ``HTTPRedirectOptions/Mode/follow``. ``HTTPRequest/redirectMode`` overrides it for one request.
    public var mode: Mode

    /// The number of redirects that one call may follow; a retry of the call starts counting again.
    ///
    /// Default 10: legitimate chains are shorter, and redirect loops must end.
    public var maxRedirects: Int

    /// The 3xx statuses that count as redirects if the response has a Location.
    ///
    /// Default 300 to 303, 307 and 308 (RFC 9110 §15.4). 304 answers a conditional request, and 305 and
    /// 306 are obsolete.
    public var statuses: HTTPStatusSet

    /// The statuses among 301, 302 and 303 after which a POST stays a POST with its content.
    ///
    /// Default none: servers expect the change to GET, although for 301 and 302 the RFC only permits it.
    public var keepsPost: HTTPStatusSet

    /// Whether the client follows redirects from https to http.
    ///
    /// Default true, without credentials, because many short links use such redirects.
    public var allowsDowngrade: Bool

    /// Whether the client sends credentials to other origins after a redirect.
    ///
    /// Default false, which is recommended. If true, anyone who can make the server redirect obtains the
    /// credentials.
    public var sendsCredentialsCrossOrigin: Bool

    /// Creates the default options.
    ///
    /// - Parameters:
    ///   - mode: default ``HTTPRedirectOptions/Mode/follow``.
    ///   - maxRedirects: the number of redirects; default 10.
    public init(_ mode: Mode = .follow, maxRedirects: Int = 10) {
        self.mode = mode
        self.maxRedirects = maxRedirects
        statuses = Self.usualStatuses
        keepsPost = []
        allowsDowngrade = true
        sendsCredentialsCrossOrigin = false
    }

    /// Whether a response with this status can be a redirect.
    package func mayFollow(_ status: HTTPStatus) -> Bool {
        300...399 ~= status.code && statuses.contains(status)
    }

    private static let usualStatuses = HTTPStatusSet(300...303).union(HTTPStatusSet(307...308))

    /// Options for following up to ten redirects.
    public static let follow = HTTPRedirectOptions()
    /// Options for following no redirects: each redirect response is returned unchanged.
    public static let refuse = HTTPRedirectOptions(.refuse)
}

extension HTTPRedirectOptions {
    /// How the client handles a redirect response (RFC 9110 §15.4).
    public enum Mode: Sendable {
        /// Follows the redirect according to the RFC.
        ///
        /// After 301, 302 and 303, a POST becomes a GET without content, as in all common clients. After 303,
        /// every other method except HEAD becomes a GET too. After 307 and 308, method and content stay the
        /// same.
        case follow
        /// Follows the redirect with the same method and content, whatever the status.
        ///
        /// Credentials are still not sent to another origin.
        case followKeepingRequest
        /// Does not follow the redirect and returns the response.
        case refuse
        /// Calls a closure for each redirect, with the redirect and the request that ``follow`` would send.
        ///
        /// The client sends the request that the closure returns and removes nothing more from it. If the
        /// closure returns nil, the client behaves as with ``refuse``. An ``HTTPError`` that the closure throws
        /// ends the call unchanged. Any other error becomes `.redirectFailed(.thrown(…))` with
        /// ``HTTPError/underlying``.
        case custom(@Sendable (HTTPRedirect, HTTPRequest) async throws -> HTTPRequest?)
    }
}

/// One redirect from a URL to another.
public struct HTTPRedirect: Sendable {
    /// The URL of the redirected request, without credentials.
    public let url: URI
    /// The head of the redirected request, as sent.
    public let request: RequestHead
    /// The method of the redirected request.
    public var method: HTTPMethod { request.method }
    /// The head of the redirect response: status and header fields.
    public let head: ResponseHead
    /// The target of the redirect: an absolute URL without credentials.
    public let location: URI

    /// The status code of the redirect response.
    public var status: HTTPStatus { head.status }

    package init(
        url: URI,
        request: RequestHead,
        head: ResponseHead,
        location: URI
    ) {
        self.url = url
        self.request = request
        self.head = head
        self.location = location
    }
}

extension FieldName {
    /// The media types that the sender accepts (RFC 9110 §12.5.1).
    public static var accept: FieldName { FieldName(known: 1, "Accept") }
    /// The charsets that the sender accepts; deprecated (§12.5.2).
    public static var acceptCharset: FieldName { FieldName(known: 2, "Accept-Charset") }
    /// The content codings that the sender accepts (§12.5.3).
    public static var acceptEncoding: FieldName { FieldName(known: 3, "Accept-Encoding") }
    /// The languages that the user prefers (§12.5.4).
    public static var acceptLanguage: FieldName { FieldName(known: 4, "Accept-Language") }
    /// Whether the resource supports range requests (§14.3).
    public static var acceptRanges: FieldName { FieldName(known: 5, "Accept-Ranges") }
    /// Whether a script of another origin may send credentials (Fetch).
    public static var accessControlAllowCredentials: FieldName {
        FieldName(known: 6, "Access-Control-Allow-Credentials")
    }
    /// The fields that a script of another origin may send (Fetch).
    public static var accessControlAllowHeaders: FieldName {
        FieldName(known: 7, "Access-Control-Allow-Headers")
    }
    /// The methods that a script of another origin may use (Fetch).
    public static var accessControlAllowMethods: FieldName {
        FieldName(known: 8, "Access-Control-Allow-Methods")
    }
    /// The origin whose scripts may read the response (Fetch).
    public static var accessControlAllowOrigin: FieldName {
        FieldName(known: 9, "Access-Control-Allow-Origin")
    }
    /// The fields that a script of another origin may read (Fetch).
    public static var accessControlExposeHeaders: FieldName {
        FieldName(known: 10, "Access-Control-Expose-Headers")
    }
    /// The age of the response in seconds, when it comes from a cache (RFC 9111 §5.1).
    public static var age: FieldName { FieldName(known: 11, "Age") }
    /// The methods that the resource supports (RFC 9110 §10.2.1).
    public static var allow: FieldName { FieldName(known: 12, "Allow") }
    /// Alternative services that serve the same origin (RFC 7838).
    public static var altSvc: FieldName { FieldName(known: 13, "Alt-Svc") }
    /// The credentials for the origin server (RFC 9110 §11.6.2).
    public static var authorization: FieldName { FieldName(known: 14, "Authorization") }
    /// Directives for caches (RFC 9111 §5.2).
    public static var cacheControl: FieldName { FieldName(known: 15, "Cache-Control") }
    /// Options and fields that apply to this connection only (RFC 9110 §7.6.1).
    public static var connection: FieldName { FieldName(known: 16, "Connection") }
    /// How to present the content, and a suggested file name (RFC 6266).
    public static var contentDisposition: FieldName { FieldName(known: 17, "Content-Disposition") }
    /// The codings applied to the content (RFC 9110 §8.4).
    public static var contentEncoding: FieldName { FieldName(known: 18, "Content-Encoding") }
    /// The language of the content (§8.5).
    public static var contentLanguage: FieldName { FieldName(known: 19, "Content-Language") }
    /// The length of the content in bytes (§8.6).
    public static var contentLength: FieldName { FieldName(known: 20, "Content-Length") }
    /// The URI of the content (§8.7).
    public static var contentLocation: FieldName { FieldName(known: 21, "Content-Location") }
    /// The part of the representation that the content holds (§14.4).
    public static var contentRange: FieldName { FieldName(known: 22, "Content-Range") }
    /// Restrictions on what a page may load (CSP).
    public static var contentSecurityPolicy: FieldName {
        FieldName(known: 23, "Content-Security-Policy")
    }
    /// The media type of the content (§8.3).
    public static var contentType: FieldName { FieldName(known: 24, "Content-Type") }
    /// The cookies that the client sends to the server (RFC 6265 §4.2).
    public static var cookie: FieldName { FieldName(known: 25, "Cookie") }
    /// The date and time when the message was created (RFC 9110 §6.6.1).
    public static var date: FieldName { FieldName(known: 26, "Date") }
    /// An identifier for the current version of the representation (§8.8.3).
    public static var etag: FieldName { FieldName(known: 27, "ETag") }
    /// The behavior that the client expects of the server, such as 100-continue (§10.1.1).
    public static var expect: FieldName { FieldName(known: 28, "Expect") }
    /// The date after which the response is stale (RFC 9111 §5.3).
    public static var expires: FieldName { FieldName(known: 29, "Expires") }
    /// Information that proxies would otherwise hide, such as the client's address (RFC 7239).
    public static var forwarded: FieldName { FieldName(known: 30, "Forwarded") }
    /// The email address of the person who runs the client, usually a robot (RFC 9110 §10.1.2).
    public static var from: FieldName { FieldName(known: 31, "From") }
    /// The host and port of the target (§7.2).
    public static var host: FieldName { FieldName(known: 32, "Host") }
    /// The entity tags of which one must match the current version (§13.1.1).
    public static var ifMatch: FieldName { FieldName(known: 33, "If-Match") }
    /// The date after which the resource must have changed (§13.1.3).
    public static var ifModifiedSince: FieldName { FieldName(known: 34, "If-Modified-Since") }
    /// The entity tags of which none may match the current version (§13.1.2).
    public static var ifNoneMatch: FieldName { FieldName(known: 35, "If-None-Match") }
    /// The entity tag or date that must match for the server to honor Range (§13.1.5).
    public static var ifRange: FieldName { FieldName(known: 36, "If-Range") }
    /// The date after which the resource must not have changed (§13.1.4).
    public static var ifUnmodifiedSince: FieldName { FieldName(known: 37, "If-Unmodified-Since") }
    /// Hints on how long an idle connection stays open (RFC 2068 §19.7.1.1).
    public static var keepAlive: FieldName { FieldName(known: 38, "Keep-Alive") }
    /// The date when the representation last changed (RFC 9110 §8.8.2).
    public static var lastModified: FieldName { FieldName(known: 39, "Last-Modified") }
    /// Links to related resources (RFC 8288).
    public static var link: FieldName { FieldName(known: 40, "Link") }
    /// The URI to follow, or that of the resource created (RFC 9110 §10.2.2).
    public static var location: FieldName { FieldName(known: 41, "Location") }
    /// The number of times TRACE or OPTIONS may still be forwarded (§7.6.2).
    public static var maxForwards: FieldName { FieldName(known: 42, "Max-Forwards") }
    /// The origin of the page that sends the request (RFC 6454 §7).
    public static var origin: FieldName { FieldName(known: 43, "Origin") }
    /// Directives for HTTP/1.0 caches (RFC 9111 §5.4).
    public static var pragma: FieldName { FieldName(known: 44, "Pragma") }
    /// The challenges of a proxy (RFC 9110 §11.7.1).
    public static var proxyAuthenticate: FieldName { FieldName(known: 45, "Proxy-Authenticate") }
    /// The credentials for a proxy (§11.7.2).
    public static var proxyAuthorization: FieldName { FieldName(known: 46, "Proxy-Authorization") }
    /// The parts of the representation that the client requests (§14.2).
    public static var range: FieldName { FieldName(known: 47, "Range") }
    /// The URI of the page that led to the request (§10.1.3).
    public static var referer: FieldName { FieldName(known: 48, "Referer") }
    /// The time that the client should wait before the next request (§10.2.3).
    public static var retryAfter: FieldName { FieldName(known: 49, "Retry-After") }
    /// The software of the server (§10.2.4).
    public static var server: FieldName { FieldName(known: 50, "Server") }
    /// A cookie for the client to store; never joined by commas (RFC 6265 §4.1).
    public static var setCookie: FieldName { FieldName(known: 51, "Set-Cookie") }
    /// An instruction to use only https for this host (RFC 6797).
    public static var strictTransportSecurity: FieldName {
        FieldName(known: 52, "Strict-Transport-Security")
    }
    /// The transfer codings that the sender accepts, and whether it accepts trailers (RFC 9110 §10.1.4).
    public static var te: FieldName { FieldName(known: 53, "TE") }
    /// The names of the fields in the trailer section (§6.6.2).
    public static var trailer: FieldName { FieldName(known: 54, "Trailer") }
    /// The codings applied to the message body (RFC 9112 §6.1).
    public static var transferEncoding: FieldName { FieldName(known: 55, "Transfer-Encoding") }
    /// The protocols to which the sender offers to switch (RFC 9110 §7.8).
    public static var upgrade: FieldName { FieldName(known: 56, "Upgrade") }
    /// The software of the client (§10.1.5).
    public static var userAgent: FieldName { FieldName(known: 57, "User-Agent") }
    /// The request fields on which the choice of the representation depends (§12.5.5).
    public static var vary: FieldName { FieldName(known: 58, "Vary") }
    /// The proxies that forwarded the message (§7.6.3).
    public static var via: FieldName { FieldName(known: 59, "Via") }
    /// The challenges of the server (§11.6.1).
    public static var wwwAuthenticate: FieldName { FieldName(known: 60, "WWW-Authenticate") }
    /// An instruction not to guess the media type (Fetch).
    public static var xContentTypeOptions: FieldName {
        FieldName(known: 61, "X-Content-Type-Options")
    }
    /// The client addresses that proxies recorded.
    public static var xForwardedFor: FieldName { FieldName(known: 62, "X-Forwarded-For") }
    /// Whether other pages may embed this page in a frame (RFC 7034).
    public static var xFrameOptions: FieldName { FieldName(known: 63, "X-Frame-Options") }
    /// A mark for requests made by scripts.
    public static var xRequestedWith: FieldName { FieldName(known: 64, "X-Requested-With") }

    /// The names in the table, ordered by number; numbers begin at 1.
    static var known: [FieldName] {
        [
            .accept, .acceptCharset, .acceptEncoding, .acceptLanguage, .acceptRanges,
            .accessControlAllowCredentials, .accessControlAllowHeaders,
            .accessControlAllowMethods, .accessControlAllowOrigin,
            .accessControlExposeHeaders, .age, .allow, .altSvc, .authorization,
            .cacheControl, .connection, .contentDisposition, .contentEncoding,
            .contentLanguage, .contentLength, .contentLocation, .contentRange,
            .contentSecurityPolicy, .contentType, .cookie, .date, .etag, .expect, .expires,
            .forwarded, .from, .host, .ifMatch, .ifModifiedSince, .ifNoneMatch, .ifRange,
            .ifUnmodifiedSince, .keepAlive, .lastModified, .link, .location, .maxForwards,
            .origin, .pragma, .proxyAuthenticate, .proxyAuthorization, .range, .referer,
            .retryAfter, .server, .setCookie, .strictTransportSecurity, .te, .trailer,
            .transferEncoding, .upgrade, .userAgent, .vary, .via, .wwwAuthenticate,
            .xContentTypeOptions, .xForwardedFor, .xFrameOptions, .xRequestedWith,
        ]
    }
}

extension FieldName {
    /// Names the media types the sender takes (RFC 9110 §12.5.1).
    public static var accept: FieldName { FieldName(known: 1, "Accept") }
    /// Names the charsets the sender takes; deprecated (§12.5.2).
    public static var acceptCharset: FieldName { FieldName(known: 2, "Accept-Charset") }
    /// Names the content codings the sender takes (§12.5.3).
    public static var acceptEncoding: FieldName { FieldName(known: 3, "Accept-Encoding") }
    /// Names the languages the user reads (§12.5.4).
    public static var acceptLanguage: FieldName { FieldName(known: 4, "Accept-Language") }
    /// Says whether the resource takes range requests (§14.3).
    public static var acceptRanges: FieldName { FieldName(known: 5, "Accept-Ranges") }
    /// Lets a script of another origin send credentials (Fetch).
    public static var accessControlAllowCredentials: FieldName {
        FieldName(known: 6, "Access-Control-Allow-Credentials")
    }
    /// Lists fields a script of another origin may send (Fetch).
    public static var accessControlAllowHeaders: FieldName {
        FieldName(known: 7, "Access-Control-Allow-Headers")
    }
    /// Lists methods a script of another origin may use (Fetch).
    public static var accessControlAllowMethods: FieldName {
        FieldName(known: 8, "Access-Control-Allow-Methods")
    }
    /// Names the origin whose scripts may read the response (Fetch).
    public static var accessControlAllowOrigin: FieldName {
        FieldName(known: 9, "Access-Control-Allow-Origin")
    }
    /// Lists fields a script of another origin may read (Fetch).
    public static var accessControlExposeHeaders: FieldName {
        FieldName(known: 10, "Access-Control-Expose-Headers")
    }
    /// Counts the seconds the response was in a cache (RFC 9111 §5.1).
    public static var age: FieldName { FieldName(known: 11, "Age") }
    /// Lists the methods of the resource (RFC 9110 §10.2.1).
    public static var allow: FieldName { FieldName(known: 12, "Allow") }
    /// Names other ways to reach the origin (RFC 7838).
    public static var altSvc: FieldName { FieldName(known: 13, "Alt-Svc") }
    /// Carries credentials (RFC 9110 §11.6.2).
    public static var authorization: FieldName { FieldName(known: 14, "Authorization") }
    /// Carries directives for caches (RFC 9111 §5.2).
    public static var cacheControl: FieldName { FieldName(known: 15, "Cache-Control") }
    /// Lists options and fields of this connection alone (RFC 9110 §7.6.1).
    public static var connection: FieldName { FieldName(known: 16, "Connection") }
    /// Suggests a file name (RFC 6266).
    public static var contentDisposition: FieldName { FieldName(known: 17, "Content-Disposition") }
    /// Lists the codings applied to the content (RFC 9110 §8.4).
    public static var contentEncoding: FieldName { FieldName(known: 18, "Content-Encoding") }
    /// Names the language of the content (§8.5).
    public static var contentLanguage: FieldName { FieldName(known: 19, "Content-Language") }
    /// Gives the length of the content in bytes (§8.6).
    public static var contentLength: FieldName { FieldName(known: 20, "Content-Length") }
    /// Names the URI of the content (§8.7).
    public static var contentLocation: FieldName { FieldName(known: 21, "Content-Location") }
    /// Says which part of the representation follows (§14.4).
    public static var contentRange: FieldName { FieldName(known: 22, "Content-Range") }
    /// Restricts what a page may load (CSP).
    public static var contentSecurityPolicy: FieldName {
        FieldName(known: 23, "Content-Security-Policy")
    }
    /// Names the media type of the content (§8.3).
    public static var contentType: FieldName { FieldName(known: 24, "Content-Type") }
    /// Returns stored cookies (RFC 6265 §4.2).
    public static var cookie: FieldName { FieldName(known: 25, "Cookie") }
    /// Says when the message was made (RFC 9110 §6.6.1).
    public static var date: FieldName { FieldName(known: 26, "Date") }
    /// Identifies the state of the representation (§8.8.3).
    public static var etag: FieldName { FieldName(known: 27, "ETag") }
    /// Announces what the client waits for (§10.1.1).
    public static var expect: FieldName { FieldName(known: 28, "Expect") }
    /// Says when the response becomes stale (RFC 9111 §5.3).
    public static var expires: FieldName { FieldName(known: 29, "Expires") }
    /// Tells what proxies changed (RFC 7239).
    public static var forwarded: FieldName { FieldName(known: 30, "Forwarded") }
    /// Names the person behind a robot (RFC 9110 §10.1.2).
    public static var from: FieldName { FieldName(known: 31, "From") }
    /// Names the authority the request is for (§7.2).
    public static var host: FieldName { FieldName(known: 32, "Host") }
    /// Makes the request depend on an entity tag (§13.1.1).
    public static var ifMatch: FieldName { FieldName(known: 33, "If-Match") }
    /// Asks only for something newer than a date (§13.1.3).
    public static var ifModifiedSince: FieldName { FieldName(known: 34, "If-Modified-Since") }
    /// Asks only for another state than those named (§13.1.2).
    public static var ifNoneMatch: FieldName { FieldName(known: 35, "If-None-Match") }
    /// Asks for a part only if the state is the same (§13.1.5).
    public static var ifRange: FieldName { FieldName(known: 36, "If-Range") }
    /// Makes the request depend on a date (§13.1.4).
    public static var ifUnmodifiedSince: FieldName { FieldName(known: 37, "If-Unmodified-Since") }
    /// Gives hints on how long a connection stays open (RFC 2068 §19.7.1.1).
    public static var keepAlive: FieldName { FieldName(known: 38, "Keep-Alive") }
    /// Says when the representation last changed (RFC 9110 §8.8.2).
    public static var lastModified: FieldName { FieldName(known: 39, "Last-Modified") }
    /// Points to related resources (RFC 8288).
    public static var link: FieldName { FieldName(known: 40, "Link") }
    /// Names the resource the response speaks of (RFC 9110 §10.2.2).
    public static var location: FieldName { FieldName(known: 41, "Location") }
    /// Bounds the hops of TRACE and OPTIONS (§7.6.2).
    public static var maxForwards: FieldName { FieldName(known: 42, "Max-Forwards") }
    /// Names the origin of the page that asks (RFC 6454 §7).
    public static var origin: FieldName { FieldName(known: 43, "Origin") }
    /// Carries directives for HTTP/1.0 caches (RFC 9111 §5.4).
    public static var pragma: FieldName { FieldName(known: 44, "Pragma") }
    /// Carries the challenges of a proxy (RFC 9110 §11.7.1).
    public static var proxyAuthenticate: FieldName { FieldName(known: 45, "Proxy-Authenticate") }
    /// Carries credentials for a proxy (§11.7.2).
    public static var proxyAuthorization: FieldName { FieldName(known: 46, "Proxy-Authorization") }
    /// Asks for parts of the representation (§14.2).
    public static var range: FieldName { FieldName(known: 47, "Range") }
    /// Names the page the request comes from (§10.1.3).
    public static var referer: FieldName { FieldName(known: 48, "Referer") }
    /// Says how long to wait (§10.2.3).
    public static var retryAfter: FieldName { FieldName(known: 49, "Retry-After") }
    /// Names the software of the server (§10.2.4).
    public static var server: FieldName { FieldName(known: 50, "Server") }
    /// Asks to store a cookie; never joined by commas (RFC 6265 §4.1).
    public static var setCookie: FieldName { FieldName(known: 51, "Set-Cookie") }
    /// Asks for https from now on (RFC 6797).
    public static var strictTransportSecurity: FieldName {
        FieldName(known: 52, "Strict-Transport-Security")
    }
    /// Names the transfer codings the sender takes, and trailers (RFC 9110 §10.1.4).
    public static var te: FieldName { FieldName(known: 53, "TE") }
    /// Announces the fields of the trailer section (§6.6.2).
    public static var trailer: FieldName { FieldName(known: 54, "Trailer") }
    /// Lists the codings applied to the message (RFC 9112 §6.1).
    public static var transferEncoding: FieldName { FieldName(known: 55, "Transfer-Encoding") }
    /// Offers other protocols (RFC 9110 §7.8).
    public static var upgrade: FieldName { FieldName(known: 56, "Upgrade") }
    /// Names the software of the client (§10.1.5).
    public static var userAgent: FieldName { FieldName(known: 57, "User-Agent") }
    /// Lists the fields that chose the representation (§12.5.5).
    public static var vary: FieldName { FieldName(known: 58, "Vary") }
    /// Lists the proxies passed (§7.6.3).
    public static var via: FieldName { FieldName(known: 59, "Via") }
    /// Carries the challenges of the server (§11.6.1).
    public static var wwwAuthenticate: FieldName { FieldName(known: 60, "WWW-Authenticate") }
    /// Stops guessing of media types (Fetch).
    public static var xContentTypeOptions: FieldName {
        FieldName(known: 61, "X-Content-Type-Options")
    }
    /// Lists the addresses that proxies saw.
    public static var xForwardedFor: FieldName { FieldName(known: 62, "X-Forwarded-For") }
    /// Stops framing of a page (RFC 7034).
    public static var xFrameOptions: FieldName { FieldName(known: 63, "X-Frame-Options") }
    /// Marks requests made by scripts.
    public static var xRequestedWith: FieldName { FieldName(known: 64, "X-Requested-With") }

    /// Lists every name that has a number, in the order of the numbers, which begin at 1.
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

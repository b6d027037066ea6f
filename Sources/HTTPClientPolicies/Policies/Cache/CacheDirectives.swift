package import Wire

/// The directives of a response that a private cache obeys (RFC 9111 §5.2.2, RFC 5861, RFC 8246).
///
/// Directives for shared caches are ignored: `s-maxage`, `proxy-revalidate` and `private`, which still permits
/// storing. `immutable` has no effect: the client only validates a fresh response if the caller asks for that, and
/// RFC 8246 §2 permits that override.
package struct ResponseDirectives: Sendable, Hashable {
    /// The freshness lifetime in seconds; nil if there is no `max-age`.
    package let maxAge: Int?
    /// Whether the response must not be stored.
    package let isNoStore: Bool
    /// Whether the whole response must be validated before each use.
    package let isNoCache: Bool
    /// The fields that must not be served without validation (§5.2.2.4).
    let noCacheFields: [FieldName]
    /// Whether the response must not be used once it is stale.
    package let isMustRevalidate: Bool
    /// Whether only a cache that understands the status may store the response.
    package let isMustUnderstand: Bool
    /// Whether any cache may store the response.
    package let isPublic: Bool
    /// Whether a private cache may store the response.
    package let isPrivate: Bool
    /// The staleness in seconds during which the response is used while it is being validated; 0 if never.
    package let staleWhileRevalidate: Int
    /// The staleness in seconds during which the response is used if the origin fails; 0 if never.
    package let staleIfError: Int

    /// Parses the Cache-Control fields of a response.
    ///
    /// A repeated directive counts once, the first time (§4.2.1). Without arguments in one place, `no-cache` applies to
    /// the whole response. It also does if its argument is not a list of field names. A field that cannot be parsed
    /// counts as `no-store`.
    package init(_ headers: HTTPHeaders) {
        let control = CacheControl(parsing: headers)
        guard !control.directives.isEmpty else {
            self = .none
            return
        }
        maxAge = control.maxAge
        isNoStore = control.isNoStore
        let noCache = control.directives.filter { $0.name == "no-cache" }
        let lists = noCache.map { ListSyntax.elements(of: $0.argument ?? "").map { FieldName($0) } }
        isNoCache = lists.contains { $0.isEmpty || !$0.allSatisfy(\.isToken) }
        noCacheFields = isNoCache ? [] : lists.flatMap { $0 }
        isMustRevalidate = control.isMustRevalidate
        isMustUnderstand = control.isMustUnderstand
        isPublic = control.isPublic
        isPrivate = control.isPrivate
        staleWhileRevalidate = control.staleWhileRevalidate ?? 0
        staleIfError = control.staleIfError ?? 0
    }

    /// Those of a response without directives, as many are.
    private static let none = ResponseDirectives()

    private init() {
        (maxAge, noCacheFields) = (nil, [])
        (isNoStore, isNoCache, isMustRevalidate, isMustUnderstand) = (false, false, false, false)
        (isPublic, isPrivate, staleWhileRevalidate, staleIfError) = (false, false, 0, 0)
    }
}

/// The directives of a request that a private cache obeys (RFC 9111 §5.2.1, RFC 5861 §4).
struct RequestDirectives: Sendable, Hashable {
    /// The maximum accepted age in seconds; nil if there is no `max-age`.
    let maxAge: Int?
    /// The accepted staleness in seconds, 2^31 for any; nil if there is no `max-stale`.
    let maxStale: Int?
    /// The freshness in seconds that must remain; 0 if there is no `min-fresh`.
    let minFresh: Int
    /// Whether a stored response must be validated before use.
    let isNoCache: Bool
    /// Whether nothing of the exchange may be stored.
    let isNoStore: Bool
    /// Whether only a stored response may be used.
    let isOnlyIfCached: Bool
    /// The accepted staleness in seconds if the origin fails; 0 if there is no `stale-if-error`.
    let staleIfError: Int

    /// Parses the Cache-Control fields of a request.
    ///
    /// `Pragma: no-cache` counts as `no-cache` if there is no Cache-Control (§5.4). A field that cannot be parsed
    /// counts as `no-store`.
    init(_ headers: HTTPHeaders) {
        let control = CacheControl(parsing: headers)
        guard !control.directives.isEmpty else {
            // Most requests have none.
            (maxAge, maxStale, minFresh, staleIfError) = (nil, nil, 0, 0)
            (isNoStore, isOnlyIfCached) = (false, false)
            isNoCache =
                !headers.contains(.cacheControl) && headers.containsToken("no-cache", in: .pragma)
            return
        }
        maxAge = control.maxAge
        maxStale = control.maxStale
        minFresh = control.minFresh ?? 0
        isNoStore = control.isNoStore
        isOnlyIfCached = control.isOnlyIfCached
        staleIfError = control.staleIfError ?? 0
        isNoCache =
            control.isNoCache
            || !headers.contains(.cacheControl) && headers.containsToken("no-cache", in: .pragma)
    }
}

extension CacheControl {
    /// Parses all lines; a section that cannot be parsed forbids storing.
    fileprivate init(parsing headers: HTTPHeaders) {
        guard let text = headers.combined(.cacheControl) else {
            self.init([])
            return
        }
        self = CacheControl(text) ?? CacheControl([.noStore])
    }
}

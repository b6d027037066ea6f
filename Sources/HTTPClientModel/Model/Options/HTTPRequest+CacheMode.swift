package import Wire

extension HTTPRequest.CacheMode {
    /// Returns the mode that applies to a request.
    ///
    /// A caller that sends a condition expects the answer of the origin, such as a 304. In the default mode, such a
    /// request bypasses the cache (Fetch, HTTP-network-or-cache fetch). If-Range is an exception, because
    /// ``CacheRanges`` evaluates it.
    package func applied(to headers: HTTPHeaders) -> Self {
        guard self == .default, Self.conditions.contains(where: { headers.contains($0) }) else {
            return self
        }
        return .noStore
    }

    /// The fields that tell caches on the way to the origin about the mode; empty if there is nothing to tell.
    ///
    /// The caller adds only those that the request does not have. `noCache` sends `max-age=0`, so that other caches
    /// validate too. `noStore` and `reload` send `no-cache`, so that other caches do not answer (Fetch).
    package var requestFields: HTTPHeaders {
        switch self {
        case .default, .forceCache, .onlyIfCached: [:]
        case .noCache: [.cacheControl: "max-age=0"]
        case .noStore, .reload: [.pragma: "no-cache", .cacheControl: "no-cache"]
        }
    }

    private static let conditions: [FieldName] = [
        .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince,
    ]
}

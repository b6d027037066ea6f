package import Wire

/// The decision on a request: whether the cache answers it (RFC 9111 §4).
package enum CacheDecision: Sendable, Hashable {
    /// A stored response answers, and it is fresh.
    case fresh(CacheReuse)
    /// A stored response answers although it is stale.
    case stale(CacheReuse, CacheStaleReason)
    /// The request goes to the origin with conditions; a 304 confirms the stored response.
    case revalidate(CacheRevalidation)
    /// The request goes to the origin unchanged.
    case fetch(CacheFetchReason)
    /// The request may only be answered by the cache, and it cannot.
    ///
    /// Under `only-if-cached`, the answer is a 504 (§5.2.1.7).
    case unavailable(CacheFetchReason)
}

/// The use of a stored response.
package struct CacheReuse: Sendable, Hashable {
    /// The index of the stored response.
    package let index: Int
    /// The value of the Age field, in seconds (RFC 9111 §5.1).
    package let age: Int
    /// The fields to leave out, because `no-cache` names them (§5.2.2.4).
    package let withheldFields: [FieldName]
    /// The bytes to serve.
    package let content: CacheRanges.Answer

    package init(index: Int, age: Int, withheldFields: [FieldName], content: CacheRanges.Answer) {
        self.index = index
        self.age = age
        self.withheldFields = withheldFields
        self.content = content
    }
}

/// A conditional request for a stored response.
package struct CacheRevalidation: Sendable, Hashable {
    /// The index of the stored response.
    package let index: Int
    /// The fields to add to the request; never empty.
    package let conditions: HTTPHeaders
    package let reason: CacheRevalidationReason

    package init(index: Int, conditions: HTTPHeaders, reason: CacheRevalidationReason) {
        self.index = index
        self.conditions = conditions
        self.reason = reason
    }
}

/// The permission to use a stale response.
package enum CacheStaleReason: Sendable, Hashable {
    /// The mode permits it.
    case mode
    /// The request has `max-stale`.
    case requestMaxStale
    /// The response has `stale-while-revalidate`: the client validates it in the background (RFC 5861 §3).
    case whileRevalidating
}

/// The reason why a stored response must be validated.
package enum CacheRevalidationReason: Sendable, Hashable {
    /// The response is stale.
    case stale
    case mode
    case requestNoCache
    /// The response is older than the `max-age` of the request.
    case requestMaxAge
    /// The response does not stay fresh for the `min-fresh` of the request.
    case requestMinFresh
    case responseNoCache
}

/// The reason why no stored response answers a request.
package enum CacheFetchReason: Sendable, Hashable, Error {
    /// The method is neither GET nor HEAD.
    case method
    /// The mode excludes stored responses, or the request has its own conditions.
    case mode
    case requestNoStore
    /// The request has content.
    case requestContent
    /// No response is stored for the URI.
    case notStored
    /// The responses for the URI were selected by other request fields.
    case varyMiss
    /// The requested bytes are not stored.
    case partial
    /// The stored response must be validated, but it has no validator, or only the cache may answer.
    case notUsable(CacheRevalidationReason)

    /// The value of the parameter `fwd` in a Cache-Status field (RFC 9211 §2.2).
    package var forwardParameter: String {
        switch self {
        case .method: "method"
        case .mode, .requestContent: "bypass"
        case .requestNoStore: "request"
        case .notStored: "uri-miss"
        case .varyMiss: "vary-miss"
        case .partial: "partial"
        case .notUsable(let reason): reason.forwardParameter
        }
    }
}

extension CacheRevalidationReason {
    /// The value of the parameter `fwd` in a Cache-Status field (RFC 9211 §2.2).
    package var forwardParameter: String {
        switch self {
        case .stale, .responseNoCache: "stale"
        case .mode, .requestNoCache, .requestMaxAge, .requestMinFresh: "request"
        }
    }
}

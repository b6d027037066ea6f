/// A directive of a request for the caches on its way (Cache-Control, RFC 9111 §5.2.1).
public enum HTTPCacheControl: Sendable, Hashable {
    /// Accepts only a response that is at most this many seconds old.
    case maxAge(seconds: Int)
    /// Accepts a response that has been stale for at most this many seconds; nil accepts any staleness.
    case maxStale(seconds: Int?)
    /// Accepts only a response that stays fresh for at least this many more seconds.
    case minFresh(seconds: Int)
    /// Accepts a stored response only after the origin has confirmed it.
    case noCache
    /// Forbids caches from storing the request or its response.
    case noStore
    /// Forbids intermediaries from transforming the content.
    case noTransform
    /// Accepts only a stored response; without one, the cache answers 504 (Gateway Timeout).
    case onlyIfCached

    /// Whether the number of seconds is not negative.
    var isValid: Bool {
        switch self {
        case .maxAge(let seconds), .minFresh(let seconds): seconds >= 0
        case .maxStale(let seconds): seconds ?? 0 >= 0
        case .noCache, .noStore, .noTransform, .onlyIfCached: true
        }
    }

    /// The directive as written in the header field.
    public var headerValue: String {
        switch self {
        case .maxAge(let seconds): "max-age=\(seconds)"
        case .maxStale(nil): "max-stale"
        case .maxStale(let seconds?): "max-stale=\(seconds)"
        case .minFresh(let seconds): "min-fresh=\(seconds)"
        case .noCache: "no-cache"
        case .noStore: "no-store"
        case .noTransform: "no-transform"
        case .onlyIfCached: "only-if-cached"
        }
    }
}

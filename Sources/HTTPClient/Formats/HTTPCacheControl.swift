/// Says what a request wants of the caches on its way (RFC 9111 §5.2.1).
public enum HTTPCacheControl: Sendable, Hashable {
    /// Nothing older than so many seconds.
    case maxAge(seconds: Int)
    /// Also what is stale by so many seconds; nil takes it however stale it is.
    case maxStale(seconds: Int?)
    /// Only what stays fresh for so many seconds more.
    case minFresh(seconds: Int)
    /// Only what the origin has confirmed.
    case noCache
    /// Neither request nor response is to be stored.
    case noStore
    /// The content must stay as it is.
    case noTransform
    /// Only what is stored; else 504 (Gateway Timeout).
    case onlyIfCached

    /// Whether the number of seconds is not negative.
    var isValid: Bool {
        switch self {
        case .maxAge(let seconds), .minFresh(let seconds): seconds >= 0
        case .maxStale(let seconds): seconds ?? 0 >= 0
        case .noCache, .noStore, .noTransform, .onlyIfCached: true
        }
    }

    /// The directive as it stands in the field.
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

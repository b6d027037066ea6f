extension HTTPRequest {
    /// The way in which a request uses the client's cache (``HTTPClientSettings/cache``).
    ///
    /// These are the modes of the Fetch standard. `must-revalidate` and `no-cache` of a stored response apply in every
    /// mode.
    public enum CacheMode: Sendable, Hashable, CaseIterable {
        /// The cache follows RFC 9111.
        ///
        /// A request in which the caller sets a condition, such as If-None-Match, bypasses the cache.
        case `default`
        /// The cache is neither read nor written.
        case noStore
        /// The cache is not read, but the response is stored.
        case reload
        /// A stored response is used only after the origin confirmed it.
        case noCache
        /// A stored response is used even if it is stale.
        case forceCache
        /// Only a stored response is used, even if it is stale; without one, the response is a 504.
        case onlyIfCached
    }

    /// The way in which this request uses the client's cache.
    ///
    /// Default: the mode of the client, ``HTTPClientSettings/cacheMode``; this property is `.default` then. It has no
    /// effect on a client without a cache.
    public var cacheMode: CacheMode {
        get { optionsBox?.settings.cacheMode ?? .default }
        set { options.cacheMode = newValue }
    }
}

/// Options for the cache of resolved host names.
///
/// The lifetimes are short because the C library does not expose the TTL of a DNS record.
public struct HTTPDNSCacheOptions: Sendable, Hashable {
    /// The time for which addresses are cached; zero turns caching off.
    ///
    /// Default 30 s: as long as an idle connection is kept, and short enough to notice when a service
    /// moves. If all addresses of a host fail, they are removed at once.
    public var positiveTTL: Duration = .seconds(30)

    /// The time for which a failed lookup is cached; zero turns caching off.
    ///
    /// Default 1 s: enough for a burst of calls, and short enough to notice a host that becomes available.
    public var negativeTTL: Duration = .seconds(1)

    /// The maximum number of cached hosts.
    ///
    /// Default 1024: about 100 KiB, and more hosts than most programs use. When the cache is full, the entry
    /// that expires first is evicted.
    public var maxEntries = 1024

    /// Creates the default options.
    public init() {}
}

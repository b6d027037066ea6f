internal import SocketTransport

/// A custom resolver that replaces the system's resolver.
///
///     struct Registry: HTTPResolver {
///         let services: [String: [IPAddress]]
///
///         func addresses(of host: String) async throws -> [IPAddress] {
///             services[host] ?? []
///         }
///     }
///
/// Concurrent calls for the same host share one lookup. The client caches the result
/// (``HTTPDNSCacheOptions``) and applies its ``AddressPolicy`` to every address.
public protocol HTTPResolver: Sendable {
    /// Returns the addresses of a host.
    ///
    /// The client calls it on Swift's concurrent thread pool, never on its event loop. When no request
    /// waits for the result any longer, the task is cancelled and the result is not used.
    ///
    /// - Parameter host: the host as in the URL, in lower case; never a numeric address.
    /// - Returns: the addresses in order of preference. The client skips those that
    ///   ``HTTPConnectOptions/addressFamily`` excludes. An empty array is a failure.
    /// - Throws: any error; the call fails with ``HTTPError/Kind/resolveFailed(host:reason:)``.
    @concurrent func addresses(of host: String) async throws -> [IPAddress]
}

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

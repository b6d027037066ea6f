public import SocketTransport

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
/// (`HTTPDNSCacheOptions`) and applies its ``AddressPolicy`` to every address.
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

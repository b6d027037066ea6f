internal import SocketTransport

/// Finds the addresses of hosts, in place of the system's resolver.
///
///     struct Registry: HTTPResolver {
///         let services: [String: [IPAddress]]
///
///         func addresses(of host: String) async throws -> [IPAddress] {
///             services[host] ?? []
///         }
///     }
///
/// The client asks once for all who ask at the same time, remembers the answer
/// (``HTTPDNSCacheOptions``), and lets its ``AddressPolicy`` judge every address.
public protocol HTTPResolver: Sendable {
    /// Finds the addresses of a host.
    ///
    /// Called on Swift's concurrent pool, never on the thread of the client's sockets. When nobody
    /// waits for the answer any more, the task is cancelled and what it returns is not used.
    ///
    /// - Parameter host: as in the URL, with letters in lower case; never a numeric address.
    /// - Returns: in the order of preference; those that ``HTTPConnectOptions/addressFamily`` excludes are
    ///   left out by the client. None at all is a failure.
    /// - Throws: anything; the call ends with ``HTTPError/Kind/resolveFailed(host:reason:)``.
    @concurrent func addresses(of host: String) async throws -> [IPAddress]
}

/// Says how long answers of the resolver are remembered.
///
/// The C library does not tell how long an answer holds (its TTL), so the time is short.
public struct HTTPDNSCacheOptions: Sendable, Hashable {
    /// How long addresses are remembered; zero switches it off.
    ///
    /// Default 30 s: as long as an unused connection is kept, and short enough that a service which
    /// moves is found again. Addresses that all fail are forgotten at once.
    public var positiveTTL: Duration = .seconds(30)

    /// How long it is remembered that a host has no address; zero switches it off.
    ///
    /// Default 1 s: enough to answer a storm of calls, too short to miss a host that comes up.
    public var negativeTTL: Duration = .seconds(1)

    /// Hosts remembered.
    ///
    /// Default 1024: some 100 KiB, and more hosts than most programs meet. Beyond it the answer that would end first makes room.
    public var maxEntries = 1024

    /// Makes the default settings.
    public init() {}
}

extension HostResolver {
    /// Makes the address book of a client.
    convenience init(_ configuration: HTTPClient.Configuration) {
        let cache = configuration.dnsCache
        let limits = DNSCache.Limits(
            positiveTTL: cache.positiveTTL,
            negativeTTL: cache.negativeTTL,
            entries: cache.maxEntries
        )
        guard let resolver = configuration.resolver else {
            self.init(limits: limits)
            return
        }
        self.init(limits: limits) { name, completion in
            let task = Task(executorPreference: globalConcurrentExecutor) {
                completion(await Self.answer(resolver, name))
            }
            return { .cancelled { task.cancel() } }
        }
    }

    private static func answer(
        _ resolver: any HTTPResolver,
        _ name: HostQuery
    ) async -> GetaddrinfoResolver.LookupResult {
        do {
            let hosts = try await resolver.addresses(of: name.host).map(\.host)
            let fitting = hosts.filter { name.family.includes($0) }
            guard fitting.isEmpty else { return .success(fitting) }
            guard hosts.isEmpty else { return .failure(.noAddressInFamily(host: name.host)) }
            let reason = "the resolver found no address"
            return .failure(.resolverFailed(host: name.host, reason: reason))
        } catch {
            return .failure(.resolverFailed(host: name.host, reason: "\(error)"))
        }
    }
}

internal import SocketTransport

/// Security settings with a precomputed hash, used in the key of pooled connections.
///
/// Settings can contain whole certificate bundles. Hashing those for each request would be
/// expensive.
package final class HashedSecurity: Sendable, Hashable {
    package let security: HTTPSecurity
    private let cachedHash: Int

    package init(_ security: HTTPSecurity) {
        self.security = security
        var hasher = Hasher()
        hasher.combine(security)
        cachedHash = hasher.finalize()
    }

    package static func == (left: HashedSecurity, right: HashedSecurity) -> Bool {
        left === right || (left.cachedHash == right.cachedHash && left.security == right.security)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(cachedHash)
    }
}

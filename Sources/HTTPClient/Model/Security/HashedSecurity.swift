internal import SocketTransport

/// Security settings with a precomputed hash, used in the key of pooled connections.
///
/// Settings can contain whole certificate bundles. Hashing those for each request would be
/// expensive.
final class HashedSecurity: Sendable, Hashable {
    let security: HTTPSecurity
    private let cachedHash: Int

    init(_ security: HTTPSecurity) {
        self.security = security
        var hasher = Hasher()
        hasher.combine(security)
        cachedHash = hasher.finalize()
    }

    static func == (left: HashedSecurity, right: HashedSecurity) -> Bool {
        left === right || (left.cachedHash == right.cachedHash && left.security == right.security)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(cachedHash)
    }
}

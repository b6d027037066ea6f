/// Holds settings with their hash, cachedHash once: what connections are filed under.
///
/// Settings may hold whole certificate bundles; hashing those for each request would be felt.
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

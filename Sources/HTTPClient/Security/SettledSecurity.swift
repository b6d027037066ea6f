/// Holds settings with their hash, reckoned once: what connections are filed under.
///
/// Settings may hold whole certificate bundles; hashing those for each request would be felt.
final class SettledSecurity: Sendable, Hashable {
    let security: HTTPSecurity
    private let reckoned: Int

    init(_ security: HTTPSecurity) {
        self.security = security
        var hasher = Hasher()
        hasher.combine(security)
        reckoned = hasher.finalize()
    }

    static func == (left: SettledSecurity, right: SettledSecurity) -> Bool {
        left === right || (left.reckoned == right.reckoned && left.security == right.security)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(reckoned)
    }
}

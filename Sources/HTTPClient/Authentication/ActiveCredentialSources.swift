/// Remembers which providers and token sources are being asked by the task at hand.
///
/// What they send themselves must go out without them, or they would wait for themselves.
enum ActiveCredentialSources {
    @TaskLocal private static var identities: Set<ObjectIdentifier> = []

    /// Says whether the task at hand works for that source.
    static func contains(_ source: AnyObject) -> Bool {
        identities.contains(ObjectIdentifier(source))
    }

    /// Runs code that works for a source.
    static func withActive<Value: Sendable>(
        _ source: any AnyObject & Sendable,
        _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        let all = identities.union([ObjectIdentifier(source)])
        return try await $identities.withValue(all) { try await work() }
    }
}

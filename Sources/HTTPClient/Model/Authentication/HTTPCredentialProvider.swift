public import Wire

/// Knows names and passwords, and is asked for them when an origin wants to know who asks.
///
///     struct Keyring: HTTPCredentialProvider {
///         func credentials(
///             for challenge: HTTPChallengeContext
///         ) async throws -> HTTPCredentials? {
///             guard challenge.failures == 0 else { return nil }
///             return try await lookUp(challenge.origin, challenge.realm)
///         }
///     }
///
/// What it gives is sent to the origin that asked and to no other, and remembered for its realm while the
/// client lives, so that it is asked once for each realm, or a few times when the first requests go out
/// together. Requests that it makes itself are sent without it.
public protocol HTTPCredentialProvider: Sendable {
    /// Finds credentials for an origin that wants some.
    ///
    /// It runs on Swift's concurrent pool; calls may overlap.
    ///
    /// - Parameter challenge: who asks, and what was refused before.
    /// - Returns: nil to give up: the response with status 401 is the answer then. So it is when the same
    ///   credentials come again that were refused.
    /// - Throws: anything; the call ends with `.authenticationFailed(.provider)`, and the error is its
    ///   ``HTTPError/underlying``.
    @concurrent func credentials(
        for challenge: HTTPChallengeContext
    ) async throws -> HTTPCredentials?
}

/// Tells a credential provider who asks, and what was refused before.
public struct HTTPChallengeContext: Sendable, Hashable {
    /// Who asks, and gets the credentials.
    public let origin: Origin
    /// The protection space, in the origin's words; nil when it names none.
    public let realm: String?
    /// The scheme that will be used: `Digest` or `Basic`.
    public let scheme: String
    /// All schemes on offer, in the origin's order and spelling.
    public let offeredSchemes: [String]
    /// How often credentials were refused in this call; 0 at first.
    public let failures: Int
    /// The user whose credentials were refused last; nil at first.
    public let previousUser: String?

    /// Makes a context, for tests of providers.
    ///
    /// - Parameters:
    ///   - origin: who asks.
    ///   - realm: default none.
    ///   - scheme: default `Basic`.
    ///   - offeredSchemes: default nil: the scheme alone.
    ///   - failures: default 0.
    ///   - previousUser: default none.
    public init(
        origin: Origin,
        realm: String? = nil,
        scheme: String = "Basic",
        offeredSchemes: [String]? = nil,
        failures: Int = 0,
        previousUser: String? = nil
    ) {
        self.origin = origin
        self.realm = realm
        self.scheme = scheme
        self.offeredSchemes = offeredSchemes ?? [scheme]
        self.failures = failures
        self.previousUser = previousUser
    }
}

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

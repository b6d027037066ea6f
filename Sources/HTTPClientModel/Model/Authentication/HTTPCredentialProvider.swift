public import Wire

/// A source of user names and passwords that the client calls when an origin sends a challenge.
///
///     struct Keyring: HTTPCredentialProvider {
///         func credentials(
///             for challenge: HTTPAuthentication.ChallengeContext
///         ) async throws -> HTTPCredentials? {
///             guard challenge.failures == 0 else { return nil }
///             return try await lookUp(challenge.origin, challenge.realm)
///         }
///     }
///
/// The client sends the credentials only to the origin that sent the challenge, and caches them per
/// realm for its lifetime. So it calls the provider once per realm, or a few times if the first
/// requests are sent together. Requests that the provider makes are sent without it.
public protocol HTTPCredentialProvider: Sendable {
    /// Returns credentials for an origin that sent a challenge.
    ///
    /// The method runs on Swift's concurrent pool; calls may overlap.
    ///
    /// - Parameter challenge: the origin's challenge, and the previous failures.
    /// - Returns: the credentials, or nil to give up. Then the call returns the response with
    ///   status 401. It also does so if the provider returns the rejected credentials again.
    /// - Throws: any error. The call fails with `.authenticationFailed(.provider)`, and the error
    ///   is its ``HTTPError/underlying``.
    @concurrent func credentials(
        for challenge: HTTPAuthentication.ChallengeContext
    ) async throws -> HTTPCredentials?
}

extension HTTPAuthentication {
    /// A challenge of an origin, and the credentials it rejected before.
    public struct ChallengeContext: Sendable, Hashable {
        /// The origin that sent the challenge and receives the credentials.
        public let origin: Origin
        /// The origin's name of the protection space; nil if it sent none.
        public let realm: String?
        /// The scheme that the client will use: `Digest` or `Basic`.
        public let scheme: String
        /// All schemes in the challenge, in the origin's order and spelling.
        public let offeredSchemes: [String]
        /// The number of times credentials were rejected in this call; initially 0.
        public let failures: Int
        /// The user whose credentials were rejected last; initially nil.
        public let previousUser: String?

        /// Creates a context, for testing providers.
        ///
        /// - Parameters:
        ///   - origin: the origin that sent the challenge.
        ///   - realm: the protection space. Default nil.
        ///   - scheme: the scheme that the client will use. Default `Basic`.
        ///   - offeredSchemes: all schemes in the challenge. Default nil: only `scheme`.
        ///   - failures: the number of rejections. Default 0.
        ///   - previousUser: the user of the last rejection. Default nil.
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
}

/// The providers and token sources that the current task runs on behalf of.
///
/// Requests that a source makes must be sent without it. Otherwise the source would wait for
/// itself.
package enum ActiveCredentialSources {
    @TaskLocal private static var identities: Set<ObjectIdentifier> = []

    /// Returns whether the current task runs on behalf of a source.
    package static func contains(_ source: AnyObject) -> Bool {
        identities.contains(ObjectIdentifier(source))
    }

    /// Runs `work` on behalf of a source.
    package static func withActive<Value: Sendable>(
        _ source: any AnyObject & Sendable,
        _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        let all = identities.union([ObjectIdentifier(source)])
        return try await $identities.withValue(all) { try await work() }
    }
}

internal import SocketTransport
package import Wire

/// A challenge that a user name and a password can answer (RFC 9110 §11.7, RFC 7616 §3.7).
///
/// Origins and proxies use the same syntax.
package enum SupportedChallenge: Sendable, Hashable {
    /// The Digest scheme, which does not send the password.
    case digest(DigestChallenge)
    /// The Basic scheme, which sends name and password; the realm is empty when none is named.
    case basic(realm: String)

    /// The protection space.
    package var realm: String {
        switch self {
        case .digest(let challenge): challenge.realm
        case .basic(let realm): realm
        }
    }

    /// Returns the supported challenges, the strongest first.
    ///
    /// Digest challenges are ordered by the strength of their hash, and Basic is last. Challenges of equal
    /// strength keep the order of the server.
    ///
    /// - Parameters:
    ///   - challenges: the challenges of one response.
    ///   - policy: the schemes that the user allows.
    /// - Returns: an empty array when no challenge is both known and allowed.
    package static func rankedByStrength(
        _ challenges: [Challenge],
        allowing policy: HTTPAuthentication.Policy
    ) -> [SupportedChallenge] {
        let choices = challenges.compactMap { challenge -> SupportedChallenge? in
            if policy != .basic, let digest = DigestChallenge(challenge) { return .digest(digest) }
            if policy != .digest, challenge.isScheme("Basic") {
                return .basic(realm: challenge.realm ?? "")
            }
            return nil
        }
        // `sort` is not documented as stable.
        return [3, 2, 1, 0].flatMap { strength in choices.filter { $0.strength == strength } }
    }

    /// The rank of the challenge; a larger number is stronger.
    private var strength: Int {
        switch self {
        case .basic: 0
        case .digest(let challenge):
            switch challenge.digest {
            case .md5: 1
            case .sha256: 2
            case .sha512t256: 3
            }
        }
    }
}

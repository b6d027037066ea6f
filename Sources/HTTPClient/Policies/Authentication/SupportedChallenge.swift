internal import SocketTransport
package import Wire

/// Holds a challenge that can be answered with a name and a password (RFC 9110 §11.7, RFC 7616 §3.7).
///
/// Origins and proxies ask in the same words.
package enum SupportedChallenge: Sendable, Hashable {
    /// With a digest: the password does not go out.
    case digest(DigestChallenge)
    /// With name and password; the realm is empty when none is named.
    case basic(realm: String)

    /// The protection space.
    package var realm: String {
        switch self {
        case .digest(let challenge): challenge.realm
        case .basic(let realm): realm
        }
    }

    /// Ranks what is on offer: the digest of the strongest hash first, Basic last; those of equal
    /// strength in the server's order.
    ///
    /// - Parameters:
    ///   - challenges: of one response.
    ///   - policy: what the user allows.
    /// - Returns: none when nothing on offer is both known and allowed.
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
        // Not `sort`, which is not promised to keep the order of equals.
        return [3, 2, 1, 0].flatMap { strength in choices.filter { $0.strength == strength } }
    }

    /// Tells which of two is better, the larger number.
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

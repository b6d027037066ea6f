internal import Wire

/// Chooses how to answer a proxy's 407 (RFC 9110 §11.7, RFC 7616 §3.7).
package enum ProxyChallenge: Sendable, Hashable {
    /// With a digest: the password does not go out.
    case digest(DigestChallenge)
    /// With name and password.
    case basic

    /// Chooses among the challenges of Proxy-Authenticate: the first Digest that can be answered,
    /// else Basic; nil when nothing on offer is both known and allowed.
    ///
    /// - Parameters:
    ///   - lines: the value of each field line.
    ///   - authentication: what the user allows.
    package init?(_ lines: [String], allowing authentication: HTTPProxy.Authentication) {
        let challenges = Challenge.list(lines)
        if authentication != .basic,
            let digest = challenges.lazy.compactMap({ DigestChallenge($0) }).first
        {
            self = .digest(digest)
        } else if authentication != .digest, challenges.contains(where: { $0.isScheme("Basic") }) {
            self = .basic
        } else {
            return nil
        }
    }
}

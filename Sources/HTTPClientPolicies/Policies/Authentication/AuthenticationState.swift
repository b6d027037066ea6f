internal import SocketTransport
package import Wire

// To add a scheme, change this file. It decides on the challenges of origins and proxies: which ones the client
// answers, in which order of preference (`strength`), and what follows a rejection. If the field value of a scheme
// takes more than one line of code, another file computes it. A scheme that users choose also needs a case in
// `HTTPAuthentication`, and `ProxyRoute` for proxies. `HTTPRequest+Curl` shows it. One that is sent without a challenge
// needs `AuthenticationCache`. The tests are `AuthenticationStateTests`, and the example of the scheme's RFC.

/// A challenge that a user name and a password can answer (RFC 9110 §11.7, RFC 7616 §3.7).
///
/// Origins and proxies use the same syntax.
package enum SupportedChallenge: Sendable, Hashable {
    /// The Digest scheme, which does not send the password.
    case digest(DigestChallenge)
    /// The Basic scheme, which sends name and password; the realm is empty when none is named.
    case basic(realm: String)

    /// The name of the scheme.
    var scheme: String {
        switch self {
        case .digest: "Digest"
        case .basic: "Basic"
        }
    }

    /// The name of the protection space.
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
            if policy.allowsDigest, let digest = DigestChallenge(challenge) {
                return .digest(digest)
            }
            if policy.allowsBasic, challenge.isScheme("Basic") {
                return .basic(realm: challenge.realm ?? "")
            }
            return nil
        }
        // `sort` is not documented as stable.
        let ranks = choices.enumerated().map { (strength: $1.strength, order: -$0) }
        return choices.indices.sorted { ranks[$0] > ranks[$1] }.map { choices[$0] }
    }

    /// The rank of the challenge; a larger number is stronger.
    private var strength: Int {
        switch self {
        case .basic: 0
        case .digest(let challenge):
            switch challenge.digest {
            case .md5: 1
            case .sha256: 2
            case .sha512, .sha512t256: 3
            }
        }
    }
}

extension SentCredentials {
    /// The scheme, with the values that distinguish one use of it from the next.
    package enum Scheme: Sendable, Hashable {
        case nothing
        case basic
        case digest(nonce: String)
        /// `isNew` is true if this call waited for the refresh that returned the token.
        case token(generation: UInt64, text: String, isNew: Bool)
    }
}

/// The protection spaces of one server, with the scheme and the credentials of each.
///
/// The server is an origin (401) or a proxy (407); the rules are the same. The type is pure: the caller
/// passes the random nonce. After an answered challenge, later requests to the same protection space are
/// sent with credentials from the start.
package struct AuthenticationState: Sendable {
    /// The consequence of a challenge.
    package enum ChallengeDecision: Sendable, Hashable {
        /// The response is final.
        case final
        /// These known credentials answer the challenge; they were not rejected.
        case known(HTTPCredentials)
        /// Credentials are required; `refused` were rejected.
        case needsCredentials(refused: HTTPCredentials?, failures: Int)
    }

    private enum Scheme: Sendable {
        case basic
        case digest(DigestAuthentication)
    }

    private struct Space: Sendable {
        let realm: String
        var area: ProtectionSpace
        var scheme: Scheme
        let credentials: HTTPCredentials
    }

    /// The known spaces; the most recently learned one is last.
    private var spaces: [Space] = []

    /// The maximum number of spaces; otherwise a server that names a new realm each time could use all memory.
    private static let maxSpaces = 8

    /// The maximum number of challenges of one server that one call answers.
    ///
    /// The answers are: with known credentials, with those of a provider after the known ones were
    /// rejected, and with a new nonce.
    package static let maxAnswers = 3

    /// The number of bytes of challenges that are parsed; legitimate fields are not longer.
    ///
    /// Each answer of the server is parsed, and those of a proxy to CONNECT on the event loop.
    private static let maxChallengeBytes = 8 << 10

    package init() {}

    package var isEmpty: Bool { spaces.isEmpty }

    // MARK: - Preemptive credentials

    /// Returns the credentials to send before the server has sent a challenge; nil for none.
    package mutating func preempt(_ request: ProtectedRequest) -> AuthorizationHeader? {
        var found: (index: Int, reach: Int)?
        for (index, space) in spaces.enumerated() {
            if let reach = space.area.matchLength(of: request), reach >= found?.reach ?? 0 {
                found = (index, reach)
            }
        }
        guard let index = found?.index else { return nil }
        return header(ofSpace: index, request, isPreemptive: true, failures: 0, answers: 0)
    }

    private mutating func header(
        ofSpace index: Int,
        _ request: ProtectedRequest,
        isPreemptive: Bool,
        failures: Int,
        answers: Int
    ) -> AuthorizationHeader? {
        let space = spaces[index]
        let value: String
        let scheme: SentCredentials.Scheme
        switch space.scheme {
        case .basic:
            value = BasicAuthentication.value(for: space.credentials)
            scheme = .basic
        case .digest(var digest):
            guard digest.challenge.covers(request) else { return nil }
            value = digest.authorization(for: request)
            scheme = .digest(nonce: digest.challenge.nonce)
            spaces[index].scheme = .digest(digest)
        }
        let sent = SentCredentials(
            scheme,
            space.credentials,
            realm: space.realm,
            isPreemptive: isPreemptive,
            failures: failures,
            answers: answers
        )
        return AuthorizationHeader(value: value, sent: sent)
    }

    // MARK: - Challenges

    /// Returns the challenges in a field of a response; those beyond a size limit are ignored.
    package static func challenges(_ head: ResponseHead, in field: FieldName) -> [Challenge] {
        var room = maxChallengeBytes
        let lines = head.headers.values(field).prefix { line in
            room -= line.utf8.count
            return room >= 0
        }
        return ChallengeParser.parse(Array(lines))
    }

    /// Answers challenges with fixed credentials, and stores them.
    ///
    /// - Parameters:
    ///   - choices: the challenges, the best first.
    ///   - credentials: the only credentials for this server.
    ///   - request: the request that the server refused.
    ///   - sent: the credentials of that request.
    ///   - clientNonce: unpredictable text; used for a digest.
    /// - Returns: nil when the response is final: the credentials were rejected, or cannot answer any
    ///   challenge.
    package mutating func answer(
        _ choices: [SupportedChallenge],
        withOnly credentials: HTTPCredentials,
        _ request: ProtectedRequest,
        sentWith sent: SentCredentials,
        clientNonce: String
    ) -> AuthorizationHeader? {
        guard let best = choices.first else { return nil }
        let chosen: HTTPCredentials
        var failures = sent.failures
        switch decide(best, sentWith: sent) {
        case .final: return nil
        case .known(let known): chosen = known
        case .needsCredentials(let refused, let count):
            guard credentials != refused else { return nil }
            chosen = credentials
            failures = count
        }
        return answer(
            choices,
            with: chosen,
            request,
            sentWith: sent,
            failures: failures,
            clientNonce: clientNonce
        )
    }

    /// Decides on the best challenge of a response, and removes rejected credentials.
    package mutating func decide(
        _ choice: SupportedChallenge,
        sentWith sent: SentCredentials
    ) -> ChallengeDecision {
        guard sent.answers < Self.maxAnswers else { return .final }
        guard let credentials = sent.credentials else {
            return known(choice).map { .known($0) } ?? .needsCredentials(refused: nil, failures: 0)
        }
        // Preemptive credentials for another space: this space has not rejected them.
        let isElsewhere = sent.isPreemptive && sent.realm != nil && sent.realm != choice.realm
        switch (sent.scheme, choice) {
        case (.basic, .basic) where isElsewhere, (.digest, .digest) where isElsewhere:
            return known(choice).flatMap { $0 == credentials ? nil : .known($0) }
                ?? .needsCredentials(refused: nil, failures: sent.failures)
        case (.basic, .digest):
            return .known(credentials)
        case (.digest(let nonce), .digest(let challenge)):
            // A new nonce alone does not show that the credentials are correct, because a server also sends
            // one after wrong credentials. They are used again if only the nonce was stale, or if they were
            // accepted before.
            if challenge.nonce != nonce, challenge.isStale || sent.isPreemptive {
                return .known(credentials)
            }
        case (.digest, .basic):
            // A server that rejected a digest does not get the password.
            forget(sent)
            return .final
        default: break
        }
        forget(sent)
        return .needsCredentials(refused: credentials, failures: sent.failures + 1)
    }

    /// Answers challenges with credentials, and stores them.
    ///
    /// - Parameters:
    ///   - choices: the challenges, the best first; the first one that can be answered is used.
    ///   - credentials: credentials that the server has not rejected for this space.
    ///   - request: the request that the server refused.
    ///   - sent: the credentials of that request.
    ///   - failures: the number of times that credentials were rejected in this call.
    ///   - clientNonce: unpredictable text; used for a digest.
    /// - Returns: nil when these credentials cannot answer any challenge.
    package mutating func answer(
        _ choices: [SupportedChallenge],
        with credentials: HTTPCredentials,
        _ request: ProtectedRequest,
        sentWith sent: SentCredentials,
        failures: Int,
        clientNonce: String
    ) -> AuthorizationHeader? {
        for choice in choices {
            switch choice {
            case .basic(let realm):
                guard !credentials.user.contains(UInt8(ascii: ":")) else { continue }
                if case .digest = sent.scheme { continue }
                if sent.scheme == .basic, sent.credentials == credentials { continue }
                let area = ProtectionSpace(basicAt: request.url)
                learn(Space(realm: realm, area: area, scheme: .basic, credentials: credentials))
            case .digest(let challenge):
                guard challenge.covers(request),
                    let digest = counting(challenge, credentials)
                        ?? DigestAuthentication(
                            challenge,
                            credentials,
                            clientNonce: clientNonce
                        )
                else { continue }
                learn(
                    Space(
                        realm: challenge.realm,
                        area: ProtectionSpace(digest: challenge.domain, at: request.url),
                        scheme: .digest(digest),
                        credentials: credentials
                    )
                )
            }
            return header(
                ofSpace: spaces.count - 1,
                request,
                isPreemptive: false,
                failures: failures,
                answers: sent.answers + 1
            )
        }
        return nil
    }

    /// Stores the server's next nonce from the response to a request (RFC 7616 §3.5).
    ///
    /// The nonce is ignored if the request used an older nonce than the current one.
    package mutating func updateNonce(to next: String, after sent: SentCredentials) {
        guard case .digest(let nonce) = sent.scheme else { return }
        for index in spaces.indices {
            guard case .digest(var digest) = spaces[index].scheme,
                digest.challenge.nonce == nonce, spaces[index].realm == sent.realm
            else { continue }
            digest.updateNonce(to: next)
            spaces[index].scheme = .digest(digest)
        }
    }

    // MARK: - Known spaces

    private func known(_ choice: SupportedChallenge) -> HTTPCredentials? {
        spaces.last { space in
            switch (space.scheme, choice) {
            case (.basic, .basic), (.digest, .digest): space.realm == choice.realm
            default: false
            }
        }?.credentials
    }

    /// Returns the digest that already counts the uses of this nonce, so that each count is sent once.
    private func counting(
        _ challenge: DigestChallenge,
        _ credentials: HTTPCredentials
    ) -> DigestAuthentication? {
        for space in spaces where space.realm == challenge.realm {
            guard case .digest(let digest) = space.scheme, space.credentials == credentials,
                digest.challenge.nonce == challenge.nonce,
                digest.challenge.algorithm == challenge.algorithm,
                digest.challenge.qop == challenge.qop
            else { continue }
            return digest
        }
        return nil
    }

    private mutating func learn(_ space: Space) {
        var space = space
        if let old = spaces.firstIndex(where: { $0.realm == space.realm }) {
            // A Digest challenge states its own protection space.
            if case .basic = space.scheme, case .basic = spaces[old].scheme {
                space.area.formUnion(spaces[old].area)
            }
            spaces.remove(at: old)
        }
        if spaces.count == Self.maxSpaces { spaces.removeFirst() }
        spaces.append(space)
    }

    private mutating func forget(_ sent: SentCredentials) {
        spaces.removeAll { $0.realm == sent.realm && $0.credentials == sent.credentials }
    }
}

extension HTTPAuthentication.Policy {
    /// Whether credentials are sent before the server has sent a challenge: Basic needs nothing of one.
    var sendsBasicUnasked: Bool { allowsBasic && !allowsDigest }

    fileprivate var allowsBasic: Bool {
        switch self {
        case .basic, .any: true
        case .digest: false
        }
    }

    fileprivate var allowsDigest: Bool {
        switch self {
        case .digest, .any: true
        case .basic: false
        }
    }
}

internal import SocketTransport
package import Wire

/// Tells origins who asks, in the way that each was found to want.
///
/// Shared by the clients of one pool; what one of them learned of an origin, another knows when it has
/// the same ``HTTPAuthentication``. A caller asks it before a request goes out, when the response is a
/// 401, and shows it every other response to a request that it has had a hand in.
package final class AuthenticationCache: Sendable {
    private struct Key: Sendable, Hashable {
        let authentication: HTTPAuthentication
        let origin: Origin
    }

    private let origins = Locked<[Key: OriginAuthentication]>([:])

    /// More are not remembered; one that is forgotten has to ask again.
    private static let maxOrigins = 256

    /// How many 401s of one call are answered: with what is known, with what a provider gives after
    /// that was refused, with a new nonce.
    package static let maxAnswers = 3

    /// Bytes of WWW-Authenticate that are looked at; what is beyond was not written to be read.
    private static let maxChallengeBytes = 16 << 10

    /// The longest next nonce that is taken, in bytes.
    private static let maxNonceBytes = 1 << 10

    package init() {}

    // MARK: - Before

    /// Gives what a request is sent with before the origin has asked.
    ///
    /// Not to be called for a request that has an Authorization field already.
    ///
    /// - Returns: nil when it is nothing.
    /// - Throws: `.invalidRequest(.colonInUserName)`; `.authenticationFailed` and `.cancelled`, when the
    ///   first token has to be waited for.
    package func preempt(
        _ authentication: HTTPAuthentication,
        _ subject: AuthenticationTarget
    ) async throws(HTTPError) -> AuthorizationHeader? {
        guard authentication.applies(to: subject.origin, initialOrigin: subject.initialOrigin)
        else { return nil }
        switch authentication.source {
        case .token(let text):
            return AuthorizationHeader(
                value: "Bearer " + text,
                sent: SentCredentials(.token(generation: 0, text: text, isNew: true))
            )
        case .tokens(let source):
            guard !ActiveCredentialSources.contains(source) else { return nil }
            return .bearer(try await token(of: source, after: nil, subject), isNew: false)
        case .provider(let provider):
            guard !ActiveCredentialSources.contains(provider) else { return nil }
        case .credentials(let credentials) where authentication.policy == .basic:
            return try basic(credentials, subject)
        case .netrc(let netrc) where authentication.policy == .basic:
            return try netrc.credentials(for: subject).map { credentials throws(HTTPError) in
                try basic(credentials, subject)
            }
        case .credentials, .netrc: break
        }
        return origins.withLock { origins in
            origins[Key(authentication: authentication, origin: subject.origin)]?.preempt(subject)
        }
    }

    private func basic(
        _ credentials: HTTPCredentials,
        _ subject: AuthenticationTarget
    ) throws(HTTPError) -> AuthorizationHeader {
        guard !credentials.user.contains(UInt8(ascii: ":")) else {
            throw error(.invalidRequest(.colonInUserName), subject)
        }
        return AuthorizationHeader(
            value: BasicAuthentication.value(for: credentials),
            sent: SentCredentials(.basic, credentials, isPreemptive: true)
        )
    }

    // MARK: - After

    /// Answers a 401.
    ///
    /// - Parameters:
    ///   - authentication: what the request is to be sent with.
    ///   - head: of the response.
    ///   - subject: the request that got it.
    ///   - sent: what that was sent with; `.nothing` when ``preempt(_:_:)`` gave nil.
    ///   - attempts: how many answers this call has had already.
    /// - Returns: what to send the same request again with; nil when the 401 stands, and for every other
    ///   status.
    /// - Throws: `.authenticationFailed`, `.cancelled`.
    package func answer(
        _ authentication: HTTPAuthentication,
        to head: ResponseHead,
        _ subject: AuthenticationTarget,
        sentWith sent: SentCredentials,
        attempts: Int
    ) async throws(HTTPError) -> AuthorizationHeader? {
        guard head.status == .unauthorized, attempts < Self.maxAnswers,
            authentication.applies(to: subject.origin, initialOrigin: subject.initialOrigin)
        else { return nil }
        let challenges = Self.challenges(head)
        switch authentication.source {
        case .token: return nil
        case .tokens(let source):
            return try await token(of: source, challenges, subject, sentWith: sent)
        case .credentials, .netrc, .provider: break
        }
        let choices = SupportedChallenge.rankedByStrength(
            challenges,
            allowing: authentication.policy
        )
        guard let best = choices.first else { return nil }
        let key = Key(authentication: authentication, origin: subject.origin)
        let decision = origins.withLock { origins in
            var origin = origins[key] ?? OriginAuthentication()
            defer { origins[key] = origin.isEmpty ? nil : origin }
            return origin.decide(best, sentWith: sent)
        }
        let credentials: HTTPCredentials
        var failures = sent.failures
        switch decision {
        case .final: return nil
        case .known(let known): credentials = known
        case .needsCredentials(let refused, let count):
            failures = count
            let found: HTTPCredentials?
            switch authentication.source {
            case .credentials(let given): found = given
            case .netrc(let netrc): found = netrc.credentials(for: subject)
            case .provider(let provider):
                let context = HTTPChallengeContext(
                    origin: subject.origin,
                    realm: best.realm.isEmpty ? nil : best.realm,
                    scheme: best.scheme,
                    offeredSchemes: challenges.map(\.scheme),
                    failures: count,
                    previousUser: refused.map { String(decoding: $0.user, as: UTF8.self) }
                )
                found = try await requestCredentials(provider, context, head, subject)
            case .token, .tokens: found = nil
            }
            guard let found, found != refused else { return nil }
            credentials = found
        }
        let clientNonce = ClientNonce.random()
        return origins.withLock { origins in
            if origins[key] == nil, origins.count >= Self.maxOrigins {
                origins.remove(at: origins.startIndex)
            }
            var origin = origins[key] ?? OriginAuthentication()
            defer { origins[key] = origin.isEmpty ? nil : origin }
            return origin.answer(
                choices,
                with: credentials,
                subject,
                sentWith: sent,
                failures: failures,
                clientNonce: clientNonce
            )
        }
    }

    /// Takes what a response says about the requests that follow: Authentication-Info (RFC 7615).
    package func record(
        _ authentication: HTTPAuthentication,
        _ head: ResponseHead,
        _ subject: AuthenticationTarget,
        sentWith sent: SentCredentials
    ) {
        guard case .digest = sent.scheme,
            let text = head.headers[Self.authenticationInfo], text.utf8.count <= 8 << 10,
            // The parameters have the grammar of a challenge's.
            let next = Challenge("Digest " + text)?["nextnonce"],
            !next.isEmpty, next.utf8.count <= Self.maxNonceBytes
        else { return }
        let key = Key(authentication: authentication, origin: subject.origin)
        origins.withLock { $0[key]?.updateNonce(to: next, after: sent) }
    }

    private static let authenticationInfo: FieldName = "Authentication-Info"

    private static func challenges(_ head: ResponseHead) -> [Challenge] {
        var room = maxChallengeBytes
        let lines = head.headers.values(.wwwAuthenticate).prefix { line in
            room -= line.utf8.count
            return room >= 0
        }
        return ChallengeParser.parse(Array(lines))
    }

    // MARK: - Sources

    private func requestCredentials(
        _ provider: CredentialProviderBox,
        _ context: HTTPChallengeContext,
        _ head: ResponseHead,
        _ subject: AuthenticationTarget
    ) async throws(HTTPError) -> HTTPCredentials? {
        // What the provider sends itself goes out without it.
        guard !ActiveCredentialSources.contains(provider) else { return nil }
        do {
            return try await ActiveCredentialSources.withActive(provider) {
                try await provider.provider.credentials(for: context)
            }
        } catch {
            guard !(Task.isCancelled && error is CancellationError) else {
                throw self.error(.cancelled, subject)
            }
            let problem = HTTPAuthenticationFailureReason.provider(description: "\(error)")
            throw self.error(.authenticationFailed(problem), subject).changed {
                $0.underlying = error
                $0.head = head
            }
        }
    }

    private func token(
        of source: HTTPTokenSource,
        _ challenges: [Challenge],
        _ subject: AuthenticationTarget,
        sentWith sent: SentCredentials
    ) async throws(HTTPError) -> AuthorizationHeader? {
        // Many servers refuse a token without a word; one that wants something else says so.
        let bearer = challenges.first { $0.isScheme("Bearer") }
        guard !ActiveCredentialSources.contains(source), challenges.isEmpty || bearer != nil,
            bearer?["error"] != "insufficient_scope"
        else { return nil }
        guard case .token(let generation, let text, let isNew) = sent.scheme else {
            return .bearer(try await token(of: source, after: nil, subject), isNew: true)
        }
        guard !isNew else { return nil }
        if let newer = source.newer(than: generation) { return .bearer(newer, isNew: false) }
        let next = try await token(of: source, after: generation, subject)
        return next.text == text ? nil : .bearer(next, isNew: true)
    }

    private func token(
        of source: HTTPTokenSource,
        after generation: UInt64?,
        _ subject: AuthenticationTarget
    ) async throws(HTTPError) -> TokenRefreshState.Token {
        do throws(HTTPError) {
            return try await source.token(after: generation)
        } catch {
            throw error.naming(HTTPMethod(subject.digest.method), subject.url.publicText)
        }
    }

    private func error(_ kind: HTTPError.Kind, _ subject: AuthenticationTarget) -> HTTPError {
        HTTPError(kind, phase: .preparing)
            .naming(HTTPMethod(subject.digest.method), subject.url.publicText)
    }
}

extension AuthorizationHeader {
    fileprivate static func bearer(
        _ token: TokenRefreshState.Token,
        isNew: Bool
    ) -> AuthorizationHeader {
        AuthorizationHeader(
            value: "Bearer " + token.text,
            sent: SentCredentials(
                .token(generation: token.generation, text: token.text, isNew: isNew)
            )
        )
    }
}

extension SupportedChallenge {
    fileprivate var scheme: String {
        switch self {
        case .basic: "Basic"
        case .digest: "Digest"
        }
    }
}

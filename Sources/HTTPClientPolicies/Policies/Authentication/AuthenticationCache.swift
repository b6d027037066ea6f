internal import SocketTransport
package import Wire

/// A cache of the schemes and credentials with which the client authenticates to origins.
///
/// The clients of one pool share the cache. Clients with the same ``HTTPAuthentication`` share the entry
/// of an origin. The caller uses the cache before it sends a request and when it receives a 401. It also
/// passes each response to an authenticated request to `record`.
package final class AuthenticationCache: Sendable {
    private struct Key: Sendable, Hashable {
        let authentication: HTTPAuthentication
        let origin: Origin
    }

    private let origins = Locked<[Key: AuthenticationState]>([:])

    /// The maximum number of origins; an origin that was removed has to send a challenge again.
    private static let maxOrigins = 256

    /// The maximum length of a next nonce in bytes; longer ones are ignored.
    private static let maxNonceBytes = 1 << 10

    package init() {}

    // MARK: - Preemptive credentials

    /// Returns the Authorization to send before the origin has sent a challenge.
    ///
    /// Do not call this function for a request that already has an Authorization field.
    ///
    /// - Returns: nil when there is nothing to send.
    /// - Throws: `.invalidRequest(.colonInUserName)`; `.authenticationFailed` and `.cancelled`, when the
    ///   call has to wait for the first token.
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
        case .tokens(let tokens):
            let source = tokens.object
            guard !ActiveCredentialSources.contains(source) else { return nil }
            return .bearer(
                try await token(of: source, after: nil, subject),
                isNew: false,
                answers: 0
            )
        case .provider(let provider):
            guard !ActiveCredentialSources.contains(provider) else { return nil }
        case .credentials(let credentials) where authentication.policy.sendsBasicUnasked:
            return try basic(credentials, subject)
        case .netrc(let netrc) where authentication.policy.sendsBasicUnasked:
            return try netrc.credentials(for: subject).map { credentials throws(HTTPError) in
                try basic(credentials, subject)
            }
        case .credentials, .netrc: break
        }
        return origins.withLock { origins in
            origins[Key(authentication: authentication, origin: subject.origin)]?.preempt(
                subject.request
            )
        }
    }

    private func basic(
        _ credentials: HTTPCredentials,
        _ subject: AuthenticationTarget
    ) throws(HTTPError) -> AuthorizationHeader {
        guard let header = AuthorizationHeader.basic(credentials) else {
            throw error(.invalidRequest(.colonInUserName), subject)
        }
        return header
    }

    // MARK: - Challenges

    /// Returns the answer to a 401.
    ///
    /// - Parameters:
    ///   - authentication: the authentication settings of the request.
    ///   - head: the head of the response.
    ///   - subject: the request that received the response.
    ///   - sent: the credentials of that request; `.nothing` when ``preempt(_:_:)`` returned nil.
    /// - Returns: the Authorization for the next attempt at the same request; nil when the 401 is final,
    ///   and for every other status.
    /// - Throws: `.authenticationFailed`, `.cancelled`.
    package func answer(
        _ authentication: HTTPAuthentication,
        to head: ResponseHead,
        _ subject: AuthenticationTarget,
        sentWith sent: SentCredentials
    ) async throws(HTTPError) -> AuthorizationHeader? {
        guard head.status == .unauthorized, sent.answers < AuthenticationState.maxAnswers,
            authentication.applies(to: subject.origin, initialOrigin: subject.initialOrigin)
        else { return nil }
        let challenges = AuthenticationState.challenges(head, in: .wwwAuthenticate)
        switch authentication.source {
        case .token: return nil
        case .tokens(let tokens):
            return try await token(of: tokens.object, challenges, subject, sentWith: sent)
        case .credentials, .netrc, .provider: break
        }
        let choices = SupportedChallenge.rankedByStrength(
            challenges,
            allowing: authentication.policy
        )
        guard let best = choices.first else { return nil }
        let key = Key(authentication: authentication, origin: subject.origin)
        let decision = origins.withLock { origins in
            var origin = origins[key] ?? AuthenticationState()
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
                let context = HTTPAuthentication.ChallengeContext(
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
        let clientNonce = RandomBits.digits()
        return origins.withLock { origins in
            if origins[key] == nil, origins.count >= Self.maxOrigins {
                origins.remove(at: origins.startIndex)
            }
            var origin = origins[key] ?? AuthenticationState()
            defer { origins[key] = origin.isEmpty ? nil : origin }
            return origin.answer(
                choices,
                with: credentials,
                subject.request,
                sentWith: sent,
                failures: failures,
                clientNonce: clientNonce
            )
        }
    }

    /// Records the nonce for the next request, which a response may contain in Authentication-Info (RFC 7615).
    package func record(
        _ authentication: HTTPAuthentication,
        _ head: ResponseHead,
        _ subject: AuthenticationTarget,
        sentWith sent: SentCredentials
    ) {
        guard case .digest = sent.scheme,
            let text = head.headers[Self.authenticationInfo], text.utf8.count <= 8 << 10,
            // The parameters have the grammar of a challenge.
            let next = Challenge("Digest " + text)?["nextnonce"],
            !next.isEmpty, next.utf8.count <= Self.maxNonceBytes
        else { return }
        let key = Key(authentication: authentication, origin: subject.origin)
        origins.withLock { $0[key]?.updateNonce(to: next, after: sent) }
    }

    private static let authenticationInfo: FieldName = "Authentication-Info"

    // MARK: - Sources

    private func requestCredentials(
        _ provider: CredentialProviderBox,
        _ context: HTTPAuthentication.ChallengeContext,
        _ head: ResponseHead,
        _ subject: AuthenticationTarget
    ) async throws(HTTPError) -> HTTPCredentials? {
        // The provider's own requests are sent without its credentials.
        guard !ActiveCredentialSources.contains(provider) else { return nil }
        do {
            return try await ActiveCredentialSources.withActive(provider) {
                try await provider.provider.credentials(for: context)
            }
        } catch {
            guard !(Task.isCancelled && error is CancellationError) else {
                throw self.error(.cancelled, subject)
            }
            let reason = HTTPError.AuthenticationReason.provider(description: "\(error)")
            throw self.error(.authenticationFailed(reason), subject).changed {
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
        // Many servers reject a token without a challenge. A server that requires another scheme names it in one.
        let bearer = challenges.first { $0.isScheme("Bearer") }
        guard !ActiveCredentialSources.contains(source), challenges.isEmpty || bearer != nil,
            bearer?["error"] != "insufficient_scope"
        else { return nil }
        guard case .token(let generation, let text, let isNew) = sent.scheme else {
            let first = try await token(of: source, after: nil, subject)
            return .bearer(first, isNew: true, answers: sent.answers + 1)
        }
        guard !isNew else { return nil }
        let answers = sent.answers + 1
        if let newer = source.newer(than: generation) {
            return .bearer(newer, isNew: false, answers: answers)
        }
        let next = try await token(of: source, after: generation, subject)
        return next.text == text ? nil : .bearer(next, isNew: true, answers: answers)
    }

    private func token(
        of source: HTTPTokenSource,
        after generation: UInt64?,
        _ subject: AuthenticationTarget
    ) async throws(HTTPError) -> TokenRefreshState.Token {
        do throws(HTTPError) {
            return try await source.token(after: generation)
        } catch {
            throw error.naming(HTTPMethod(subject.request.method), subject.url.publicText)
        }
    }

    private func error(_ kind: HTTPError.Kind, _ subject: AuthenticationTarget) -> HTTPError {
        HTTPError(kind, phase: .preparing)
            .naming(HTTPMethod(subject.request.method), subject.url.publicText)
    }
}

extension AuthorizationHeader {
    fileprivate static func bearer(
        _ token: TokenRefreshState.Token,
        isNew: Bool,
        answers: Int
    ) -> AuthorizationHeader {
        AuthorizationHeader(
            value: "Bearer " + token.text,
            sent: SentCredentials(
                .token(generation: token.generation, text: token.text, isNew: isNew),
                answers: answers
            )
        )
    }
}

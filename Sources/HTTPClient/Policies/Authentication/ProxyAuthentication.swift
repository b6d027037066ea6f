internal import Wire

/// The scheme and the credentials with which the client authenticates to an HTTP proxy.
///
/// The type is pure: the caller passes the random nonce. After an answered challenge, later requests are
/// sent with credentials at once.
package struct ProxyAuthentication: Sendable {
    /// The credentials with which a request was sent.
    package enum SentCredentials: Sendable, Hashable {
        case nothing
        case basic
        /// The nonce of the server.
        case digest(nonce: String)
    }

    /// A field value, and the state to keep until the response is received.
    package struct Authorization: Sendable, Hashable {
        /// The value of Proxy-Authorization.
        package let value: String
        /// The state to pass back when the proxy answers 407 again.
        package let sent: SentCredentials
    }

    /// The parts of a request that a digest covers.
    package typealias Target = DigestRequestInfo

    private enum SelectedScheme: Sendable {
        case nothing
        case basic
        case digest(DigestAuthentication)
    }

    private let credentials: HTTPCredentials?
    private let authentication: HTTPProxy.Authentication
    private var memory = SelectedScheme.nothing

    package init(_ proxy: HTTPProxy) {
        credentials = proxy.scheme == .http ? proxy.credentials : nil
        authentication = proxy.authentication
        if credentials != nil, authentication == .basic { memory = .basic }
    }

    /// Returns the credentials to send before the proxy has sent a challenge; nil for none.
    package mutating func preempt(_ subject: Target) -> Authorization? {
        switch memory {
        case .nothing: return nil
        case .basic: return basic
        case .digest(var digest):
            guard digest.challenge.covers(subject) else { return nil }
            let value = digest.authorization(for: subject)
            memory = .digest(digest)
            return Authorization(value: value, sent: .digest(nonce: digest.challenge.nonce))
        }
    }

    /// Returns the answer to a 407.
    ///
    /// - Parameters:
    ///   - lines: the values of its Proxy-Authenticate.
    ///   - subject: the request that received the response.
    ///   - sent: the credentials of that request.
    ///   - clientNonce: unpredictable text; used for a digest.
    /// - Returns: nil when there are no credentials, or when no scheme on offer is known and allowed. Also
    ///   nil when the proxy has rejected the credentials: then its response is final.
    package mutating func answer(
        _ lines: [String],
        to subject: Target,
        sentWith sent: SentCredentials,
        clientNonce: String
    ) -> Authorization? {
        guard let credentials,
            let choice = SupportedChallenge.rankedByStrength(
                ChallengeParser.parse(lines),
                allowing: authentication.policy
            ).first
        else { return nil }
        switch choice {
        case .basic:
            guard sent == .nothing else { return nil }
            memory = .basic
            return basic
        case .digest(let challenge):
            if case .digest(let nonce) = sent {
                // A new nonce alone proves nothing, because wrong credentials get one each time.
                guard challenge.isStale, challenge.nonce != nonce else { return nil }
            }
            guard challenge.covers(subject),
                let digest = DigestAuthentication(
                    challenge,
                    credentials,
                    clientNonce: clientNonce
                )
            else { return nil }
            memory = .digest(digest)
            return preempt(subject)
        }
    }

    /// The value of Proxy-Authorization in the Basic scheme.
    private var basic: Authorization? {
        credentials.map { Authorization(value: BasicAuthentication.value(for: $0), sent: .basic) }
    }
}

extension HTTPProxy.Authentication {
    /// The allowed schemes.
    fileprivate var policy: HTTPAuthentication.Policy {
        switch self {
        case .automatic: .any
        case .basic: .basic
        case .digest: .digest
        }
    }
}

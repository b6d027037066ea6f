internal import Wire

/// Remembers how an HTTP proxy wants to be told who asks, and tells it.
///
/// Pure: chance comes as an argument. After a challenge was answered, later requests are sent with
/// credentials at once.
package struct ProxyAuthentication: Sendable {
    /// What a request was sent with.
    package enum SentCredentials: Sendable, Hashable {
        case nothing
        case basic
        /// The server's nonce.
        case digest(nonce: String)
    }

    /// A field value, and what to remember of it until the answer is there.
    package struct Authorization: Sendable, Hashable {
        /// The value of Proxy-Authorization.
        package let value: String
        /// To be given back when the proxy answers 407 again.
        package let sent: SentCredentials
    }

    /// What a request is about, as far as a digest covers it.
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

    /// Gives what a request is sent with before the proxy has asked; nil when it is nothing.
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

    /// Answers a 407.
    ///
    /// - Parameters:
    ///   - lines: the values of its Proxy-Authenticate.
    ///   - subject: the request that got it.
    ///   - sent: what the request that got it was sent with.
    ///   - clientNonce: unpredictable text; used for a digest.
    /// - Returns: nil when there are no credentials, nothing on offer is known and allowed, or the
    ///   proxy has seen the credentials and refused them: then its answer is final.
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
                // A new nonce alone proves nothing: wrong credentials get one each time.
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
    /// The schemes that are allowed.
    fileprivate var policy: HTTPAuthentication.Policy {
        switch self {
        case .automatic: .any
        case .basic: .basic
        case .digest: .digest
        }
    }
}

package import Wire

/// The value of Authorization or Proxy-Authorization, and the state to keep until the response is received.
package struct AuthorizationHeader: Sendable, Hashable {
    /// The value of the field.
    package let value: String
    /// The state to pass back with the response.
    package let sent: SentCredentials
}

extension AuthorizationHeader {
    /// Returns Basic credentials for a request that was not challenged; nil when a colon is in the user name.
    static func basic(_ credentials: HTTPCredentials) -> AuthorizationHeader? {
        guard !credentials.user.contains(UInt8(ascii: ":")) else { return nil }
        return AuthorizationHeader(
            value: BasicAuthentication.value(for: credentials),
            sent: SentCredentials(.basic, credentials, isPreemptive: true)
        )
    }
}

/// The credentials with which a request was sent.
package struct SentCredentials: Sendable, Hashable {
    package let scheme: Scheme
    /// The credentials that were sent; nil for none and for tokens.
    let credentials: HTTPCredentials?
    /// The protection space for which they were sent; nil when there was no challenge.
    let realm: String?
    /// Whether the credentials were sent before a challenge in this call.
    let isPreemptive: Bool
    /// The number of times that credentials were rejected in this call.
    let failures: Int
    /// The number of challenges that were answered in this call.
    let answers: Int

    init(
        _ scheme: Scheme,
        _ credentials: HTTPCredentials? = nil,
        realm: String? = nil,
        isPreemptive: Bool = false,
        failures: Int = 0,
        answers: Int = 0
    ) {
        self.scheme = scheme
        self.credentials = credentials
        self.realm = realm
        self.isPreemptive = isPreemptive
        self.failures = failures
        self.answers = answers
    }

    /// The value for a request without credentials.
    package static let nothing = SentCredentials(.nothing)
}

/// A request that is about to be sent or has received a response, with the data that its credentials depend on.
package struct AuthenticationTarget: Sendable {
    /// The URL of the request.
    let url: URI
    /// The origin of the request.
    let origin: Origin
    /// The origin of the URL with which the call was made.
    let initialOrigin: Origin
    /// The parts of the request that its credentials depend on.
    package let request: ProtectedRequest

    /// Creates a target; nil when the URL has no origin.
    ///
    /// - Parameters:
    ///   - url: the URL of the request.
    ///   - initialOrigin: the origin of the URL with which the call was made, before any redirect.
    ///   - method: the method as on the wire.
    ///   - target: the request target as on the wire.
    ///   - body: the content as sent; nil when it is generated during sending.
    package init?(
        url: URI,
        initialOrigin: Origin,
        method: HTTPMethod,
        target: String,
        body: [UInt8]?
    ) {
        guard let origin = url.origin else { return nil }
        self.url = url
        self.origin = origin
        self.initialOrigin = initialOrigin
        request = ProtectedRequest(
            url: url,
            method: method.rawValue,
            target: target,
            body: body
        )
    }
}

extension HTTPNetrc {
    /// Returns the user name and password for a request, whose URL may name the user.
    ///
    /// The `default` entry applies to the host of the call's URL, not to hosts reached by
    /// redirects.
    func credentials(for subject: AuthenticationTarget) -> HTTPCredentials? {
        let user = subject.url.userinfo.map {
            PercentCoding.decode(String($0.prefix { $0 != ":" }))
        }
        let isNamed = subject.origin.host == subject.initialOrigin.host
        return find(host: subject.origin.host, user: user, takesDefault: isNamed)
    }
}

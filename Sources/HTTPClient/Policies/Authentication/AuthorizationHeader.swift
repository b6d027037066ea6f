package import Wire

/// Holds a field value that proves who asks, and what to remember of it until the answer is there.
package struct AuthorizationHeader: Sendable, Hashable {
    /// The value of Authorization.
    package let value: String
    /// To be given back with the response.
    package let sent: SentCredentials
}

/// Says what a request was sent with.
package struct SentCredentials: Sendable, Hashable {
    /// Names the scheme, and what tells one use of it from the next.
    package enum Scheme: Sendable, Hashable {
        case nothing
        case basic
        case digest(nonce: String)
        /// `isNew` says that the call itself waited for the refresh.
        case token(generation: UInt64, text: String, isNew: Bool)
    }

    package let scheme: Scheme
    /// What was said; nil for nothing and for tokens.
    let credentials: HTTPCredentials?
    /// The protection space it was meant for; nil when nobody had asked.
    let realm: String?
    /// Nobody had asked in this call.
    let isPreemptive: Bool
    /// How often credentials were refused in this call.
    let failures: Int

    init(
        _ scheme: Scheme,
        _ credentials: HTTPCredentials? = nil,
        realm: String? = nil,
        isPreemptive: Bool = false,
        failures: Int = 0
    ) {
        self.scheme = scheme
        self.credentials = credentials
        self.realm = realm
        self.isPreemptive = isPreemptive
        self.failures = failures
    }

    /// The request told nobody.
    package static let nothing = SentCredentials(.nothing)
}

/// Says which request is about to be sent, or got an answer.
package struct AuthenticationTarget: Sendable {
    /// Where it goes.
    let url: URI
    /// Who answers there.
    let origin: Origin
    /// Who answers for the URL that the call was made with.
    let initialOrigin: Origin
    let digest: DigestRequestInfo

    /// Describes a request; nil when the URL has no origin.
    ///
    /// - Parameters:
    ///   - url: where it goes.
    ///   - initialOrigin: the origin of the URL which the call was made with, before any redirect.
    ///   - method: as on the wire.
    ///   - target: the request target as on the wire.
    ///   - body: the content as sent; nil when it is made while it is sent.
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
        digest = DigestRequestInfo(method: method.rawValue, target: target, body: body)
    }
}

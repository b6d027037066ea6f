public import Wire

/// Says how an origin is told who asks: with which secret, in which scheme, and where.
///
///     let login = HTTPAuthentication.any(user: "ada", password: "secret")
///     let token = HTTPAuthentication.bearer("eyJhbGciOi…")
///     let files = try HTTPAuthentication.netrc(HTTPNetrc(contentsOf: "/home/ada/.netrc"))
///
/// A name, a password or a token is for one origin, that is scheme, host and port: that of the URL which
/// the call was made with, or those of ``origins``. Whatever another origin asks for, and wherever a
/// redirect leads, it gets nothing. A provider and a netrc know by themselves what is for whom, and are
/// asked about each origin; not about one without TLS that a call with TLS was led to. The `default` of a
/// netrc is for the host that the call was made to alone.
///
/// An Authorization field of the request, and the userinfo of its URL, go before all of this.
///
/// Printing shows no secret. Values made of the same credentials are equal; those of a provider or of an
/// ``HTTPTokenSource`` when they are copies of one value or have one source.
public struct HTTPAuthentication: Sendable, Hashable {
    /// Says which schemes are used for a name and a password, and when.
    public enum Policy: Sendable, Hashable {
        /// Sends the password with the first request, for whoever reads it (RFC 7617); use https.
        case basic
        /// Waits for a challenge and answers Digest alone, so that the password itself is never sent
        /// (RFC 7616).
        case digest
        /// Waits for a challenge and takes the best on offer: Digest with SHA-512-256, with SHA-256,
        /// with MD5, then Basic.
        case any
    }

    /// Where the secret comes from.
    enum Source: Sendable, Hashable {
        case credentials(HTTPCredentials)
        case provider(CredentialProviderBox)
        case netrc(HTTPNetrc)
        case token(String)
        case tokens(HTTPTokenSource)
    }

    /// Which schemes are used; no matter for tokens.
    public let policy: Policy

    /// The only origins that get anything; nil for the one that the call was made to.
    ///
    /// Default nil. A provider and a netrc are asked about others as well then.
    public var origins: Set<Origin>?

    let source: Source

    private init(_ source: Source, _ policy: Policy) {
        self.source = source
        self.policy = policy
    }

    // MARK: - Name and password

    /// Sends name and password in the Basic scheme without being asked.
    ///
    /// A name with a colon is refused when a request is sent, as `.invalidRequest(.colonInUserName)`.
    public static func basic(_ credentials: HTTPCredentials) -> HTTPAuthentication {
        HTTPAuthentication(.credentials(credentials), .basic)
    }

    /// Sends name and password, as UTF-8, in the Basic scheme without being asked.
    public static func basic(user: String, password: String) -> HTTPAuthentication {
        basic(HTTPCredentials(user: user, password: password))
    }

    /// Answers challenges of the Digest scheme alone.
    public static func digest(_ credentials: HTTPCredentials) -> HTTPAuthentication {
        HTTPAuthentication(.credentials(credentials), .digest)
    }

    /// Answers challenges of the Digest scheme alone, with a name and a password as UTF-8.
    public static func digest(user: String, password: String) -> HTTPAuthentication {
        digest(HTTPCredentials(user: user, password: password))
    }

    /// Answers the best challenge on offer.
    public static func any(_ credentials: HTTPCredentials) -> HTTPAuthentication {
        HTTPAuthentication(.credentials(credentials), .any)
    }

    /// Answers the best challenge on offer, with a name and a password as UTF-8.
    public static func any(user: String, password: String) -> HTTPAuthentication {
        any(HTTPCredentials(user: user, password: password))
    }

    // MARK: - Sources

    /// Asks code of yours when an origin wants to know who asks.
    ///
    /// - Parameters:
    ///   - provider: is kept for as long as the value is.
    ///   - policy: default `.any`. With `.basic` too it is asked only when there is a challenge.
    /// - Returns: a value that is equal to its copies alone: make one and keep it, as what was learned of
    ///   an origin is remembered under it.
    public static func provider(
        _ provider: any HTTPCredentialProvider,
        policy: Policy = .any
    ) -> HTTPAuthentication {
        HTTPAuthentication(.provider(CredentialProviderBox(provider)), policy)
    }

    /// Looks name and password up by the host.
    ///
    /// - Parameters:
    ///   - netrc: the file, read.
    ///   - policy: default `.any`: a password goes out only when it is asked for. curl sends it with the
    ///     first request, as `.basic` does.
    /// - Returns: a value that says nothing to hosts which are not in the file.
    public static func netrc(_ netrc: HTTPNetrc, policy: Policy = .any) -> HTTPAuthentication {
        HTTPAuthentication(.netrc(netrc), policy)
    }

    /// Sends a token that does not change, without being asked (RFC 6750 §2.1).
    public static func bearer(_ token: String) -> HTTPAuthentication {
        HTTPAuthentication(.token(token), .any)
    }

    /// Sends a token without being asked, and gets a new one when the origin answers 401.
    ///
    /// - Parameter tokens: is shared by all who are to share its refreshes.
    /// - Returns: a value that is equal to others with the same source.
    public static func bearer(_ tokens: HTTPTokenSource) -> HTTPAuthentication {
        HTTPAuthentication(.tokens(tokens), .any)
    }

    // MARK: - Scope

    /// Whether it is for the origin that a call was made to, and nobody said for which else.
    var isLimitedToInitialOrigin: Bool {
        guard origins == nil else { return false }
        return switch source {
        case .credentials, .token, .tokens: true
        case .provider, .netrc: false
        }
    }

    /// Says whether an origin may get anything.
    ///
    /// - Parameters:
    ///   - origin: that is about to be sent to, or has asked.
    ///   - initialOrigin: that of the URL which the call was made with.
    /// - Returns: false for all that nobody meant.
    package func applies(to origin: Origin, initialOrigin: Origin) -> Bool {
        if let origins { return origins.contains(origin) }
        switch source {
        case .credentials, .token, .tokens: return origin == initialOrigin
        case .provider, .netrc: return initialOrigin.scheme == .http || origin.scheme == .https
        }
    }
}

extension HTTPAuthentication: CustomStringConvertible, CustomReflectable {
    /// What it is made of, without its secret.
    public var description: String {
        switch source {
        case .credentials(let credentials): "\(policy) as \(credentials)"
        case .provider: "\(policy) by a provider"
        case .netrc: "\(policy) by a netrc"
        case .token, .tokens: "bearer ***"
        }
    }

    /// The description alone, so that a secret gets into no log by accident.
    public var customMirror: Mirror { Mirror(self, children: ["": description]) }
}

/// Holds a provider; copies are equal.
final class CredentialProviderBox: Sendable, Hashable {
    let provider: any HTTPCredentialProvider

    init(_ provider: any HTTPCredentialProvider) {
        self.provider = provider
    }

    static func == (left: CredentialProviderBox, right: CredentialProviderBox) -> Bool {
        left === right
    }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

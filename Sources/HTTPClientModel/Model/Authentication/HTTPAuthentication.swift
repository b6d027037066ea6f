internal import SocketTransport
public import Wire

/// Credentials for origin servers, with the scheme and the origins they are used for.
///
///     let login = HTTPAuthentication.any(user: "ada", password: "secret")
///     let token = HTTPAuthentication.bearer("eyJhbGciOi…")
///     let files = try HTTPAuthentication.netrc(HTTPNetrc(contentsOf: "/home/ada/.netrc"))
///
/// The client sends a user name and password, or a token, only to the origin (scheme, host and port) of
/// the call's URL, or to those in ``origins``. Other origins receive nothing, whether they send a
/// challenge or are reached by a redirect, unless
/// ``HTTPRedirectOptions/sendsCredentialsCrossOrigin`` is true.
///
/// A provider and a netrc select credentials by origin, so the client consults them for each origin.
/// If the call's URL is https, it does not consult them for http origins. The `default` entry of a
/// netrc applies only to the host of the call's URL.
///
/// An Authorization field of the request and the userinfo of its URL take precedence.
///
/// Descriptions contain no secrets. Values with the same credentials are equal. Values of a
/// provider are equal if they are copies of one value; values of an ``HTTPTokenSource``, if they
/// have the same source.
public struct HTTPAuthentication: Sendable, Hashable {
    /// The schemes for a user name and password, and when they are sent.
    public enum Policy: Sendable, Hashable {
        /// Sends the password with the first request, in clear text unless https is used (RFC
        /// 7617).
        case basic
        /// Answers only Digest challenges, so that the password itself is never sent (RFC 7616).
        case digest
        /// Answers the best scheme of a challenge: Digest with SHA-512-256, SHA-256 or MD5, then
        /// Basic.
        case any
    }

    /// The source of the credentials.
    package enum Source: Sendable, Hashable {
        case credentials(HTTPCredentials)
        case provider(CredentialProviderBox)
        case netrc(HTTPNetrc)
        case token(String)
        case tokens(ByIdentity<HTTPTokenSource>)
    }

    /// The schemes that are used; ignored for tokens.
    public let policy: Policy

    /// The only origins that receive credentials; nil for the origin of the call.
    ///
    /// Default nil. If nil, a provider and a netrc are also consulted for other origins.
    public var origins: Set<Origin>?

    package let source: Source

    private init(_ source: Source, _ policy: Policy) {
        self.source = source
        self.policy = policy
    }

    // MARK: - User name and password

    /// Sends user name and password, as UTF-8, in the Basic scheme without waiting for a challenge.
    ///
    /// A user name with a colon is rejected when a request is sent, with
    /// `.invalidRequest(.colonInUserName)`.
    public static func basic(user: String, password: String) -> HTTPAuthentication {
        credentials(HTTPCredentials(user: user, password: password), policy: .basic)
    }

    /// Answers only challenges of the Digest scheme, with user name and password as UTF-8.
    public static func digest(user: String, password: String) -> HTTPAuthentication {
        credentials(HTTPCredentials(user: user, password: password), policy: .digest)
    }

    /// Answers the best scheme of a challenge, with user name and password as UTF-8.
    public static func any(user: String, password: String) -> HTTPAuthentication {
        credentials(HTTPCredentials(user: user, password: password))
    }

    // MARK: - Sources

    /// Uses credentials that need not be UTF-8.
    ///
    /// - Parameters:
    ///   - credentials: the user name and the password.
    ///   - policy: the schemes. Default `.any`: the client answers the best scheme of a challenge. With `.basic`
    ///     it sends the password without waiting for a challenge.
    /// - Returns: a value that is equal to others with the same credentials and policy.
    public static func credentials(
        _ credentials: HTTPCredentials,
        policy: Policy = .any
    ) -> HTTPAuthentication {
        HTTPAuthentication(.credentials(credentials), policy)
    }

    /// Asks a provider for credentials when the origin sends a challenge.
    ///
    /// - Parameters:
    ///   - provider: the provider, retained by the value.
    ///   - policy: the schemes. Default `.any`. Even with `.basic`, the provider is called only
    ///     after a challenge.
    /// - Returns: a value that is equal only to its copies. Create one and keep it, because the
    ///   client caches its knowledge of an origin per value.
    public static func provider(
        _ provider: any HTTPCredentialProvider,
        policy: Policy = .any
    ) -> HTTPAuthentication {
        HTTPAuthentication(.provider(CredentialProviderBox(provider)), policy)
    }

    /// Looks up user name and password by host in a netrc.
    ///
    /// - Parameters:
    ///   - netrc: the parsed file.
    ///   - policy: the schemes. Default `.any`: the client sends a password only after a challenge.
    ///     With `.basic` it sends the password with the first request, as curl does.
    /// - Returns: a value without credentials for hosts that are not in the file.
    public static func netrc(_ netrc: HTTPNetrc, policy: Policy = .any) -> HTTPAuthentication {
        HTTPAuthentication(.netrc(netrc), policy)
    }

    /// Sends a fixed token without waiting for a challenge (RFC 6750 §2.1).
    public static func bearer(_ token: String) -> HTTPAuthentication {
        HTTPAuthentication(.token(token), .any)
    }

    /// Sends a token without waiting for a challenge, and refreshes it when the origin answers 401.
    ///
    /// - Parameter tokens: the token source. Values with the same source share its refreshes.
    /// - Returns: a value that is equal to others with the same source.
    public static func bearer(_ tokens: HTTPTokenSource) -> HTTPAuthentication {
        HTTPAuthentication(.tokens(ByIdentity(tokens)), .any)
    }

    // MARK: - Scope

    /// Whether the credentials apply only to the origin of the call.
    ///
    /// That is so if ``origins`` is nil, except for a provider and a netrc.
    package var isLimitedToInitialOrigin: Bool {
        guard origins == nil else { return false }
        return switch source {
        case .credentials, .token, .tokens: true
        case .provider, .netrc: false
        }
    }

    /// Returns whether an origin may receive credentials.
    ///
    /// - Parameters:
    ///   - origin: the origin that the request is sent to, or that sent a challenge.
    ///   - initialOrigin: the origin of the call's URL.
    /// - Returns: false for an origin outside the scope of the credentials.
    package func applies(to origin: Origin, initialOrigin: Origin) -> Bool {
        if let origins { return origins.contains(origin) }
        switch source {
        case .credentials, .token, .tokens: return origin == initialOrigin
        case .provider, .netrc: return initialOrigin.scheme == .http || origin.scheme == .https
        }
    }
}

extension HTTPAuthentication: CustomStringConvertible, CustomReflectable {
    /// The policy and the source, without secrets.
    public var description: String {
        switch source {
        case .credentials(let credentials): "\(policy) as \(credentials)"
        case .provider: "\(policy) by a provider"
        case .netrc: "\(policy) by a netrc"
        case .token, .tokens: "bearer ***"
        }
    }

    /// A mirror of the description only, so that no secret is logged by accident.
    public var customMirror: Mirror { Mirror(self, children: ["": description]) }
}

/// A provider with identity; copies are equal.
package final class CredentialProviderBox: Sendable, IdentityHashable {
    package let provider: any HTTPCredentialProvider

    package init(_ provider: any HTTPCredentialProvider) {
        self.provider = provider
    }
}

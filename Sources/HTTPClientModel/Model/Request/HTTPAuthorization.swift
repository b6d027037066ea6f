internal import SocketTransport
internal import Wire

/// Credentials for an origin server: the value of an Authorization field (RFC 9110 §11.6.2).
///
/// The description shows the scheme alone.
public struct HTTPAuthorization: Sendable, Hashable {
    /// The scheme, such as `Bearer`.
    public let scheme: String
    /// The complete field value, including the secret.
    public let headerValue: String
    package let invalidReason: HTTPError.InvalidRequestReason?

    private init(
        scheme: String,
        _ secret: String,
        invalidReason: HTTPError.InvalidRequestReason? = nil
    ) {
        self.scheme = scheme
        headerValue = "\(scheme) \(secret)"
        self.invalidReason = invalidReason
    }

    /// Creates bearer-token credentials (RFC 6750 §2.1).
    public static func bearer(_ token: String) -> HTTPAuthorization {
        HTTPAuthorization(scheme: "Bearer", token)
    }

    /// Creates Basic credentials from a user name and a password, encoded as UTF-8 (RFC 7617).
    ///
    /// Basic credentials are sent in clear text. Use https.
    ///
    /// - Parameters:
    ///   - user: the user name. It must not contain a colon, because the rest of the name would become
    ///     part of the password. A request with such a name fails with `.invalidRequest(.colonInUserName)`.
    ///   - password: the password; any text is valid.
    /// - Returns: credentials for a server that accepts the Basic scheme.
    public static func basic(user: String, password: String) -> HTTPAuthorization {
        basic(HTTPCredentials(user: user, password: password))
    }

    /// Creates Basic credentials from a user name and a password in any encoding (RFC 7617).
    public static func basic(_ credentials: HTTPCredentials) -> HTTPAuthorization {
        let bytes = credentials.user + [UInt8(ascii: ":")] + credentials.password
        let hasColon = credentials.user.contains(UInt8(ascii: ":"))
        return HTTPAuthorization(
            scheme: "Basic",
            Base64Text.encode(bytes),
            invalidReason: hasColon ? .colonInUserName : nil
        )
    }

    /// Creates credentials for another scheme.
    public static func custom(scheme: String, _ secret: String) -> HTTPAuthorization {
        HTTPAuthorization(scheme: scheme, secret)
    }
}

extension HTTPAuthorization: CustomStringConvertible, CustomReflectable {
    /// The scheme, followed by `***`: the secret is left out to keep it out of logs.
    public var description: String { "\(scheme) ***" }

    /// The scheme alone, to keep the secret out of logs.
    public var customMirror: Mirror { Mirror(self, children: ["scheme": scheme]) }
}

internal import Wire

/// Holds what proves to a server who asks: the value of an Authorization field (RFC 9110 §11.6.2).
///
/// Printing shows the scheme alone.
public struct HTTPAuthorization: Sendable, Hashable {
    /// The scheme, such as `Bearer`.
    public let scheme: String
    /// The value of the field, secret and all.
    public let headerValue: String
    let fault: HTTPInvalidRequestReason?

    private init(scheme: String, _ secret: String, fault: HTTPInvalidRequestReason? = nil) {
        self.scheme = scheme
        headerValue = "\(scheme) \(secret)"
        self.fault = fault
    }

    /// Shows a token (RFC 6750 §2.1).
    public static func bearer(_ token: String) -> HTTPAuthorization {
        HTTPAuthorization(scheme: "Bearer", token)
    }

    /// Says a name and a password, as UTF-8 (RFC 7617).
    ///
    /// They can be read by whoever reads the request: use https.
    ///
    /// - Parameters:
    ///   - user: without a colon, which would move the rest of the name into the password; one that
    ///     has it is said when the request is sent, as `.invalidRequest(.colonInUserName)`.
    ///   - password: anything.
    /// - Returns: credentials for everybody who asks for the Basic scheme.
    public static func basic(user: String, password: String) -> HTTPAuthorization {
        basic(HTTPCredentials(user: user, password: password))
    }

    /// Says a name and a password, in whatever encoding they have (RFC 7617).
    public static func basic(_ credentials: HTTPCredentials) -> HTTPAuthorization {
        let bytes = credentials.user + [UInt8(ascii: ":")] + credentials.password
        let hasColon = credentials.user.contains(UInt8(ascii: ":"))
        return HTTPAuthorization(
            scheme: "Basic",
            BasicAuthentication.base64(bytes),
            fault: hasColon ? .colonInUserName : nil
        )
    }

    /// Shows what another scheme asks for.
    public static func custom(scheme: String, _ secret: String) -> HTTPAuthorization {
        HTTPAuthorization(scheme: scheme, secret)
    }
}

extension HTTPAuthorization: CustomStringConvertible, CustomReflectable {
    /// The scheme; what follows it is left out, so that it gets into no log by accident.
    public var description: String { "\(scheme) ***" }

    /// The scheme alone, for the same reason.
    public var customMirror: Mirror { Mirror(self, children: ["scheme": scheme]) }
}

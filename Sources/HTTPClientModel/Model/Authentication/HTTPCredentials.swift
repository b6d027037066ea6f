internal import SocketTransport
internal import Wire

/// A user name and a password as bytes, in an encoding that the caller chooses.
///
/// The description shows the user name alone.
public struct HTTPCredentials: Sendable, Hashable {
    /// The user name.
    public let user: [UInt8]
    /// The password.
    public let password: [UInt8]

    /// Creates credentials from text, encoded as UTF-8.
    public init(user: String, password: String) {
        self.user = Array(user.utf8)
        self.password = Array(password.utf8)
    }

    /// Creates credentials from bytes.
    public init(user: [UInt8], password: [UInt8]) {
        self.user = user
        self.password = password
    }
}

extension HTTPCredentials: CustomStringConvertible, CustomReflectable {
    /// The user name on one line; the password is left out to keep it out of logs.
    public var description: String { LogText.line(String(decoding: user, as: UTF8.self)) }

    /// The user name alone, to keep the password out of logs.
    public var customMirror: Mirror { Mirror(self, children: ["user": description]) }
}

/// Functions that encode the credentials of the Basic scheme (RFC 7617).
package enum BasicAuthentication {
    /// Returns the value of Authorization for the userinfo of a URL, `user:password`.
    ///
    /// The userinfo is percent-decoded first, so a colon or an at sign can be part of either.
    package static func credentials(userinfo: String) -> String {
        "Basic " + Base64Text.encode(PercentCoding.decode(userinfo))
    }

    /// Returns the value of Authorization or Proxy-Authorization.
    package static func value(for credentials: HTTPCredentials) -> String {
        "Basic " + Base64Text.encode(credentials.user + [UInt8(ascii: ":")] + credentials.password)
    }
}

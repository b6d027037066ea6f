internal import SocketTransport
internal import Wire

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

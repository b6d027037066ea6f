/// A cookie with its scope, as a jar stores it (RFC 6265bis §5.7).
///
/// Printing omits the value, because the value is often enough to impersonate a user.
public struct Cookie: Sendable, Hashable {
    /// The name, which is case-sensitive; empty for a cookie without one.
    public let name: String
    /// The value as sent, including quotes.
    public let value: String
    /// Whether name and value represent bytes that are not UTF-8.
    ///
    /// Each character is then the byte of that number (ISO 8859-1). The client sends these bytes back.
    public let isLatin1: Bool
    /// The host to which the cookie is sent.
    ///
    /// ASCII letters are in lower case, and there is no leading dot. An IPv6 address has no brackets.
    public let domain: String
    /// Whether the cookie is sent only to that host; otherwise also to every host below ``domain``.
    public let isHostOnly: Bool
    /// The path for which the cookie is sent, including everything below; begins with a slash.
    public let path: String
    /// The expiry in seconds since 1970; nil for a session cookie, which ends with the jar.
    public let expires: Int?
    /// Whether the cookie is sent only over https.
    public let isSecure: Bool
    /// Whether the cookie is hidden from scripts; the client keeps this flag and does not use it.
    public let isHTTPOnly: Bool
    /// The server's policy for requests from other sites; see ``CookieJar`` for its effect here.
    public let sameSite: SetCookie.SameSite?
    /// The time when the cookie was first stored, in seconds since 1970; 0 until a jar stores it.
    public internal(set) var creation: Int
    /// The time when it was last stored or sent, in seconds since 1970; 0 until a jar stores it.
    public internal(set) var lastAccess: Int

    /// Creates a cookie that was not sent by a server.
    ///
    /// Nil for a cookie that could not be sent:
    /// - control characters other than tabs, or a semicolon anywhere;
    /// - an equals sign in the name, or whitespace around name or value;
    /// - an empty name with an empty value, or both together longer than 4096 bytes;
    /// - a domain that is empty, is not ASCII, or has a slash or whitespace;
    /// - a path that does not begin with a slash;
    /// - a domain or path longer than 1024 bytes.
    ///
    /// - Parameters:
    ///   - name: the name; may be empty.
    ///   - value: the value; encode any text other than visible ASCII first.
    ///   - domain: the host; one leading dot and the case of letters do not matter.
    ///   - isHostOnly: whether hosts below `domain` are excluded.
    ///   - path: the path for which the cookie is sent.
    ///   - expires: the expiry in seconds since 1970; nil for the end of the session.
    ///   - isSecure: whether the cookie is sent only over https.
    ///   - isHTTPOnly: whether the cookie is hidden from scripts.
    ///   - sameSite: the policy for requests from other sites.
    ///   - isLatin1: whether each character of name and value is the byte of that number; see
    ///     ``isLatin1``. Nil is returned if one is above U+00FF. Bytes that are UTF-8 become text.
    public init?(
        _ name: String,
        _ value: String,
        domain: String,
        isHostOnly: Bool = true,
        path: String = "/",
        expires: Int? = nil,
        isSecure: Bool = false,
        isHTTPOnly: Bool = false,
        sameSite: SetCookie.SameSite? = nil,
        isLatin1: Bool = false
    ) {
        guard let pair = CookieText(name, value, isLatin1: isLatin1),
            CookieRules.isName(pair.name), CookieRules.isContent(pair.value),
            1...CookieRules.maxPairBytes ~= pair.count,
            let host = CookieRules.domain(domain), CookieRules.isPath(path)
        else { return nil }
        self.init(
            pair: pair,
            domain: host,
            // An address has no hosts below it.
            isHostOnly: isHostOnly || CookieRules.isAddress(host),
            path: path,
            expires: expires,
            isSecure: isSecure,
            isHTTPOnly: isHTTPOnly,
            sameSite: sameSite
        )
    }

    /// Creates a cookie from validated parts.
    init(
        pair: CookieText,
        domain: String,
        isHostOnly: Bool,
        path: String,
        expires: Int?,
        isSecure: Bool,
        isHTTPOnly: Bool,
        sameSite: SetCookie.SameSite?,
        creation: Int = 0,
        lastAccess: Int = 0
    ) {
        name = pair.name
        value = pair.value
        isLatin1 = pair.isLatin1
        self.domain = domain
        self.isHostOnly = isHostOnly
        self.path = path
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
        self.creation = creation
        self.lastAccess = lastAccess
    }

    /// Returns whether a jar keeps only one of the two: same name, domain, path and ``isHostOnly``.
    public func replaces(_ other: Cookie) -> Bool {
        // Compare bytes, as servers do: Swift treats canonically equivalent strings as equal.
        domain == other.domain && isHostOnly == other.isHostOnly
            && text.hasSameName(as: other.text)
            && path.utf8.elementsEqual(other.path.utf8)
    }

    /// The name and the value.
    var text: CookieText { CookieText(self) }

    /// The name and the value as a Cookie field sends them back, byte by byte as received.
    ///
    /// A cookie without a name is its value alone (RFC 6265bis §5.8.3).
    public var pairBytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    /// Returns whether the cookie has expired.
    func isExpired(now: Int) -> Bool {
        expires.map { $0 <= now } ?? false
    }

    /// The same cookie, limited to its own host.
    var hostOnlyCopy: Cookie {
        Cookie(
            pair: text,
            domain: domain,
            isHostOnly: true,
            path: path,
            expires: expires,
            isSecure: isSecure,
            isHTTPOnly: isHTTPOnly,
            sameSite: sameSite,
            creation: creation,
            lastAccess: lastAccess
        )
    }

    /// Returns the cookie with an earlier expiry; a session cookie stays one.
    func expiring(by latest: Int) -> Cookie {
        guard let expires, expires > latest else { return self }
        return Cookie(
            pair: text,
            domain: domain,
            isHostOnly: isHostOnly,
            path: path,
            expires: latest,
            isSecure: isSecure,
            isHTTPOnly: isHTTPOnly,
            sameSite: sameSite,
            creation: creation,
            lastAccess: lastAccess
        )
    }

    /// Appends the cookie to a value of Cookie (§5.8.3); without a name it is only the value.
    func append(to field: inout [UInt8]) {
        if !field.isEmpty { field += [UInt8(ascii: ";"), UInt8(ascii: " ")] }
        if !name.isEmpty {
            text.append(name, to: &field)
            field.append(UInt8(ascii: "="))
        }
        text.append(value, to: &field)
    }
}

extension Cookie: CustomStringConvertible, CustomReflectable {
    /// The name and the scope; the value is omitted to keep it out of logs.
    public var description: String {
        "\(name) (\(isHostOnly ? "" : "*.")\(domain)\(path))"
    }

    /// All properties but the value, for the same reason.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "name": name, "domain": domain, "isHostOnly": isHostOnly, "path": path,
                "expires": expires as Any, "isSecure": isSecure, "isHTTPOnly": isHTTPOnly,
                "sameSite": sameSite as Any,
            ]
        )
    }
}

extension Cookie {
    /// The reason why a jar rejected a cookie.
    @nonexhaustive public enum RejectionReason: Sendable, Hashable, CustomStringConvertible {
        /// The URL is neither http nor https.
        case unsupportedScheme
        /// The line, or the name and value, cannot be a cookie: control bytes, empty, or too long.
        case malformed
        /// Name and value have more bytes than ``CookieJar/Limits/maxPairBytes``.
        case tooLarge
        /// The domain is not ASCII; international domains are written in their `xn--` form.
        case nonASCIIDomain
        /// The domain is a public suffix with many owners, such as `co.uk`.
        case publicSuffix
        /// The host is not in the domain.
        case domainMismatch
        /// A Secure cookie was received over http.
        case secureOverHTTP
        /// The cookie was received over http and would hide a Secure cookie of that name.
        case shadowsSecureCookie
        /// The name begins with `__Secure-` or `__Host-`, but the cookie does not meet their requirements.
        case invalidPrefix

        /// A short description of the reason.
        public var description: String {
            switch self {
            case .unsupportedScheme: "the URL is neither http nor https"
            case .malformed: "it is not a valid cookie"
            case .tooLarge: "the name and value are too long"
            case .nonASCIIDomain: "the domain is not ASCII"
            case .publicSuffix: "the domain is a public suffix"
            case .domainMismatch: "the host is not in the domain"
            case .secureOverHTTP: "it is Secure, but was received over http"
            case .shadowsSecureCookie: "it was received over http and would hide a Secure cookie"
            case .invalidPrefix: "it does not meet the requirements of its name prefix"
            }
        }
    }
}

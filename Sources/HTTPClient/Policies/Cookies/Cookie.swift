/// Holds one cookie: what a server had stored, and for whom (RFC 6265bis §5.7).
///
/// Printing leaves the value out: it often is all that it takes to be somebody.
public struct Cookie: Sendable, Hashable {
    /// The name, in which case matters; empty for a cookie without one.
    public let name: String
    /// The value as it was sent, quotes included.
    public let value: String
    /// Whether name and value stand for bytes that are not UTF-8.
    ///
    /// Each character is then the byte of that number (ISO 8859-1). They are sent back as these bytes.
    public let isLatin1: Bool
    /// The host that it is for, ASCII letters in lower case, without a dot in front; an IPv6 address
    /// without brackets.
    public let domain: String
    /// Whether it is for that very host; otherwise also for every host below ``domain``.
    public let isHostOnly: Bool
    /// The path that it is for, with what lies below it; begins with a slash.
    public let path: String
    /// When it ends, in seconds since 1970; nil for a session cookie, which ends with the jar.
    public let expires: Int?
    /// Whether it is sent over https alone.
    public let isSecure: Bool
    /// Whether it is hidden from scripts; to this client it means nothing, and is kept.
    public let isHTTPOnly: Bool
    /// What the server said of requests from other sites; see ``CookieJar`` for what it means here.
    public let sameSite: SameSite?
    /// When it was first stored, in seconds since 1970; 0 until a jar takes it.
    public internal(set) var creation: Int
    /// When it was last stored or sent, in seconds since 1970; 0 until a jar takes it.
    public internal(set) var lastAccess: Int

    /// Makes a cookie that was not sent by a server.
    ///
    /// Nil for what could not be sent: control characters other than tabs or a semicolon anywhere, an
    /// equals sign in the name, whitespace around name or value, both of them empty or together longer
    /// than 4096 bytes; a domain that is empty, not ASCII or has a slash or whitespace; a path that
    /// does not begin with a slash; a domain or path longer than 1024 bytes.
    ///
    /// - Parameters:
    ///   - name: its name; may be empty.
    ///   - value: its value; encode any other text than visible ASCII first.
    ///   - domain: the host it is for; one dot in front and the case of letters do not matter.
    ///   - isHostOnly: whether hosts below `domain` are left out.
    ///   - path: the path it is for.
    ///   - expires: when it ends, in seconds since 1970; nil for the end of the session.
    ///   - isSecure: whether it is sent over https alone.
    ///   - isHTTPOnly: whether scripts are not to see it.
    ///   - sameSite: which requests of other sites carry it.
    ///   - isLatin1: whether each character of name and value stands for the byte of that number, as
    ///     ``isLatin1`` has it; nil is returned if one is above U+00FF. Bytes that are UTF-8 become text.
    public init?(
        _ name: String,
        _ value: String,
        domain: String,
        isHostOnly: Bool = true,
        path: String = "/",
        expires: Int? = nil,
        isSecure: Bool = false,
        isHTTPOnly: Bool = false,
        sameSite: SameSite? = nil,
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
            // An address has nothing below it.
            isHostOnly: isHostOnly || CookieRules.isAddress(host),
            path: path,
            expires: expires,
            isSecure: isSecure,
            isHTTPOnly: isHTTPOnly,
            sameSite: sameSite
        )
    }

    /// Makes a cookie of parts that were checked.
    init(
        pair: CookieText,
        domain: String,
        isHostOnly: Bool,
        path: String,
        expires: Int?,
        isSecure: Bool,
        isHTTPOnly: Bool,
        sameSite: SameSite?,
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

    /// Whether a jar would keep only one of the two: same name, domain, path, and host-only or not.
    public func replaces(_ other: Cookie) -> Bool {
        // Byte by byte: Swift takes more texts for equal than servers do.
        domain == other.domain && isHostOnly == other.isHostOnly
            && text.hasSameName(as: other.text)
            && path.utf8.elementsEqual(other.path.utf8)
    }

    /// The name and the value.
    var text: CookieText { CookieText(self) }

    /// The name and the value as a Cookie field returns them, byte by byte as they came.
    ///
    /// A cookie without a name is its value alone (RFC 6265bis §5.8.3).
    public var pairBytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    /// Whether it has ended.
    func isExpired(now: Int) -> Bool {
        expires.map { $0 <= now } ?? false
    }

    /// The same cookie for its very host.
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

    /// The same cookie with an earlier end; one that has none gets none.
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

    /// Appends it to a value of Cookie (§5.8.3); a cookie without a name is its value alone.
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
    /// The name, and whom it is for; the value is left out, so that it gets into no log by accident.
    public var description: String {
        "\(name) (\(isHostOnly ? "" : "*.")\(domain)\(path))"
    }

    /// All but the value, for the same reason.
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

/// Says why a jar did not take a cookie.
@nonexhaustive public enum CookieRejectionReason: Sendable, Hashable, CustomStringConvertible {
    /// The URL is not one of http or https.
    case unsupportedScheme
    /// The line, or the name and value, cannot be a cookie: control bytes, nothing at all, too long.
    case malformed
    /// Name and value have more bytes than ``CookieJar/Limits/maxPairBytes``.
    case tooLarge
    /// The domain is not ASCII; international names are written in their `xn--` form.
    case nonASCIIDomain
    /// The domain belongs to many owners, such as `co.uk`.
    case publicSuffix
    /// The host is not in the domain.
    case domainMismatch
    /// A Secure cookie that came over http.
    case secureOverHTTP
    /// It came over http, and there is a Secure cookie of that name that it would stand in for.
    case shadowsSecureCookie
    /// A name that begins with `__Secure-` or `__Host-` without what these promise.
    case invalidPrefix

    /// What is wrong, in a few words.
    public var description: String {
        switch self {
        case .unsupportedScheme: "the URL is neither http nor https"
        case .malformed: "it is no cookie"
        case .tooLarge: "name and value are too long"
        case .nonASCIIDomain: "the domain is not ASCII"
        case .publicSuffix: "the domain is a public suffix"
        case .domainMismatch: "the host is not in the domain"
        case .secureOverHTTP: "it is Secure and came over http"
        case .shadowsSecureCookie: "it would hide a Secure cookie, and came over http"
        case .invalidPrefix: "it does not keep what its name promises"
        }
    }
}

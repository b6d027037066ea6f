/// A request to store a cookie: the value of one Set-Cookie line (RFC 6265bis §4.1).
///
/// The properties are what the server sent, without validation. The cookie storage must decide
/// whether to accept them (§5.7). For example, it checks that the domain belongs to the server,
/// applies prefixes such as "__Host-", and limits a cookie's lifetime.
public struct SetCookie: Hashable, Sendable, CustomStringConvertible,
    CustomReflectable
{
    /// The name and the value to store.
    public let pair: CookiePair
    /// The domain of the cookie in lower case, without a leading dot.
    ///
    /// Nil if the cookie applies only to the host that sent it.
    public let domain: String?
    /// The path of the cookie, with a leading slash, or nil for the default.
    ///
    /// The default is the path of the request without its last segment.
    public let path: String?
    /// The expiration date, used if ``maxAge`` is nil.
    ///
    /// If both are nil, the cookie ends with the session. Clients ignore a date before 1601.
    public var expires: HTTPDate?
    /// The seconds from receipt until the cookie expires; 0 and negative numbers remove it.
    ///
    /// It takes precedence over ``expires`` (§5.7). Nil if absent.
    public var maxAge: Int?
    /// Whether the cookie may be sent only over secure connections.
    public var isSecure = false
    /// Whether the cookie is hidden from scripts.
    public var isHTTPOnly = false
    /// The rule for cross-site requests; nil means the client's default.
    public var sameSite: SameSite?

    /// Creates a cookie for a server to send.
    ///
    /// The result is nil if some clients would not read the cookie back unchanged.
    ///
    /// - Parameters:
    ///   - pair: the name and the value.
    ///   - domain: ASCII letters, digits, hyphens and dots, without a leading dot; international
    ///     names in their ASCII form. Nil for only the host that sends the cookie. At most 1024
    ///     bytes.
    ///   - path: a slash and any text without semicolons, control characters or trailing
    ///     whitespace. Nil for the path of the request without its last segment. At most 1024
    ///     bytes.
    public init?(_ pair: CookiePair, domain: String? = nil, path: String? = nil) {
        if let domain {
            guard 1...Self.maxAttributeBytes ~= domain.utf8.count, domain.utf8.first != Byte.dot,
                domain.utf8.allSatisfy(Self.isDomain)
            else { return nil }
        }
        if let path {
            guard path.utf8.count <= Self.maxAttributeBytes, path.utf8.first == Byte.slash,
                let last = path.utf8.last, !ByteClass.isSpace(last),
                path.utf8.allSatisfy({ ByteClass.isFieldValue($0) && $0 != Byte.semicolon })
            else { return nil }
        }
        self.pair = pair
        self.domain = domain.map { ByteClass.lowercase($0) }
        self.path = path
    }

    /// Parses one line of Set-Cookie, as clients must (§5.6).
    ///
    /// The parser accepts almost any text. It skips unknown attributes, malformed values and values
    /// of more than 1024 bytes. If an attribute is repeated, the last one is used. The result is
    /// nil for a line with a control byte other than a tab, and if name and value together are
    /// empty or longer than 4096 bytes.
    ///
    /// - Parameter text: the value of one field line. Never join lines of Set-Cookie.
    public init?(_ text: String) {
        self.init(bytes: Array(text.utf8))
    }

    /// Parses one line of Set-Cookie as ``init(_:)`` does, and keeps the bytes of name and value.
    ///
    /// - Parameter bytes: the value of one field line, in any encoding; see
    ///   ``CookiePair/isLatin1``.
    public init?(bytes: [UInt8]) {
        guard bytes.allSatisfy(ByteClass.isFieldValue) else { return nil }
        let segments = bytes.split(separator: Byte.semicolon, omittingEmptySubsequences: false)
        guard let first = segments.first, let pair = CookiePair(parsing: first) else { return nil }
        self.pair = pair
        var (domain, path): (String?, String?)
        for segment in segments.dropFirst() {
            let (name, value) = CookiePair.split(segment)
            let content = value ?? []
            guard content.count <= Self.maxAttributeBytes else { continue }
            switch ByteClass.lowercase(String(decoding: name, as: UTF8.self)) {
            case "domain": domain = Self.domain(content)
            case "path": path = Self.path(content)
            case "expires":
                let date = HTTPDate(cookieDate: String(decoding: content, as: UTF8.self))
                expires = date ?? expires
            case "max-age": maxAge = Self.seconds(content) ?? maxAge
            case "secure": isSecure = true
            case "httponly": isHTTPOnly = true
            case "samesite": sameSite = SameSite(parsing: content)
            default: continue
            }
        }
        (self.domain, self.path) = (domain, path)
    }

    /// The case-sensitive name; empty for a cookie without a name.
    public var name: String { pair.name }

    /// The value as sent, including quotes.
    public var value: String { pair.value }

    /// The field value with `***` in place of the value of the cookie.
    public var description: String {
        LogText.line("\(pair)\(attributes)")
    }

    /// Only ``description``, so that dump(_:) shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["text": description]) }

    /// The field value.
    public var text: String {
        // Keeps the "=" of a cookie without a name, because clients of RFC 6265 ignore one without
        // "=".
        "\(pair.name)=\(pair.value)\(attributes)"
    }

    private var attributes: String {
        var text = ""
        if let expires { text += "; Expires=\(expires)" }
        if let maxAge { text += "; Max-Age=\(maxAge)" }
        if let domain {
            // Parsers remove whitespace and then one leading dot, so an added dot protects other
            // leading characters.
            let isBare = domain.utf8.first.map { $0 != Byte.dot && !ByteClass.isSpace($0) } ?? true
            text += isBare ? "; Domain=\(domain)" : "; Domain=.\(domain)"
        }
        if let path { text += "; Path=\(path)" }
        if isSecure { text += "; Secure" }
        if isHTTPOnly { text += "; HttpOnly" }
        if let sameSite { text += "; SameSite=\(sameSite.rawValue)" }
        return text
    }

    /// Parses Max-Age (§5.6.2), clamping large numbers, or returns nil if it is malformed.
    private static func seconds(_ bytes: ArraySlice<UInt8>) -> Int? {
        let isNegative = bytes.first == UInt8(ascii: "-")
        let digits = isNegative ? bytes.dropFirst() : bytes
        switch Digits.decimal(Array(digits).span) {
        case .value(let value): return isNegative ? -value : value
        case .tooLarge: return isNegative ? -Int.max : .max
        case .malformed: return nil
        }
    }

    /// Parses Domain (§5.6.3), or returns nil if it is empty.
    private static func domain(_ bytes: ArraySlice<UInt8>) -> String? {
        let name = bytes.first == Byte.dot ? bytes.dropFirst() : bytes
        return name.isEmpty ? nil : ByteClass.lowercase(String(decoding: name, as: UTF8.self))
    }

    /// Parses Path (§5.6.4), or returns nil if it does not begin with a slash.
    private static func path(_ bytes: ArraySlice<UInt8>) -> String? {
        bytes.first == Byte.slash ? String(decoding: bytes, as: UTF8.self) : nil
    }

    private static func isDomain(_ byte: UInt8) -> Bool {
        ByteClass.isAlpha(byte) || ByteClass.isDigit(byte) || byte == Byte.dot
            || byte == UInt8(ascii: "-")
    }

    /// The maximum length of an attribute value that clients accept, in bytes (§5.6).
    private static let maxAttributeBytes = 1024
}

extension SetCookie {
    /// The rule for sending a cookie with cross-site requests (RFC 6265bis §5.6.7).
    public enum SameSite: String, Hashable, Sendable {
        /// Cross-site requests do not carry the cookie.
        case strict = "Strict"
        /// Among cross-site requests, only top-level navigations with a safe method carry the cookie.
        case lax = "Lax"
        /// Every request carries it (`SameSite=None`); clients also require ``SetCookie/isSecure``.
        case unrestricted = "None"

        /// Parses the attribute value, ignoring ASCII case, or returns nil if it is unknown.
        init?(parsing bytes: ArraySlice<UInt8>) {
            switch ByteClass.lowercase(String(decoding: bytes, as: UTF8.self)) {
            case "strict": self = .strict
            case "lax": self = .lax
            case "none": self = .unrestricted
            default: return nil
            }
        }
    }
}

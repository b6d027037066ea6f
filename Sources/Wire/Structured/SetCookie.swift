/// Asks a client to store a cookie: the value of one Set-Cookie line (RFC 6265bis §4.1).
///
/// It says what the server wrote. Whether to believe it (whether the domain is the server's, whether
/// a prefix such as "__Host-" is honoured, how long a cookie may live) is for the one who keeps
/// cookies to decide (§5.7).
public struct SetCookie: Hashable, Sendable, CustomStringConvertible {
    /// The name and the value to store.
    public let pair: CookiePair
    /// The domain that the cookie is for, ASCII letters in lower case, without a dot in front.
    ///
    /// Nil when the cookie is for the very host that sent it.
    public let domain: String?
    /// The path that the cookie is for, with a slash in front; nil stands for that of the request
    /// without its last segment.
    public let path: String?
    /// When the cookie ends, unless ``maxAge`` is there; nil for the end of the session.
    ///
    /// Clients ignore a date before 1601.
    public var expires: HTTPDate?
    /// Seconds until the cookie ends, from when it was received; 0 and below remove it.
    ///
    /// It counts before ``expires`` (§5.7). Nil when it was not said.
    public var maxAge: Int?
    /// Says whether the cookie may only be sent over secure connections.
    public var isSecure = false
    /// Says whether the cookie is hidden from scripts.
    public var isHTTPOnly = false
    /// Says which requests of other sites carry the cookie; nil leaves it to the client.
    public var sameSite: SameSite?

    /// Creates what a server sends.
    ///
    /// Nil for what not every client would read back as it is.
    ///
    /// - Parameters:
    ///   - pair: the name and the value.
    ///   - domain: ASCII letters, digits, hyphens and dots, no dot in front; international names in
    ///     their ASCII form. Nil for the very host that answers.
    ///   - path: a slash and anything behind it but semicolons, control characters and whitespace
    ///     at the end; nil for the path of the request without its last segment. Neither may be
    ///     longer than 1024 bytes.
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

    /// Parses one line of Set-Cookie, as every client is to (§5.6).
    ///
    /// Almost anything is a cookie: unknown attributes, values that are not understood and those of
    /// more than 1024 bytes are passed over, and of repeated attributes the last one counts. Nil
    /// for a line with a control byte other than a tab, and when name and value together are empty
    /// or longer than 4096 bytes.
    ///
    /// - Parameter text: the value of one field line. Lines of Set-Cookie must never be joined.
    public init?(_ text: String) {
        self.init(bytes: Array(text.utf8))
    }

    /// Parses one line of Set-Cookie, as ``init(_:)`` does, and keeps name and value byte by byte.
    ///
    /// - Parameter bytes: the value of one field line, in any encoding; see ``CookiePair/isLatin1``.
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

    /// The name, in which case matters; empty for a cookie without one.
    public var name: String { pair.name }

    /// The value as it was sent, quotes included.
    public var value: String { pair.value }

    /// Formats the field value.
    public var description: String {
        // A cookie without name keeps its "=": clients of RFC 6265 ignore one that has none.
        var text = "\(pair.name)=\(pair.value)"
        if let expires { text += "; Expires=\(expires)" }
        if let maxAge { text += "; Max-Age=\(maxAge)" }
        if let domain {
            // Readers drop whitespace and then one dot in front: a dot keeps others where they are.
            let isBare = domain.utf8.first.map { $0 != Byte.dot && !ByteClass.isSpace($0) } ?? true
            text += isBare ? "; Domain=\(domain)" : "; Domain=.\(domain)"
        }
        if let path { text += "; Path=\(path)" }
        if isSecure { text += "; Secure" }
        if isHTTPOnly { text += "; HttpOnly" }
        if let sameSite { text += "; SameSite=\(sameSite.rawValue)" }
        return text
    }

    /// Reads Max-Age (§5.6.2), the largest number for one that is too large; nil when it is none.
    private static func seconds(_ bytes: ArraySlice<UInt8>) -> Int? {
        let isNegative = bytes.first == UInt8(ascii: "-")
        let digits = isNegative ? bytes.dropFirst() : bytes
        switch Digits.decimal(Array(digits).span) {
        case .value(let value): return isNegative ? -value : value
        case .tooLarge: return isNegative ? -Int.max : .max
        case .malformed: return nil
        }
    }

    /// Reads Domain (§5.6.3); an empty one stands for none.
    private static func domain(_ bytes: ArraySlice<UInt8>) -> String? {
        let name = bytes.first == Byte.dot ? bytes.dropFirst() : bytes
        return name.isEmpty ? nil : ByteClass.lowercase(String(decoding: name, as: UTF8.self))
    }

    /// Reads Path (§5.6.4); one that does not begin with a slash stands for none.
    private static func path(_ bytes: ArraySlice<UInt8>) -> String? {
        bytes.first == Byte.slash ? String(decoding: bytes, as: UTF8.self) : nil
    }

    private static func isDomain(_ byte: UInt8) -> Bool {
        ByteClass.isAlpha(byte) || ByteClass.isDigit(byte) || byte == Byte.dot
            || byte == UInt8(ascii: "-")
    }

    /// Bytes of an attribute's value that clients take (§5.6).
    private static let maxAttributeBytes = 1024
}

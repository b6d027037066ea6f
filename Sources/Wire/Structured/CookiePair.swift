/// The name and value of a cookie, as a client returns them in Cookie (RFC 6265bis §4.2).
public struct CookiePair: Hashable, Sendable, CustomStringConvertible,
    CustomReflectable
{
    /// The case-sensitive name; empty for a cookie without a name.
    public let name: String
    /// The value as sent, including quotes, which clients treat as part of the value.
    public let value: String
    /// Whether name and value represent bytes that are not UTF-8.
    ///
    /// If so, each character represents the byte with the same number (ISO 8859-1). ``bytes``
    /// returns the original bytes.
    public let isLatin1: Bool

    /// Creates a pair that every server understands.
    ///
    /// The result is nil unless the name is a token and the value consists of visible ASCII without
    /// quotes, commas, semicolons and backslashes. The value as a whole may be quoted (§4.1.1). The
    /// result is also nil if both together exceed 4096 bytes, because clients drop such cookies.
    ///
    /// - Parameters:
    ///   - name: a token.
    ///   - value: the value. Encode any other text first, for example with Base64.
    public init?(_ name: String, _ value: String) {
        guard QuotedString.isToken(name), Self.isValue(value.utf8),
            name.utf8.count + value.utf8.count <= Self.maxLength
        else { return nil }
        self.name = name
        self.value = value
        isLatin1 = false
    }

    /// Parses a pair as clients do (§5.6): everything before the first "=" is the name.
    ///
    /// Without "=", the whole text is the value. The result is nil if the pair is empty or longer
    /// than 4096 bytes.
    init?(parsing bytes: ArraySlice<UInt8>) {
        let (name, value) = Self.split(bytes)
        guard let value else {
            self.init(bytes: [], name)
            return
        }
        self.init(bytes: name, value)
    }

    private init?(bytes name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        guard 1...Self.maxLength ~= name.count + value.count else { return nil }
        if let nameText = String(validating: name, as: UTF8.self),
            let valueText = String(validating: value, as: UTF8.self)
        {
            (self.name, self.value, isLatin1) = (nameText, valueText, false)
        } else {
            (self.name, self.value) = (
                TextDecoding.latin1(name.span), TextDecoding.latin1(value.span)
            )
            isLatin1 = true
        }
    }

    /// Parses the lines of Cookie.
    ///
    /// The parser relies only on semicolons, because clients return whatever a server has set.
    /// Whitespace around names and values is removed, empty pairs are skipped, and a pair without
    /// "=" is a value without a name. A line with a control byte other than a tab yields no pairs.
    ///
    /// - Parameter lines: the value of each field line. There should be one, but intermediaries may
    ///   have split it (RFC 9113 §8.2.3).
    /// - Returns: the pairs in field order. A name may occur twice with values for different paths.
    ///   The more specific path comes first, but servers should not rely on this (§4.2.2).
    public static func list(_ lines: [String]) -> [CookiePair] {
        lines.filter { $0.utf8.allSatisfy(ByteClass.isFieldValue) }.flatMap { line in
            Array(line.utf8).split(separator: Byte.semicolon).compactMap(CookiePair.init(parsing:))
        }
    }

    /// The pair as written in Cookie (§5.8.3).
    ///
    /// Join several with "; ". A pair without a name is only its value, even if the value contains
    /// "=".
    public var text: String { name.isEmpty ? value : "\(name)=\(value)" }

    /// The name, and `***` in place of the value.
    public var description: String {
        LogText.line(name.isEmpty ? SecretNames.mask : "\(name)=\(SecretNames.mask)")
    }

    /// Only ``description``, so that dump(_:) shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["text": description]) }

    /// The bytes of the pair as written in Cookie, identical to those received.
    public var bytes: [UInt8] {
        isLatin1
            ? text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            : Array(text.utf8)
    }

    /// Splits at the first "=" and trims both parts; the second is nil if there is no "=".
    static func split(
        _ bytes: ArraySlice<UInt8>
    ) -> (ArraySlice<UInt8>, ArraySlice<UInt8>?) {
        guard let mark = bytes.firstIndex(of: Byte.equals) else { return (trimmed(bytes), nil) }
        return (trimmed(bytes[..<mark]), trimmed(bytes[(mark + 1)...]))
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = bytes.drop(while: ByteClass.isSpace)
        while let last = rest.last, ByteClass.isSpace(last) { rest.removeLast() }
        return rest
    }

    /// Returns whether the bytes are a valid cookie-value.
    private static func isValue(_ bytes: String.UTF8View) -> Bool {
        var inner = bytes[...]
        if inner.count > 1, inner.first == Byte.quote, inner.last == Byte.quote {
            inner = inner.dropFirst().dropLast()
        }
        return inner.allSatisfy { byte in
            switch byte {
            case Byte.quote, Byte.comma, Byte.semicolon, Byte.backslash: false
            default: ByteClass.isVisible(byte)
            }
        }
    }

    /// The maximum length of name and value together that clients accept, in bytes (§5.6).
    static let maxLength = 4096
}

/// Holds one name and value, as the Cookie field returns them (RFC 6265bis §4.2).
public struct CookiePair: Hashable, Sendable, CustomStringConvertible {
    /// The name, in which case matters; empty for a cookie without one.
    public let name: String
    /// The value as it was sent, quotes included: to a client they are part of it.
    public let value: String
    /// Whether name and value stand for bytes that are not UTF-8.
    ///
    /// Each character is then the byte of that number (ISO 8859-1). ``bytes`` returns them as they came.
    public let isLatin1: Bool

    /// Creates a pair that every server understands.
    ///
    /// Nil unless the name is a token and the value holds visible ASCII other than quotes, commas,
    /// semicolons and backslashes, perhaps as a whole in quotes (§4.1.1), and nil when both together
    /// are longer than 4096 bytes: clients drop such cookies.
    ///
    /// - Parameters:
    ///   - name: a token.
    ///   - value: encode any other text first, for instance by Base64.
    public init?(_ name: String, _ value: String) {
        guard QuotedString.isToken(name), Self.isValue(value.utf8),
            name.utf8.count + value.utf8.count <= Self.maxLength
        else { return nil }
        self.name = name
        self.value = value
        isLatin1 = false
    }

    /// Reads a pair as clients do (§5.6): everything before the first "=" is the name.
    ///
    /// Without "=" all of it is the value. Nil when nothing is left, or more than 4096 bytes.
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
    /// Nothing but the semicolons is asked for, as clients send what they were given: whitespace
    /// around a name or a value is dropped, empty pairs are passed over, and a pair without "=" is a
    /// value without name. A line with a control byte other than a tab holds no pairs.
    ///
    /// - Parameter lines: the value of each field line. There should be one, but intermediaries may
    ///   have parted it (RFC 9113 §8.2.3).
    /// - Returns: the pairs in order. A name may occur twice, with values of different paths: the
    ///   more exact path comes first, but no server should rely on it (§4.2.2).
    public static func list(_ lines: [String]) -> [CookiePair] {
        lines.filter { $0.utf8.allSatisfy(ByteClass.isFieldValue) }.flatMap { line in
            Array(line.utf8).split(separator: Byte.semicolon).compactMap(CookiePair.init(parsing:))
        }
    }

    /// Formats the pair for Cookie (§5.8.3); join several by "; ".
    ///
    /// A pair without a name is its value alone, also when the value contains "=".
    public var description: String { name.isEmpty ? value : "\(name)=\(value)" }

    /// The pair as Cookie returns it, byte by byte as it came.
    public var bytes: [UInt8] {
        isLatin1
            ? description.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            : Array(description.utf8)
    }

    /// Parts at the first "=" and drops whitespace around both parts; nil for the second without.
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

    /// Says whether the bytes are a cookie-value.
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

    /// Bytes of name and value together that clients take (§5.6).
    static let maxLength = 4096
}

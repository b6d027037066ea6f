/// A `name=value` parameter of a field (RFC 9110 §5.6.6).
///
/// Names are kept in lower case, because their case never matters. Values are compared byte by
/// byte, without quotes and escaping backslashes.
public struct FieldParameter: Hashable, Sendable, CustomStringConvertible {
    /// The name, a token with its ASCII letters in lower case.
    public let name: String
    /// The value without quotes; may be empty.
    public let value: String

    /// Creates a parameter, or returns nil if it cannot be written in a field.
    ///
    /// - Parameters:
    ///   - name: a token; it is converted to lower case.
    ///   - value: any text without control characters other than tabs.
    public init?(_ name: String, _ value: String) {
        guard QuotedString.isToken(name), QuotedString.canRepresent(value) else { return nil }
        self.init(parsed: name, value)
    }

    /// Creates a parameter from text that a cursor has already validated.
    init(parsed name: String, _ value: String) {
        self.name = ByteClass.lowercase(name)
        self.value = value
    }

    /// Compares name and value byte by byte.
    public static func == (left: FieldParameter, right: FieldParameter) -> Bool {
        left.name == right.name && left.value.utf8.elementsEqual(right.value.utf8)
    }

    /// Hashes the bytes of name and value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        for byte in value.utf8 { hasher.combine(byte) }
    }

    /// The parameter, with its value in quotes unless it is a token.
    ///
    /// An encoded value, whose name ends in "*", has no quotes (RFC 8187 §3.2.1).
    public var description: String {
        isExtended && ExtendedValue.isWritable(value)
            ? "\(name)=\(value)" : "\(name)=\(QuotedString.quotedIfNeeded(value))"
    }

    private var isExtended: Bool { name.utf8.last == Byte.asterisk }
}

extension [FieldParameter] {
    /// Returns the value of the first parameter with that name, which must be in lower case.
    func first(_ name: String) -> String? {
        first { $0.name == name }?.value
    }

    /// All parameters, each after a semicolon.
    var suffix: String {
        var text = ""
        for parameter in self { text += "; \(parameter)" }
        return text
    }
}

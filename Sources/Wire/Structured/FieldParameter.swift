/// Holds one `name=value` of a field (RFC 9110 §5.6.6).
///
/// Names are kept in lower case, since their case never matters; values are bytes, compared as
/// such, quotes and backslashes gone.
public struct FieldParameter: Hashable, Sendable, CustomStringConvertible {
    /// The name, a token, ASCII letters in lower case.
    public let name: String
    /// The value without quotes; may be empty.
    public let value: String

    /// Creates a parameter; nil for one that no field can hold.
    ///
    /// - Parameters:
    ///   - name: a token; its letters are lowered.
    ///   - value: any text without control characters; a tab is fine.
    public init?(_ name: String, _ value: String) {
        guard QuotedString.isToken(name), QuotedString.canRepresent(value) else { return nil }
        self.init(parsed: name, value)
    }

    /// Takes over what a cursor has read and thereby checked.
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

    /// Formats the parameter, the value in quotes unless it is a token.
    public var description: String { "\(name)=\(QuotedString.quotedIfNeeded(value))" }
}

extension [FieldParameter] {
    /// Finds the value of the first parameter of that name, which must be in lower case.
    func first(_ name: String) -> String? {
        first { $0.name == name }?.value
    }

    /// Formats all parameters, each behind a semicolon.
    var suffix: String {
        var text = ""
        for parameter in self { text += "; \(parameter)" }
        return text
    }
}

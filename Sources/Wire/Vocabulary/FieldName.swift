/// Names a field; two spellings that differ in ASCII case alone are the same name (RFC 9110 §5.1).
///
/// Any text can be held, so that a literal cannot fail; what is no token is refused when a message
/// is written. The spelling is kept and sent as given.
public struct FieldName: ExpressibleByStringLiteral, Hashable, Sendable, CustomStringConvertible {
    /// The spelling given.
    public let rawName: String
    /// Number in ``KnownFieldNames``; 0 for a name that is not in the table.
    let number: UInt16
    /// Says whether the spelling is a token, so that it may be sent (RFC 9110 §5.6.2).
    public let isToken: Bool

    /// Creates a name of that spelling, valid or not.
    public init(_ rawName: String) {
        self.rawName = rawName
        let bytes = rawName.utf8.span
        number = KnownFieldNames.number(of: bytes)
        isToken = number != 0 || HeadScanner.Classes.isToken(bytes)
    }

    /// Creates a name of that spelling, valid or not.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// Creates a row of the table; the number is the row's position, counted from 1.
    init(known number: UInt16, _ rawName: String) {
        self.rawName = rawName
        self.number = number
        isToken = true
    }

    /// Compares names without ASCII case.
    public static func == (left: FieldName, right: FieldName) -> Bool {
        guard left.number == 0, right.number == 0 else { return left.number == right.number }
        return ByteClass.equalsIgnoringCase(left.rawName.utf8.span, right.rawName.utf8.span)
    }

    /// Hashes the name without ASCII case.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(number)
        guard number == 0 else { return }
        for byte in rawName.utf8 {
            hasher.combine(ByteClass.lowercase(byte))
        }
    }

    /// Gives the spelling.
    public var description: String { rawName }
}

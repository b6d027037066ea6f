/// The name of a field; names are equal if they differ only in ASCII case (RFC 9110 §5.1).
///
/// The type accepts any text, so that a literal cannot fail. Encoders refuse a name that is not a
/// token. The original spelling is kept and sent.
public struct FieldName: ExpressibleByStringLiteral, Hashable, Sendable, CustomStringConvertible {
    /// The name as spelled by its creator.
    public let rawName: String
    /// The number of the name in ``KnownFieldNames``; 0 for a name that is not in the table.
    let number: UInt16
    /// Whether the name is a token and may therefore be sent (RFC 9110 §5.6.2).
    public let isToken: Bool

    /// Creates a name with the given spelling, valid or not.
    public init(_ rawName: String) {
        self.rawName = rawName
        let bytes = rawName.utf8.span
        number = KnownFieldNames.number(of: bytes)
        isToken = number != 0 || HeadScanner.Classes.isToken(bytes)
    }

    /// Creates a name with the given spelling, valid or not.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// Creates an entry of the table; `number` is its position, counted from 1.
    init(known number: UInt16, _ rawName: String) {
        self.rawName = rawName
        self.number = number
        isToken = true
    }

    /// Compares two names without regard to ASCII case.
    public static func == (left: FieldName, right: FieldName) -> Bool {
        guard left.number == 0, right.number == 0 else { return left.number == right.number }
        return ByteClass.equalsIgnoringCase(left.rawName.utf8.span, right.rawName.utf8.span)
    }

    /// Hashes the name without regard to ASCII case.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(number)
        guard number == 0 else { return }
        for byte in rawName.utf8 {
            hasher.combine(ByteClass.lowercase(byte))
        }
    }

    /// The name as spelled by its creator.
    public var description: String { rawName }
}

extension FieldName {
    /// All names in the table of known names.
    package static var allKnown: [FieldName] { known }

    /// The number of the name in the table; 0 for a name that is not in it.
    package var knownNumber: UInt16 { number }
}

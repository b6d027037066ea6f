/// Says which octets of a representation a part holds (RFC 9110 §14.4).
public enum ContentRange: Hashable, Sendable, CustomStringConvertible {
    /// These positions, both included, of so many octets; nil when the whole is not known.
    case part(ClosedRange<UInt64>, of: UInt64?)
    /// None: the answer to a range outside of so many octets.
    case unsatisfied(of: UInt64)

    /// Parses a field value, such as `bytes 0-499/1234`, `bytes 0-499/*` or `bytes */1234`.
    ///
    /// Nil for another unit, for a part that ends before it begins or beyond the whole, for numbers
    /// above 2^63 - 1 and for anything else: such a value must not be used to join parts (§14.4).
    public init?(_ text: String) {
        guard var cursor = FieldCursor(text), let unit = cursor.token(),
            ByteClass.lowercase(unit) == "bytes", cursor.take(Byte.space),
            let value = ContentRange(&cursor), cursor.isAtEnd
        else { return nil }
        self = value
    }

    /// Reads what follows the unit.
    private init?(_ cursor: inout FieldCursor) {
        if cursor.take("*/") {
            guard let length = Self.number(&cursor) else { return nil }
            self = .unsatisfied(of: length)
            return
        }
        guard let first = Self.number(&cursor), cursor.take(UInt8(ascii: "-")),
            let last = Self.number(&cursor), first <= last, cursor.take(Byte.slash)
        else { return nil }
        if cursor.take(Byte.asterisk) {
            self = .part(first...last, of: nil)
            return
        }
        guard let length = Self.number(&cursor), last < length else { return nil }
        self = .part(first...last, of: length)
    }

    /// The octets of the whole representation; nil when it is not known.
    public var completeLength: UInt64? {
        switch self {
        case .part(_, let length): length
        case .unsatisfied(let length): length
        }
    }

    /// The octets of the part; 0 for none.
    public var length: UInt64 {
        switch self {
        case .part(let range, _):
            // Only a range that nobody parsed can hold all 2^64 positions.
            range == 0...(.max) ? .max : range.upperBound - range.lowerBound + 1
        case .unsatisfied: 0
        }
    }

    /// Formats the field value.
    public var description: String {
        switch self {
        case .part(let range, let length):
            "bytes \(range.lowerBound)-\(range.upperBound)/\(length.map { "\($0)" } ?? "*")"
        case .unsatisfied(let length): "bytes */\(length)"
        }
    }

    private static func number(_ cursor: inout FieldCursor) -> UInt64? {
        guard case .value(let value) = cursor.number(upTo: UInt64(Int64.max)) else { return nil }
        return value
    }
}

/// Says which bytes of a representation a part holds (RFC 9110 §14.4).
public enum ContentRange: Hashable, Sendable, CustomStringConvertible {
    /// These positions, both included, of so many bytes; nil when the whole is not known.
    case part(ClosedRange<Int>, of: Int?)
    /// None: the answer to a range outside of so many bytes.
    case unsatisfied(of: Int)

    /// Parses a field value, such as `bytes 0-499/1234`, `bytes 0-499/*` or `bytes */1234`.
    ///
    /// Nil for another unit, for a part that ends before it begins or beyond the whole, for lengths
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
            let last = Self.number(&cursor), first <= last, last < .max, cursor.take(Byte.slash)
        else { return nil }
        if cursor.take(Byte.asterisk) {
            self = .part(first...last, of: nil)
            return
        }
        guard let length = Self.number(&cursor), last < length else { return nil }
        self = .part(first...last, of: length)
    }

    /// The bytes of the whole representation; nil when it is not known.
    public var completeLength: Int? {
        switch self {
        case .part(_, let length): length
        case .unsatisfied(let length): length
        }
    }

    /// The bytes of the part; 0 for none.
    public var length: Int {
        switch self {
        case .part(let range, _): range.byteCount
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

    private static func number(_ cursor: inout FieldCursor) -> Int? {
        guard case .value(let value) = cursor.number() else { return nil }
        return value
    }
}

extension ClosedRange<Int> {
    /// How many numbers the range holds, at most `Int.max`; `count` would trap beyond.
    fileprivate var byteCount: Int {
        let (last, isTooLarge) = upperBound.subtractingReportingOverflow(lowerBound)
        return isTooLarge || last == .max ? .max : last + 1
    }
}

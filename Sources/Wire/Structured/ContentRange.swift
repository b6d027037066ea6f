/// The bytes of a representation that a part contains (RFC 9110 §14.4).
public enum ContentRange: Hashable, Sendable, CustomStringConvertible {
    /// The positions, both inclusive, and the complete length in bytes, or nil if it is unknown.
    case part(ClosedRange<Int>, of: Int?)
    /// No bytes, because the requested range is outside a representation of that length.
    case unsatisfied(of: Int)

    /// Parses a field value, such as `bytes 0-499/1234`, `bytes 0-499/*` or `bytes */1234`.
    ///
    /// The result is nil for another unit, for a part that ends before it begins or after the
    /// complete length, and for lengths above 2^63 - 1. It is also nil for any other malformed
    /// text. Such a value must not be used to combine parts (§14.4).
    public init?(_ text: String) {
        guard var cursor = FieldCursor(text), let unit = cursor.token(),
            ByteClass.lowercase(unit) == "bytes", cursor.take(Byte.space),
            let value = ContentRange(&cursor), cursor.isAtEnd
        else { return nil }
        self = value
    }

    /// Reads the part of the value after the unit.
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

    /// The size of the whole representation in bytes, or nil if it is unknown.
    public var completeLength: Int? {
        switch self {
        case .part(_, let length): length
        case .unsatisfied(let length): length
        }
    }

    /// The size of the part in bytes; 0 if the range is unsatisfied.
    public var length: Int {
        switch self {
        case .part(let range, _): range.byteCount
        case .unsatisfied: 0
        }
    }

    /// The field value.
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
    /// The number of values in the range, at most `Int.max`, where `count` would trap.
    fileprivate var byteCount: Int {
        let (last, isTooLarge) = upperBound.subtractingReportingOverflow(lowerBound)
        return isTooLarge || last == .max ? .max : last + 1
    }
}

/// A part of a representation, in bytes (RFC 9110 §14.1.2).
///
/// A range with a negative number cannot appear in a field. It selects no bytes of any
/// representation, and ``isValid`` is false.
public enum ByteRange: Hashable, Sendable, CustomStringConvertible {
    /// From the first to the last position, both inclusive, counted from 0.
    case bounded(ClosedRange<Int>)
    /// From a position to the end.
    case from(Int)
    /// The last bytes, as many as given, or the whole representation if it is shorter.
    case suffix(Int)

    /// Reads the next range.
    ///
    /// A number above 2^63 - 1 is clamped to that value, which is past the end of any
    /// representation.
    init?(_ cursor: inout FieldCursor) {
        let first = cursor.number()
        guard cursor.take(UInt8(ascii: "-")) else { return nil }
        let last = cursor.number()
        switch (Self.position(first), Self.position(last)) {
        case (let first?, let last?):
            guard first <= last else { return nil }
            self = .bounded(first...last)
        case (let first?, nil): self = .from(first)
        case (nil, let length?): self = .suffix(length)
        case (nil, nil): return nil
        }
    }

    /// Returns the selected positions, or nil if the range is not satisfiable (§14.1.1).
    ///
    /// - Parameter length: the size of the whole representation, in bytes.
    /// - Returns: a non-empty range within `0..<length`.
    public func positions(in length: Int) -> Range<Int>? {
        switch self {
        case .bounded(let range):
            range.lowerBound >= 0 && range.lowerBound < length
                ? range.lowerBound..<(min(range.upperBound, length - 1) + 1) : nil
        case .from(let first): first >= 0 && first < length ? first..<length : nil
        case .suffix(let count):
            count > 0 && length > 0 ? (length - min(count, length))..<length : nil
        }
    }

    /// Whether no number is negative, so that the range can appear in a field.
    public var isValid: Bool {
        switch self {
        case .bounded(let range): range.lowerBound >= 0
        case .from(let number), .suffix(let number): number >= 0
        }
    }

    /// The range as written after the unit.
    ///
    /// It can be sent only if it ``isValid``.
    public var description: String {
        switch self {
        case .bounded(let range): "\(range.lowerBound)-\(range.upperBound)"
        case .from(let first): "\(first)-"
        case .suffix(let count): "-\(count)"
        }
    }

    /// Converts a number, or returns nil if it is missing.
    ///
    /// The cursor reads only digits, so `malformed` means missing.
    private static func position(_ number: Digits.Number) -> Int? {
        switch number {
        case .value(let value): value
        case .tooLarge: .max
        case .malformed: nil
        }
    }
}

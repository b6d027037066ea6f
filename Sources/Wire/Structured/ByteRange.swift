/// Names a part of a representation, in bytes (RFC 9110 §14.1.2).
///
/// A range with a negative number is no range of a field: it lies in no representation, and
/// ``isValid`` is false.
public enum ByteRange: Hashable, Sendable, CustomStringConvertible {
    /// From the first to the last position, both included; counted from 0.
    case bounded(ClosedRange<Int>)
    /// From a position to the end.
    case from(Int)
    /// So many bytes at the end; all of it when it is shorter.
    case suffix(Int)

    /// Reads the range that comes next.
    ///
    /// A number above 2^63 - 1 becomes that, which lies behind the end of anything.
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

    /// Finds the positions meant; nil when the range is not satisfiable (§14.1.1).
    ///
    /// - Parameter length: bytes of the whole representation.
    /// - Returns: a range that is not empty and within `0..<length`.
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

    /// Whether no number is negative, so that a field can hold the range.
    public var isValid: Bool {
        switch self {
        case .bounded(let range): range.lowerBound >= 0
        case .from(let number), .suffix(let number): number >= 0
        }
    }

    /// Formats the range as it stands behind the unit; a field may hold it if it ``isValid``.
    public var description: String {
        switch self {
        case .bounded(let range): "\(range.lowerBound)-\(range.upperBound)"
        case .from(let first): "\(first)-"
        case .suffix(let count): "-\(count)"
        }
    }

    /// Cursors take digits only, so what is malformed is missing.
    private static func position(_ number: Digits.Number) -> Int? {
        switch number {
        case .value(let value): value
        case .tooLarge: .max
        case .malformed: nil
        }
    }
}

/// Names a part of a representation, in octets (RFC 9110 §14.1.2).
public enum ByteRange: Hashable, Sendable, CustomStringConvertible {
    /// From the first to the last position, both included; counted from 0.
    case bounded(ClosedRange<UInt64>)
    /// From a position to the end.
    case from(UInt64)
    /// So many octets at the end; all of it when it is shorter.
    case suffix(UInt64)

    /// Reads the range that comes next.
    ///
    /// A number above 64 bits becomes the greatest there is, which lies behind the end of anything.
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
    /// - Parameter length: octets of the whole representation.
    /// - Returns: a range that is not empty and within `0..<length`.
    public func positions(in length: UInt64) -> Range<UInt64>? {
        switch self {
        case .bounded(let range):
            range.lowerBound < length
                ? range.lowerBound..<(min(range.upperBound, length - 1) + 1) : nil
        case .from(let first): first < length ? first..<length : nil
        case .suffix(let count):
            count > 0 && length > 0 ? (length - min(count, length))..<length : nil
        }
    }

    /// Formats the range as it stands behind the unit.
    public var description: String {
        switch self {
        case .bounded(let range): "\(range.lowerBound)-\(range.upperBound)"
        case .from(let first): "\(first)-"
        case .suffix(let count): "-\(count)"
        }
    }

    /// Cursors take digits only, so what is malformed is missing.
    private static func position(_ number: Digits.Number) -> UInt64? {
        switch number {
        case .value(let value): value
        case .tooLarge: .max
        case .malformed: nil
        }
    }
}

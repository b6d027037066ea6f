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

/// The value of a Range field in bytes (RFC 9110 §14.2).
public struct RangeHeader: Hashable, Sendable, CustomStringConvertible {
    /// The requested ranges, in field order; never empty.
    public let ranges: [ByteRange]

    /// Creates a value, or returns nil if there is no range.
    public init?(_ ranges: [ByteRange]) {
        guard !ranges.isEmpty else { return nil }
        self.ranges = ranges
    }

    /// Creates a value with one range.
    public init(_ range: ByteRange) {
        ranges = [range]
    }

    /// Parses a field value, such as `bytes=0-499, -500`.
    ///
    /// The result is nil for another unit, a range that ends before it begins, any other malformed
    /// text, and too many ranges. The server should then answer as if there were no Range field
    /// (§14.2). A number above 2^63 - 1 is clamped to that value.
    ///
    /// - Parameters:
    ///   - text: the field value; the field must not be repeated.
    ///   - limit: the maximum number of ranges. Many small ranges cost the server more than the
    ///     client (§17.15), and no known client requests more than a few.
    public init?(_ text: String, limit: Int = 64) {
        guard var cursor = FieldCursor(text), let unit = cursor.token(),
            ByteClass.lowercase(unit) == "bytes", cursor.take(Byte.equals)
        else { return nil }
        var ranges: [ByteRange] = []
        while cursor.skipToElement() {
            guard ranges.count < limit, let range = ByteRange(&cursor), cursor.isAtElementEnd()
            else { return nil }
            ranges.append(range)
        }
        self.init(ranges)
    }

    /// Returns the positions of all satisfiable ranges, in field order.
    ///
    /// - Parameter length: the size of the whole representation, in bytes.
    /// - Returns: non-empty ranges within `0..<length`, which may overlap. An empty result means
    ///   416 (Range Not Satisfiable).
    public func positions(in length: Int) -> [Range<Int>] {
        ranges.compactMap { $0.positions(in: length) }
    }

    /// The field value.
    public var description: String {
        "bytes=" + ranges.map(\.description).joined(separator: ", ")
    }
}

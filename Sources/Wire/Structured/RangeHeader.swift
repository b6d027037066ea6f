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

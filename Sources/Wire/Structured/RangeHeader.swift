/// Holds the value of a Range field in bytes (RFC 9110 §14.2).
public struct RangeHeader: Hashable, Sendable, CustomStringConvertible {
    /// What is asked for, in the order asked; never empty.
    public let ranges: [ByteRange]

    /// Creates a value; nil without a range.
    public init?(_ ranges: [ByteRange]) {
        guard !ranges.isEmpty else { return nil }
        self.ranges = ranges
    }

    /// Creates a value of one range.
    public init(_ range: ByteRange) {
        ranges = [range]
    }

    /// Parses a field value, such as `bytes=0-499, -500`.
    ///
    /// Nil for another unit, a range that ends before it begins, anything else malformed, and too
    /// many ranges: whoever gets nil is to answer as if there were no Range field (§14.2). A number
    /// above 2^63 - 1 becomes that.
    ///
    /// - Parameters:
    ///   - text: the field value; the field may not be repeated.
    ///   - limit: the most ranges accepted. Many small ones cost the server more than the client
    ///     (§17.15), and no known client asks for more than a few.
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

    /// Finds the positions of all ranges that can be satisfied, in the order asked.
    ///
    /// - Parameter length: bytes of the whole representation.
    /// - Returns: ranges that are not empty and within `0..<length`; they may overlap. None means
    ///   416 (Range Not Satisfiable).
    public func positions(in length: Int) -> [Range<Int>] {
        ranges.compactMap { $0.positions(in: length) }
    }

    /// Formats the field value.
    public var description: String {
        "bytes=" + ranges.map(\.description).joined(separator: ", ")
    }
}

/// The value of an Accept field (RFC 9110 §12.5.1).
public struct AcceptHeader: Hashable, Sendable, CustomStringConvertible {
    /// The media ranges, in field order.
    public let ranges: [MediaRange]

    /// Creates a value.
    ///
    /// An empty list accepts every media type.
    public init(_ ranges: [MediaRange]) {
        self.ranges = ranges
    }

    /// Parses a field value.
    ///
    /// Join several field lines with commas first. Empty list elements are ignored. The result is
    /// nil if an element is malformed or if there are more than `limit` elements. The caller should
    /// then treat the field as absent, which accepts every media type.
    ///
    /// - Parameters:
    ///   - text: the field value; an empty one accepts every media type.
    ///   - limit: the maximum number of ranges, since each range is compared with each offered
    ///     format.
    public init?(_ text: String, limit: Int = 256) {
        guard var cursor = FieldCursor(text) else { return nil }
        var ranges: [MediaRange] = []
        while cursor.skipToElement() {
            guard ranges.count < limit, let range = MediaRange(&cursor), cursor.isAtElementEnd()
            else { return nil }
            ranges.append(range)
        }
        self.ranges = ranges
    }

    /// Returns the weight of the most specific range that matches the format, or 0 if none does.
    public func weight(of format: MediaType) -> QualityValue {
        guard !ranges.isEmpty else { return .one }
        var best: MediaRange?
        for range in ranges where range.matches(format) {
            guard let current = best, current.specificity >= range.specificity else {
                best = range
                continue
            }
        }
        return best?.weight ?? .zero
    }

    /// Returns the format with the greatest weight; among equals, the first one.
    ///
    /// - Parameter offers: the formats the server can send, in its order of preference.
    /// - Returns: nil if no offer is acceptable, which means 406 (Not Acceptable).
    public func preferred(among offers: [MediaType]) -> MediaType? {
        var best: (format: MediaType, weight: QualityValue)?
        for offer in offers {
            let weight = weight(of: offer)
            if weight > (best?.weight ?? .zero) { best = (offer, weight) }
        }
        return best?.format
    }

    /// The ranges sorted by weight, then by specificity, then by field order.
    public var byPreference: [MediaRange] {
        // The standard library's sort is stable but does not guarantee it, so ties compare offsets.
        ranges.enumerated().sorted { left, right in
            let (one, two) = (left.element, right.element)
            if one.weight != two.weight { return one.weight > two.weight }
            if one.specificity != two.specificity { return one.specificity > two.specificity }
            return left.offset < right.offset
        }.map(\.element)
    }

    /// Formats the field value.
    public var description: String { ranges.map(\.description).joined(separator: ", ") }
}

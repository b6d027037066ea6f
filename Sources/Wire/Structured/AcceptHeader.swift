/// Holds the value of an Accept field (RFC 9110 §12.5.1).
public struct AcceptHeader: Hashable, Sendable, CustomStringConvertible {
    /// The ranges in the order of the text.
    public let ranges: [MediaRange]

    /// Creates a value; without ranges it accepts everything.
    public init(_ ranges: [MediaRange]) {
        self.ranges = ranges
    }

    /// Parses a field value; several lines are to be joined with commas first.
    ///
    /// Empty list elements are passed over. Nil when an element is malformed or there are more than
    /// `limit`: the field is then best treated as absent, which accepts everything.
    ///
    /// - Parameters:
    ///   - text: the field value; empty, it accepts everything.
    ///   - limit: the most ranges accepted, as each is compared with each format on offer.
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

    /// Finds the weight of a format: that of the most specific range it matches, else 0.
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

    /// Chooses the format with the greatest weight; the earlier one of equals.
    ///
    /// - Parameter offers: what there is, best first.
    /// - Returns: nil when no offer is acceptable, which means 406 (Not Acceptable).
    public func preferred(among offers: [MediaType]) -> MediaType? {
        var best: (format: MediaType, weight: QualityValue)?
        for offer in offers {
            let weight = weight(of: offer)
            if weight > (best?.weight ?? .zero) { best = (offer, weight) }
        }
        return best?.format
    }

    /// Sorts the ranges by preference: weight first, then how specific they are, then order.
    public var byPreference: [MediaRange] {
        // The sort of the standard library keeps the order of equals, but does not promise to.
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

/// A set of byte positions of a file, as ranges that neither touch nor overlap, in order.
///
/// The sets of a download have few ranges: about as many as it has connections.
package struct ByteRangeSet: Sendable, Hashable {
    /// The ranges in order; none is empty.
    package private(set) var ranges: [Range<Int>] = []

    /// Creates an empty set.
    package init() {}

    /// Creates the set of the first `count` positions.
    package init(first count: Int) {
        if count > 0 { ranges = [0..<count] }
    }

    /// Creates a set of ranges, which may touch and overlap.
    package init(_ ranges: some Sequence<Range<Int>>) {
        for range in ranges { insert(range) }
    }

    /// Whether the set has no position.
    package var isEmpty: Bool { ranges.isEmpty }

    /// The number of positions.
    package var count: Int { ranges.reduce(0) { $0 + $1.count } }

    /// The position after the last one; 0 if the set is empty.
    package var end: Int { ranges.last?.upperBound ?? 0 }

    /// The number of positions from 0 without a gap.
    package var prefix: Int {
        guard let first = ranges.first, first.lowerBound == 0 else { return 0 }
        return first.upperBound
    }

    /// Adds the positions of a range.
    package mutating func insert(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        var (lower, upper) = (range.lowerBound, range.upperBound)
        var kept: [Range<Int>] = []
        for other in ranges where !(other.upperBound >= lower && other.lowerBound <= upper) {
            kept.append(other)
        }
        for other in ranges where other.upperBound >= lower && other.lowerBound <= upper {
            (lower, upper) = (min(lower, other.lowerBound), max(upper, other.upperBound))
        }
        let place = kept.firstIndex { $0.lowerBound > lower } ?? kept.endIndex
        kept.insert(lower..<upper, at: place)
        ranges = kept
    }

    /// Removes the positions of a range.
    package mutating func remove(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        ranges = ranges.flatMap { other -> [Range<Int>] in
            let below =
                other.lowerBound..<max(other.lowerBound, min(other.upperBound, range.lowerBound))
            let above =
                min(other.upperBound, max(other.lowerBound, range.upperBound))..<other.upperBound
            guard other.overlaps(range) else { return [other] }
            return [below, above].filter { !$0.isEmpty }
        }
    }

    /// Returns the set without the first `count` positions.
    package func subtracting(first count: Int) -> ByteRangeSet {
        var rest = self
        rest.remove(0..<count)
        return rest
    }

    /// Returns the set of the first `count` ranges.
    package func first(_ count: Int) -> ByteRangeSet {
        var set = ByteRangeSet()
        set.ranges = Array(ranges.prefix(count))
        return set
    }

    /// Returns the set of all positions of both sets.
    package func union(_ other: ByteRangeSet) -> ByteRangeSet {
        ByteRangeSet(ranges + other.ranges)
    }

    /// Returns the set of the positions that both sets have.
    package func intersection(_ other: ByteRangeSet) -> ByteRangeSet {
        ByteRangeSet(
            ranges.flatMap { range in
                other.ranges.filter { $0.overlaps(range) }.map { $0.clamped(to: range) }
            }
        )
    }

    /// Whether the set has all positions of another one.
    package func contains(_ other: ByteRangeSet) -> Bool { intersection(other) == other }

    /// Returns the ranges of positions below `end` that the set does not have.
    package func gaps(below end: Int) -> [Range<Int>] {
        var gaps: [Range<Int>] = []
        var position = 0
        for range in ranges where range.lowerBound < end {
            if range.lowerBound > position { gaps.append(position..<range.lowerBound) }
            position = range.upperBound
        }
        if position < end { gaps.append(position..<end) }
        return gaps
    }
}

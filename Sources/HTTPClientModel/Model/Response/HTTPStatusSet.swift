/// A set of statuses, such as those that a parser expects.
///
///     let fine: HTTPStatusSet = [.ok, .notModified]
///     HTTPStatusSet(400...499).contains(.notFound)
public struct HTTPStatusSet: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// Ascending ranges that never overlap or touch, so that equal sets have equal ranges.
    private let ranges: [ClosedRange<Int>]

    /// Creates a set of these statuses.
    public init(_ statuses: some Sequence<HTTPStatus>) {
        self.init(ranges: statuses.map { $0.code...$0.code })
    }

    /// Creates a set of these statuses.
    public init(arrayLiteral statuses: HTTPStatus...) {
        self.init(statuses)
    }

    /// Creates a set of the statuses with these codes.
    public init(_ codes: ClosedRange<Int>) {
        ranges = [codes]
    }

    private init(ranges: [ClosedRange<Int>]) {
        var joined: [ClosedRange<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            // Subtracting 1 from the lower bound, not adding 1 to the upper bound, avoids overflow at Int.max.
            if let last = joined.last,
                range.lowerBound <= last.upperBound || range.lowerBound - 1 == last.upperBound
            {
                joined.removeLast()
                joined.append(last.lowerBound...max(last.upperBound, range.upperBound))
            } else {
                joined.append(range)
            }
        }
        self.ranges = joined
    }

    /// All 2xx statuses.
    public static let successful = HTTPStatusSet(200...299)
    /// All statuses.
    public static let any = HTTPStatusSet(.min ... .max)

    /// Whether the set contains a status.
    public func contains(_ status: HTTPStatus) -> Bool {
        ranges.contains { $0.contains(status.code) }
    }

    /// Whether the set contains all of these codes.
    package func covers(_ codes: ClosedRange<Int>) -> Bool {
        ranges.contains { $0.contains(codes.lowerBound) && $0.contains(codes.upperBound) }
    }

    /// Whether the set contains any of these codes.
    package func overlaps(_ codes: ClosedRange<Int>) -> Bool {
        ranges.contains { $0.overlaps(codes) }
    }

    /// Returns the union of both sets.
    public func union(_ other: HTTPStatusSet) -> HTTPStatusSet {
        HTTPStatusSet(ranges: ranges + other.ranges)
    }
}

/// Names statuses, such as those that a parser takes for a success.
///
///     let fine: HTTPStatusSet = [.ok, .notModified]
///     HTTPStatusSet(400...499).contains(.notFound)
public struct HTTPStatusSet: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// Rising, and never touching each other: equal sets have equal ranges.
    private let ranges: [ClosedRange<Int>]

    /// Holds these statuses.
    public init(_ statuses: some Sequence<HTTPStatus>) {
        self.init(ranges: statuses.map { $0.code...$0.code })
    }

    /// Holds these statuses.
    public init(arrayLiteral statuses: HTTPStatus...) {
        self.init(statuses)
    }

    /// Holds the statuses with these codes.
    public init(_ codes: ClosedRange<Int>) {
        ranges = [codes]
    }

    private init(ranges: [ClosedRange<Int>]) {
        var joined: [ClosedRange<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            // The greatest number has no neighbor.
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

    /// 2xx.
    public static let successful = HTTPStatusSet(200...299)
    /// Every status.
    public static let any = HTTPStatusSet(.min ... .max)

    /// Whether a status is among them.
    public func contains(_ status: HTTPStatus) -> Bool {
        ranges.contains { $0.contains(status.code) }
    }

    /// Whether all of the codes are among them.
    func covers(_ codes: ClosedRange<Int>) -> Bool {
        ranges.contains { $0.contains(codes.lowerBound) && $0.contains(codes.upperBound) }
    }

    /// Whether any of the codes is among them.
    func overlaps(_ codes: ClosedRange<Int>) -> Bool {
        ranges.contains { $0.overlaps(codes) }
    }

    /// Returns the statuses of both.
    public func union(_ other: HTTPStatusSet) -> HTTPStatusSet {
        HTTPStatusSet(ranges: ranges + other.ranges)
    }
}

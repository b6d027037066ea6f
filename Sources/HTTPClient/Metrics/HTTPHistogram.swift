/// Counts durations in buckets that are fixed: each reaches twice as far as the one before.
///
/// The first reaches to 0.25 ms, the last but one to 131 s, and the last has no end: fine enough to tell
/// fast from slow, few enough to be kept and sent anywhere, and two can be added up at any time.
public struct HTTPHistogram: Sendable, Hashable {
    /// How far each bucket but the last reaches; the end belongs to it.
    public static let upperBounds: [Duration] = (0..<20).map { .microseconds(250 << $0) }

    /// How many durations fell into each bucket; one more than there are ``upperBounds``.
    public private(set) var counts: [Int]
    /// The sum of all of them.
    public private(set) var sum: Duration

    /// Makes an empty one.
    public init() {
        counts = Array(repeating: 0, count: Self.upperBounds.count + 1)
        sum = .zero
    }

    /// How many durations there are.
    public var count: Int { counts.reduce(0, +) }

    /// The mean; nil when there is nothing.
    public var mean: Duration? {
        let count = count
        return count == 0 ? nil : sum / Double(count)
    }

    /// Counts a duration.
    public mutating func add(_ duration: Duration) {
        counts[Self.upperBounds.firstIndex { duration <= $0 } ?? Self.upperBounds.count] += 1
        sum += duration
    }

    /// Finds the end of the bucket in which a part of all durations is reached.
    ///
    ///     histogram.upperBound(atQuantile: 0.99)  // 99 of 100 took no longer
    ///
    /// - Parameter quantile: from 0 to 1.
    /// - Returns: nil when there is nothing, and when that part takes longer than all bounds.
    public func upperBound(atQuantile quantile: Double) -> Duration? {
        let wanted = max(1, (min(max(quantile, 0), 1) * Double(count)).rounded(.up))
        var seen = 0.0
        for (bound, count) in zip(Self.upperBounds, counts) {
            seen += Double(count)
            if seen >= wanted { return bound }
        }
        return nil
    }
}

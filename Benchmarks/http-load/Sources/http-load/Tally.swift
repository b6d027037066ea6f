internal import Histogram

/// The latencies of requests, in nanoseconds with three significant digits.
typealias Latencies = Histogram<UInt64>

/// What happened to requests.
struct Tally: Sendable {
    /// The latencies of right responses.
    var latencies = Latencies(
        lowestDiscernibleValue: 1_000,
        highestTrackableValue: Self.longest,
        numberOfSignificantValueDigits: .three
    )
    /// The bytes of the bodies of right responses.
    var bytes = 0
    /// The number of requests without a right response, by reason.
    var errors: [String: Int] = [:]

    /// A day, in nanoseconds.
    private static let longest: UInt64 = 86_400_000_000_000
    /// The number of reasons that are told apart, because a reason can contain text of the server.
    private static let maxReasons = 20

    var errorCount: Int { errors.values.reduce(0, +) }
    /// The number of right responses.
    var responseCount: Int { Int(latencies.totalCount) }
    var requestCount: Int { responseCount + errorCount }

    /// The latency that this percentage of responses did not exceed, in nanoseconds; 0 without responses.
    func percentile(_ percent: Double) -> Int64 {
        responseCount == 0 ? 0 : Int64(latencies.valueAtPercentile(percent))
    }

    mutating func record(_ nanoseconds: Int64, bytes count: Int) {
        record(UInt64(max(0, nanoseconds)), times: 1)
        bytes += count
    }

    /// Adds requests of one latency; longer ones than a day count as a day.
    mutating func record(_ nanoseconds: UInt64, times: UInt64) {
        _ = latencies.record(min(nanoseconds, Self.longest), count: times)
    }

    mutating func fail(_ reason: String, times: Int = 1) {
        let isKnown = errors[reason] != nil || errors.count < Self.maxReasons
        errors[isKnown ? reason : "other reasons", default: 0] += times
    }

    mutating func add(_ other: Tally) {
        latencies.add(other.latencies)
        bytes += other.bytes
        for (reason, count) in other.errors { fail(reason, times: count) }
    }
}

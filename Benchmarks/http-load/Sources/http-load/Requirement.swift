internal import ArgumentParser

/// What must be true of a result, such as `p99<50ms`.
struct Requirement: ExpressibleByArgument, Sendable {
    enum Metric: Sendable, Hashable {
        /// A percentile, from 0 to 100.
        case percentile(Double)
        case mean
        case max
        /// The percentage of requests without a right response.
        case errors
        /// The right responses per second.
        case rate
    }

    let metric: Metric
    private let comparison: String
    /// The limit in nanoseconds, per cent, or responses per second.
    private let limit: Double
    private let text: String

    static let noErrors = Requirement(
        metric: .errors,
        comparison: "<=",
        limit: 0,
        text: "errors<=0%"
    )

    private init(metric: Metric, comparison: String, limit: Double, text: String) {
        self.metric = metric
        self.comparison = comparison
        self.limit = limit
        self.text = text
    }

    init?(argument: String) {
        let text = argument.filter { $0 != " " }
        guard let comparison = ["<=", ">=", "<", ">"].first(where: { text.contains($0) }),
            let start = text.firstIndex(where: { "<>".contains($0) })
        else { return nil }
        let name = text[..<start]
        let value = String(text[start...].dropFirst(comparison.count))
        let metric: Metric
        switch name {
        case "mean": metric = .mean
        case "max": metric = .max
        case "errors": metric = .errors
        case "rate": metric = .rate
        default:
            guard name.first == "p", let percent = Double(name.dropFirst()),
                (0...100).contains(percent)
            else { return nil }
            metric = .percentile(percent)
        }
        let limit: Double?
        switch metric {
        case .errors: limit = Double(value.hasSuffix("%") ? String(value.dropLast()) : value)
        case .rate: limit = Double(value)
        case .percentile, .mean, .max:
            limit = TimeArgument(argument: value).map { Double($0.duration.inNanoseconds) }
        }
        guard let limit, limit >= 0, limit.isFinite else { return nil }
        self.init(metric: metric, comparison: comparison, limit: limit, text: text)
    }

    /// Returns how a result breaks the requirement; nil if it meets it.
    ///
    /// Without a right response no latency is met.
    func failure(in result: LoadResult) -> String? {
        let value: Double
        let shown: String
        switch metric {
        case .errors:
            value = result.errorShare * 100
            shown =
                "\(result.tally.errorCount) of \(result.tally.requestCount) requests have no right response"
        case .rate:
            value = result.responseRate
            shown = "\(rounded(value)) right responses per second"
        case .percentile, .mean, .max:
            guard result.tally.responseCount > 0 else {
                return "\(text): there is no right response"
            }
            let time = latency(in: result)
            value = Double(time)
            shown = "it is \(timeText(time))"
        }
        let isMet =
            switch comparison {
            case "<": value < limit
            case "<=": value <= limit
            case ">": value > limit
            default: value >= limit
            }
        return isMet ? nil : "\(text): \(shown)"
    }

    private func latency(in result: LoadResult) -> Int64 {
        switch metric {
        case .percentile(let percent): result.tally.percentile(percent)
        case .mean: result.mean
        default: result.maximum
        }
    }
}

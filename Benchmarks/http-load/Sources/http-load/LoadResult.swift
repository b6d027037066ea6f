internal import HTTPClient
internal import Histogram

/// The result of a run, or of several together.
struct LoadResult: Sendable {
    var url: String
    var connections: Int
    /// The rate of an open load, in requests per second; nil for a closed one.
    var rate: Double?
    /// The time of day of the start and the end, in nanoseconds since 1970.
    var began: Int64
    var ended: Int64
    /// The CPU time of the clients, in nanoseconds, with that of the warm-up.
    var cpu: Int64
    var tally: Tally

    var seconds: Double { Double(ended - began) / 1e9 }

    /// The right responses per second.
    var responseRate: Double { Double(tally.responseCount) / seconds }

    /// The share of requests without a right response, from 0 to 1.
    var errorShare: Double {
        tally.requestCount == 0 ? 1 : Double(tally.errorCount) / Double(tally.requestCount)
    }

    var maximum: Int64 { tally.responseCount == 0 ? 0 : Int64(tally.latencies.max) }
    var mean: Int64 { tally.responseCount == 0 ? 0 : Int64(tally.latencies.mean) }

    mutating func add(_ other: LoadResult) {
        if url != other.url { url += ", \(other.url)" }
        connections += other.connections
        rate = rate.flatMap { own in other.rate.map { own + $0 } }
        began = min(began, other.began)
        ended = max(ended, other.ended)
        cpu += other.cpu
        tally.add(other.tally)
    }

    static let percentiles: [Double] = [50, 75, 90, 99, 99.9, 99.99]

    /// The result for people.
    var summary: String {
        var lines = [
            "\(tally.responseCount) right responses in \(fixed(seconds, 2)) s: "
                + "\(rounded(responseRate)) per second"
                + (rate.map { ", \(rounded($0)) asked for" } ?? "")
        ]
        lines.append(
            "\(connections) connections, \(tally.bytes) bytes of bodies, "
                + "\(rounded(Double(cpu) / 1e3 / Double(max(1, tally.requestCount)))) us of CPU a request"
        )
        if tally.responseCount > 0 {
            var row = "latency"
            for percent in Self.percentiles {
                row += "  p\(name(percent)) \(timeText(tally.percentile(percent)))"
            }
            lines.append(row + "  max \(timeText(maximum))")
        }
        for (reason, count) in tally.errors.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) })
        {
            lines.append("\(count) without a right response: \(reason)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The latencies as HdrHistogram writes them, in milliseconds.
    var distribution: String {
        var text = ""
        tally.latencies.outputPercentileDistribution(to: &text, outputValueUnitScalingRatio: 1e6)
        return text
    }
}

/// Returns a percentage without `.0`.
private func name(_ percent: Double) -> String {
    percent == percent.rounded() ? "\(Int(percent))" : "\(percent)"
}

// MARK: - JSON

extension LoadResult {
    /// The text of ``json`` with a line break at its end.
    var jsonText: String { "\(json)\n" }

    /// Times are in nanoseconds; `latencies` has pairs of a value and the number of responses.
    var json: HTTPJSON {
        let counts = tally.latencies.recordedValues().map { step in
            HTTPJSON.array([.unsigned(UInt(step.value)), .unsigned(UInt(step.count))])
        }
        let summary = Self.percentiles.map {
            HTTPJSON.Member("p\(name($0))", .integer(Int(tally.percentile($0))))
        }
        let errors = tally.errors.sorted { $0.key < $1.key }
        return .object([
            .init("version", .integer(1)),
            .init("url", .string(url)),
            .init("connections", .integer(connections)),
            .init("rate", rate.map { .number($0) } ?? .null),
            .init("began", .integer(Int(began))),
            .init("ended", .integer(Int(ended))),
            .init("cpu", .integer(Int(cpu))),
            .init("responses", .integer(tally.responseCount)),
            .init("responseRate", .number(responseRate)),
            .init("bytes", .integer(tally.bytes)),
            .init("errors", .object(errors.map { .init($0.key, .integer($0.value)) })),
            .init("mean", .integer(Int(mean))),
            .init("max", .integer(Int(maximum))),
            .init("percentiles", .object(summary)),
            .init("latencies", .array(counts)),
        ])
    }

    /// The largest number of requests of one kind in a file.
    private static let maxCount = 1 << 40

    /// Reads what ``json`` wrote; numbers have limits, so that the sums of many files do not overflow.
    init(json: HTTPJSON, of file: String) throws(LoadError) {
        func value<Value>(_ name: String, _ read: (HTTPJSON) -> Value?) throws(LoadError) -> Value {
            guard let value = read(json[name]) else {
                throw LoadError("\(file) is not a result of http-load: it has no valid \"\(name)\"")
            }
            return value
        }
        func number(_ name: String, below limit: Int = 1 << 56) throws(LoadError) -> Int {
            try value(name) { json in json.int.flatMap { (0..<limit).contains($0) ? $0 : nil } }
        }
        guard json["version"].int == 1 else {
            throw LoadError("\(file) is not a result of this version of http-load")
        }
        url = try value("url") { $0.string }
        connections = try number("connections")
        rate = json["rate"].double
        began = Int64(try number("began", below: 1 << 62))
        ended = Int64(try number("ended", below: 1 << 62))
        cpu = Int64(try number("cpu"))
        guard began < ended else { throw LoadError("\(file) ends before it begins") }
        tally = Tally()
        tally.bytes = try number("bytes")
        for member in try value("errors", { $0.members }) {
            guard let count = member.value.int, (1...Self.maxCount).contains(count) else {
                throw LoadError("\(file) has a wrong number of errors")
            }
            tally.fail(member.name, times: count)
        }
        for pair in try value("latencies", { $0.array }) {
            guard let latency = pair[0].uint, let count = pair[1].int,
                (1...Self.maxCount).contains(count)
            else {
                throw LoadError("\(file) has a wrong latency")
            }
            tally.record(UInt64(latency), times: UInt64(count))
        }
    }
}

internal import ArgumentParser

/// Where results are written, and what they must be; the same for a run and for merged runs.
struct OutputOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write the latencies to this file as a percentile distribution of HdrHistogram, in ms.",
            valueName: "file"
        )
    )
    var histogram: String?

    @Option(
        help: ArgumentHelp(
            "Write the result to this file as JSON, which 'http-load merge' reads; - is standard output.",
            valueName: "file"
        )
    )
    var json: String?

    @Option(
        help: ArgumentHelp(
            """
            What must be true, such as 'p99<50ms', 'mean<5ms', 'max<1s', 'errors<=0.1%' or 'rate>=1000'. \
            Can be repeated. (default: 'errors<=0%')
            """,
            valueName: "requirement"
        )
    )
    var require: [Requirement] = []

    /// Writes the result, and ends with exit code 1 if a requirement is not met.
    func finish(_ result: LoadResult) throws {
        if let histogram { try writeFile(histogram, result.distribution) }
        if let json {
            let text = result.jsonText
            if json == "-" { printText(text) } else { try writeFile(json, text) }
        }
        if json != "-" { printText(result.summary) }
        var requirements = require
        if !requirements.contains(where: { $0.metric == .errors }) {
            requirements.append(.noErrors)
        }
        let broken = requirements.compactMap { $0.failure(in: result) }
        for line in broken { printError("not met: \(line)") }
        if !broken.isEmpty { throw ExitCode(1) }
    }
}

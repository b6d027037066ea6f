internal import ArgumentParser
internal import HTTPClient

/// `http-load merge`: adds the results of several processes or machines.
struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Adds the JSON results of runs that shared a load.",
        discussion: """
            Percentiles are those of all latencies together, not means of percentiles. The time is that from the \
            first start to the last end, so the clocks of the machines should agree.
            """
    )

    @Argument(help: "The files that --json wrote.")
    var files: [String]

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !files.isEmpty else { throw ValidationError("there is no file to merge") }
    }

    func run() throws {
        var sum: LoadResult?
        for file in files {
            let bytes = try readFile(file)
            let json: HTTPJSON
            do throws(HTTPError) {
                json = try HTTPJSON(parsing: bytes)
            } catch {
                throw LoadError("\(file) is not JSON: \(error)")
            }
            let result = try LoadResult(json: json, of: file)
            if sum == nil { sum = result } else { sum?.add(result) }
        }
        if let sum { try output.finish(sum) }
    }
}

internal import ArgumentParser
internal import HTTPClient

/// `http-load run`: sends the load.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Sends requests to one URL (the default)."
    )

    @Argument(help: "The URL, http or https.")
    var url: String

    @Option(
        name: .shortAndLong,
        help: "The number of connections, and of requests at the same time."
    )
    var connections = 64

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "How long requests are sent, such as 500ms, 10s or 2m.",
            valueName: "time"
        )
    )
    var duration: TimeArgument?

    @Option(
        name: [.customShort("n"), .long],
        help:
            "Stop after this many requests. (default: no limit, and 10s if there is no duration either)"
    )
    var requests: Int?

    @Option(
        name: .shortAndLong,
        help:
            "The requests per second of an open load, over all connections. (default: a closed load)"
    )
    var rate: Double?

    @Option(
        help: ArgumentHelp(
            "The time in which the rate rises from 0, or in which the connections of a closed load start.",
            valueName: "time"
        )
    )
    var ramp: TimeArgument?

    @Option(
        help: ArgumentHelp(
            "The time at the start of which no request is counted; the duration comes after it.",
            valueName: "time"
        )
    )
    var warmUp: TimeArgument?

    @Option(help: "The number of threads; each has a client and its share of the connections.")
    var threads = 1

    @Option(name: [.customShort("X"), .long], help: "The method. (default: GET, with --data POST)")
    var method: String?

    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp("A header field, 'Name: value'. Can be repeated.", valueName: "field")
    )
    var header: [String] = []

    @Option(help: ArgumentHelp("The body; @FILE reads it from a file.", valueName: "text"))
    var data: String?

    @Option(help: ArgumentHelp("The time in which a request must be answered.", valueName: "time"))
    var timeout = TimeArgument(duration: .seconds(10))

    @Option(
        help: ArgumentHelp(
            "The statuses of a right response, such as 200 or 200-299,404.",
            valueName: "statuses"
        )
    )
    var accept = StatusArgument(text: "200-399")

    @Option(help: ArgumentHelp("The length that each body must have.", valueName: "bytes"))
    var expectBytes: Int?

    @Option(help: ArgumentHelp("The certificates to trust, a PEM file.", valueName: "file"))
    var cacert: String?

    @Flag(name: [.customShort("k"), .long], help: "Do not verify certificates.")
    var insecure = false

    @Flag(help: "Use a new connection for each request.")
    var close = false

    @Flag(name: .shortAndLong, help: "Do not show the progress.")
    var quiet = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard connections > 0 else { throw ValidationError("--connections must be at least 1") }
        guard threads > 0, threads <= connections else {
            throw ValidationError("--threads must be from 1 to the number of connections")
        }
        guard requests ?? 1 > 0 else { throw ValidationError("--requests must be at least 1") }
        guard let rate else { return }
        guard rate > 0, rate <= 10_000_000 else {
            throw ValidationError("--rate must be more than 0, and at most 10000000")
        }
    }

    func run() async throws {
        raiseDescriptorLimit()
        let runner = try LoadRunner(plan())
        let stop = StopSignals { runner.stop() }
        defer { stop.end() }
        let progress = quiet ? nil : ProgressLine(runner)
        let result: LoadResult
        do throws(LoadError) {
            result = try await runner.run()
        } catch {
            progress?.end()
            throw error
        }
        progress?.end()
        try output.finish(result)
    }

    private func plan() throws -> LoadPlan {
        var request = HTTPRequest(HTTPMethod(method ?? (data == nil ? "GET" : "POST")), url)
        if let data {
            let bytes =
                data.hasPrefix("@") ? try readFile(String(data.dropFirst())) : Array(data.utf8)
            request.body = .bytes(bytes)
        }
        for line in header {
            guard let colon = line.firstIndex(of: ":") else {
                throw ValidationError("the header field has no colon: \(line)")
            }
            let value = line[line.index(after: colon)...]
            request.headers.append(FieldName(String(line[..<colon])), trimmed(value))
        }
        var configuration = HTTPClient.Configuration()
        configuration.timeouts.total = timeout.duration
        configuration.retries = .never
        configuration.redirects = .refuse
        configuration.proxy = .direct
        if let cacert { configuration.security.trust = .file(cacert) }
        if insecure { configuration.security.verification = .disabled }
        if close { configuration.connectionReuse = .off }
        let untilTime = duration?.duration ?? (requests == nil ? .seconds(10) : nil)
        return LoadPlan(
            request: request,
            configuration: configuration,
            connections: connections,
            threads: threads,
            schedule: rate.map { Schedule(rate: $0, ramp: ramp?.duration ?? .zero) },
            closedRamp: rate == nil ? ramp?.duration ?? .zero : .zero,
            warmUp: warmUp?.duration ?? .zero,
            duration: untilTime,
            maxRequests: requests,
            grace: timeout.duration,
            accepted: accept,
            expectedBytes: expectBytes
        )
    }

    private func trimmed(_ value: Substring) -> String {
        let start = value.drop { $0 == " " || $0 == "\t" }
        let end = start.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { String(start[...$0]) } ?? ""
    }
}

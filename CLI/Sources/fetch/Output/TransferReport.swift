internal import HTTPClient
internal import HTTPClientReports

/// The reports about measured transfers, on standard error and in files.
final class TransferReport {
    private let console: Console
    private let showsTimeline: Bool
    private let jsonPath: String?
    private let archivePath: String?
    /// The recorder of all exchanges; nil unless the user asked for an archive.
    let recorder: HTTPArchiveRecorder?
    private let secrets: HTTPRequest.Secrets
    private var attempts: [HTTPJSON] = []

    init(_ options: TracingOptions, _ secrets: HTTPRequest.Secrets, _ console: Console) {
        self.console = console
        self.secrets = secrets
        showsTimeline = options.timeline
        jsonPath = options.timelineJson
        archivePath = options.har
        recorder = options.har.map { _ in
            var limits = HTTPArchiveRecorder.Limits()
            limits.maxBodyBytes = 0
            return HTTPArchiveRecorder(limits: limits, secrets: secrets)
        }
    }

    /// Adds a finished attempt.
    func add(_ record: TransferRecord) {
        guard let metrics = record.metrics else { return }
        let url = shown(record.effectiveURL)
        if showsTimeline {
            console.print("\(record.method) \(url)\n\(metrics.waterfall)")
        }
        guard jsonPath != nil else { return }
        attempts.append([
            "url": .string(url), "method": .string(record.method),
            "status": .integer(record.head?.status.code ?? 0),
            "try": .integer(record.retries + 1),
            "exitcode": .integer(Int(record.failure?.code.number ?? 0)),
            "error": HTTPJSON(record.failure.map(shown)), "metrics": metrics.json,
        ])
    }

    /// Writes the report files.
    func finish() throws(FetchError) {
        if let jsonPath { try write(HTTPBody.json(.array(attempts)).bytes, to: jsonPath) }
        if let archivePath, let recorder { try write(recorder.encoded(), to: archivePath) }
    }

    /// Returns the URL without its secrets, because reports are shared with others.
    private func shown(_ url: String) -> String {
        guard secrets == .redacted else { return url }
        let anonymous = (try? TargetURL(url, pathAsIs: true))?.anonymousURI.text ?? url
        return HTTPRequest(anonymous).urlDescription()
    }

    /// Returns the message, or only the label when it may quote a peer, for example a Location.
    private func shown(_ failure: FetchError) -> String {
        secrets == .redacted ? failure.label ?? failure.message : failure.message
    }

    private func write(_ bytes: [UInt8], to path: String) throws(FetchError) {
        let file = Destination(path, isPrivate: true)
        try file.write(bytes)
        try file.finish()
    }
}

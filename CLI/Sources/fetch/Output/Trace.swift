internal import HTTPClient

/// Tells what was measured, on standard error and in files.
final class Trace {
    private let console: Console
    private let showsWaterfall: Bool
    private let jsonPath: String?
    private let archivePath: String?
    /// Records what goes over the wire; nil when nobody wants it.
    let recorder: HTTPArchiveRecorder?
    private var tries: [HTTPJSON] = []

    init(_ options: TracingOptions, _ secrets: HTTPRequest.Secrets, _ console: Console) {
        self.console = console
        showsWaterfall = options.trace
        jsonPath = options.traceJson
        archivePath = options.har
        recorder = options.har.map { _ in
            var limits = HTTPArchiveRecorder.Limits()
            limits.body = 0
            return HTTPArchiveRecorder(limits: limits, secrets: secrets)
        }
    }

    /// Takes note of a try that is over.
    func take(_ record: TransferRecord) {
        guard let metrics = record.metrics else { return }
        let url = Self.withoutPassword(record.effectiveURL)
        if showsWaterfall {
            console.print("\(record.method) \(url)\n\(metrics.waterfall)")
        }
        guard jsonPath != nil else { return }
        tries.append([
            "url": .string(url), "method": .string(record.method),
            "status": .integer(Int(record.head?.status.code ?? 0)),
            "try": .integer(record.retries + 1),
            "exitcode": .integer(Int(record.failure?.code.number ?? 0)),
            "error": HTTPJSON(record.failure?.message), "metrics": metrics.json,
        ])
    }

    /// Writes the files.
    func finish() throws(Failure) {
        if let jsonPath { try write(HTTPBody.json(.array(tries)).bytes, to: jsonPath) }
        if let archivePath, let recorder { try write(recorder.encoded(), to: archivePath) }
    }

    /// A trace is shown to others: the password of a URL is not in it.
    private static func withoutPassword(_ text: String) -> String {
        (try? TargetURL(text, keepsDots: true))?.anonymousURI.text ?? text
    }

    private func write(_ octets: [UInt8], to path: String) throws(Failure) {
        let file = Destination(path, isPrivate: true)
        try file.write(octets)
        try file.finish()
    }
}

internal import HTTPClient

/// Carries out one call of the program: its URLs one after the other, over one client.
struct Session {
    private let settings: Settings
    private let console: Console
    private let client: HTTPClient
    private let targets: [Result<TargetURL, Failure>]

    /// Makes the client; opens nothing.
    init(_ settings: Settings, _ console: Console) {
        self.settings = settings
        self.console = console
        targets = settings.urls.map { text in
            do throws(Failure) {
                let query = settings.plan.query
                let url = try TargetURL(text, query: query, keepsDots: settings.keepsDots)
                guard let name = settings.uploadName, url.text.hasSuffix("/") else {
                    return .success(url)
                }
                let last = String(decoding: PercentText.encode(Array(name.utf8)), as: UTF8.self)
                return .success(try TargetURL(url.text + last, keepsDots: settings.keepsDots))
            } catch {
                return .failure(error)
            }
        }
        client = HTTPClient(settings.configuration)
    }

    /// Transfers every URL, on the client's own thread: nothing else waits for it, and each piece of
    /// a body would cost two changes of thread otherwise.
    ///
    /// - Returns: the code of the last transfer, as curl has it.
    func run() async -> ExitCode {
        await withTaskExecutorPreference(client.executor) { await transferAll() }
    }

    private func transferAll() async -> ExitCode {
        if settings.outputs.count > settings.urls.count {
            console.warning("there are more outputs than URLs")
        }
        if let secrets = settings.curlSecrets { return printCommands(secrets) }
        var code = ExitCode.done
        for (number, target) in targets.enumerated() {
            var record = TransferRecord()
            record.url = settings.urls[number]
            record.urlNumber = number
            let output = number < settings.outputs.count ? settings.outputs[number] : nil
            code = await transfer(target, to: Destination(output), &record)
            if code.endsTheRun { break }
        }
        do throws(Failure) {
            try settings.dump?.finish()
        } catch {
            console.error(error)
            if code == .done { code = error.code }
        }
        return code
    }

    /// Prints what curl would be told, for each URL.
    private func printCommands(_ secrets: HTTPRequest.Secrets) -> ExitCode {
        do throws(Failure) {
            let output = Destination("-")
            for target in targets {
                let request = settings.plan.request(for: try target.get())
                let command: String
                do throws(HTTPError) {
                    command = try request.curlDescription(in: client, secrets: secrets)
                } catch {
                    throw Failure(ExitCode(error), error.kind.description)
                }
                try output.write(Array((command + "\n").utf8))
            }
            return .done
        } catch {
            console.error(error)
            return error.code
        }
    }

    private func transfer(
        _ target: Result<TargetURL, Failure>,
        to destination: Destination,
        _ record: inout TransferRecord
    ) async -> ExitCode {
        let began = ContinuousClock.now
        do throws(Failure) {
            let url = try target.get()
            try settings.dump?.open()
            record = await transfer(url, to: destination, record)
        } catch {
            record.failure = error
            record.effectiveURL = record.url
        }
        if record.total == .zero { record.total = .now - began }
        if let failure = record.failure { console.error(failure) }
        return writeOut(record)
    }

    /// Transfers one URL, as often as the settings allow.
    private func transfer(
        _ url: TargetURL,
        to destination: Destination,
        _ blank: TransferRecord
    ) async -> TransferRecord {
        let began = ContinuousClock.now
        var made = 0
        while true {
            let rule = settings.retry
            var record = blank
            record.retries = made
            var transfer = Transfer(
                url,
                by: client,
                settings,
                console,
                to: destination,
                record: record
            ) { [made] outcome in
                rule.wait(
                    after: outcome,
                    made: made,
                    elapsed: .now - began,
                    longest: settings.maxTime
                )
            }
            await transfer.run()
            guard let wait = transfer.repeatsAfter else { return transfer.record }
            let problem =
                transfer.record.failure?.message
                ?? "the server answered \(transfer.record.head?.status.code ?? 0)"
            made += 1
            console.warning("\(problem); try \(made) of \(rule.tries) follows in \(wait)")
            // Nobody cancels the task: the sleep is never cut short.
            try? await Task.sleep(for: wait)
        }
    }

    /// Prints what `--write-out` asks for, whatever became of the transfer.
    private func writeOut(_ record: TransferRecord) -> ExitCode {
        let code = record.failure?.code ?? .done
        do throws(Failure) {
            let output = Destination("-")
            for piece in settings.writeOut?.render(record) ?? [] {
                switch piece.stream {
                case .output: try output.write(Array(piece.text.utf8))
                case .errors: console.print(piece.text)
                }
            }
            return code
        } catch {
            console.error(error)
            return code == .done ? error.code : code
        }
    }
}

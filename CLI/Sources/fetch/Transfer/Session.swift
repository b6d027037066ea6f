internal import HTTPClient

/// One run of the program: it transfers its URLs one after the other, with one client.
struct Session {
    /// The settings of all URLs, or of one.
    private var settings: Settings
    private let console: Console
    private let client: HTTPClient

    /// Creates the client without opening connections.
    init(_ settings: Settings, _ console: Console) {
        self.settings = settings
        self.console = console
        client = HTTPClient(settings.configuration)
    }

    /// Transfers every URL on the client's own thread.
    ///
    /// No other work waits for that thread. On another thread each piece of a body would cost two
    /// thread switches.
    ///
    /// - Returns: the code of the last transfer, as in curl.
    func run() async -> ExitCode {
        await withTaskExecutorPreference(client.executor) { await transferAll() }
    }

    private func transferAll() async -> ExitCode {
        if settings.outputs.choices.count > settings.urls.count {
            console.warning("there are more outputs than URLs")
        }
        if settings.uploads.count > settings.urls.count {
            console.warning("there are more uploads than URLs")
        }
        if let secrets = settings.curlSecrets { return printCommands(secrets) }
        var code = await transferEach()
        settings.identity.save(console)
        if settings.cache != nil { await finishValidations() }
        if let error = settings.cache?.lastError { console.warning("the cache failed: \(error)") }
        do throws(FetchError) {
            try settings.headDump?.finish()
            try settings.report.finish()
        } catch {
            console.error(error)
            if code == .done { code = error.code }
        }
        return code
    }

    /// Waits until stale responses that were used have been validated, for 10 seconds at most.
    ///
    /// Otherwise the end of the process would cancel that, and the next process would use a stale response again.
    private func finishValidations() async {
        let draining = Task { [client] in await client.pool.drain() }
        let limit = Task {
            // The sleep ends early if there is nothing to wait for.
            if (try? await Task.sleep(for: .seconds(10))) != nil { draining.cancel() }
        }
        await draining.value
        limit.cancel()
    }

    /// Transfers one URL after the other.
    ///
    /// - Returns: the code of the last transfer, or of an invalid glob, which ends the run.
    private func transferEach() async -> ExitCode {
        var code = ExitCode.done
        for number in settings.urls.indices {
            let glob: URLGlob
            do throws(FetchError) {
                glob = try self.glob(number)
            } catch {
                console.error(error)
                return error.code
            }
            let session = forURL(number)
            for match in glob {
                var record = TransferRecord()
                record.url = match.url
                record.urlNumber = number
                code = await session.transfer(match, &record)
                // If a URL has no file name, the file names of later URLs may be wrong as well.
                if code.isFatal || session.hasNoFileName(match, number) { return code }
            }
        }
        return code
    }

    private func forURL(_ number: Int) -> Session {
        var session = self
        session.settings = settings.forURL(number)
        return session
    }

    private func glob(_ number: Int) throws(FetchError) -> URLGlob {
        let text = settings.urls[number]
        return settings.expandsURLs ? try URLGlob(text) : URLGlob(literal: text)
    }

    /// Parses a URL, and appends the query and the upload's file name.
    private func target(_ text: String) throws(FetchError) -> TargetURL {
        let query = settings.plan.query
        let url = try TargetURL(text, query: query, pathAsIs: settings.pathAsIs)
        guard let name = settings.uploadName, url.text.hasSuffix("/") else { return url }
        let last = String(decoding: PercentEncoding.encode(Array(name.utf8)), as: UTF8.self)
        return try TargetURL(url.text + last, pathAsIs: settings.pathAsIs)
    }

    private func hasNoFileName(_ match: URLGlob.Match, _ number: Int) -> Bool {
        guard let url = try? target(match.url) else { return false }
        do throws(FetchError) {
            _ = try settings.outputs.path(of: number, url, match)
            return false
        } catch {
            return true
        }
    }

    /// Prints the equivalent curl command for each URL.
    private func printCommands(_ secrets: HTTPRequest.Secrets) -> ExitCode {
        do throws(FetchError) {
            let printout = Destination("-")
            for number in settings.urls.indices {
                for match in try glob(number) {
                    let command = try forURL(number).command(for: match, number, secrets)
                    try printout.write(Array((command + "\n").utf8))
                }
            }
            return .done
        } catch {
            console.error(error)
            return error.code
        }
    }

    private func command(
        for match: URLGlob.Match,
        _ number: Int,
        _ secrets: HTTPRequest.Secrets
    ) throws(FetchError) -> String {
        let url = try target(match.url)
        let output = try output(number, url, match)
        let request = settings.plan.request(
            for: url,
            resumePoint: output.resumePoint,
            isDecoded: !settings.isDownload(to: output.destination.path),
            authentication: settings.identity.authentication(for: url)
        )
        do throws(HTTPError) {
            return try request.curlDescription(in: client, secrets: secrets)
        } catch {
            throw FetchError(ExitCode(error), error.kind.description)
        }
    }

    private func transfer(
        _ match: URLGlob.Match,
        _ record: inout TransferRecord
    ) async -> ExitCode {
        let began = SuspendingClock.now
        do throws(FetchError) {
            let url = try target(match.url)
            let output = try output(record.urlNumber, url, match)
            try settings.headDump?.open()
            record = await transfer(url, to: output.destination, output.resumePoint, record)
        } catch {
            record.failure = error
            record.effectiveURL = record.url
        }
        if record.total == .zero { record.total = .now - began }
        if let failure = record.failure { console.error(failure) }
        return writeOut(record)
    }

    /// Returns the destination of a URL's body, and the position at which it resumes.
    private func output(
        _ number: Int,
        _ url: TargetURL,
        _ match: URLGlob.Match
    ) throws(FetchError) -> (destination: Destination, resumePoint: ResumePoint?) {
        let path = try settings.outputs.path(of: number, url, match)
        let size = path.flatMap { $0 == "-" ? nil : SystemFile.size($0) } ?? 0
        let offset: Int
        switch settings.resume {
        case nil: offset = 0
        case .fileEnd: offset = size
        case .bytes(let bytes): offset = bytes
        }
        guard offset == 0 || size == 0 || size == offset else {
            let reason = "\(path ?? "-") has \(size) bytes, so it cannot resume at byte \(offset)"
            throw FetchError(.badResume, reason)
        }
        let destination = Destination(
            path,
            resumingAt: offset == 0 ? 0 : size,
            createsDirectories: settings.createsDirectories,
            synchronizes: settings.synchronizes
        )
        return (destination, offset == 0 ? nil : ResumePoint(offset: offset))
    }

    /// Runs one transfer and shows its progress.
    private func run(_ transfer: inout Transfer, _ style: ProgressStyle?) async {
        guard let style else { return await transfer.run() }
        let display = ProgressDisplay(
            style,
            console,
            resumedOffset: transfer.resumePoint?.offset ?? 0,
            totals: settings.plan.method == .head
                || settings.configuration.contentLengthPolicy == .ignored ? .ignored : .shown
        )
        transfer.display = display
        let drawing = Task { await display.run() }
        await transfer.run()
        drawing.cancel()
        await drawing.value
        display.finish(hasFailed: transfer.record.failure != nil)
    }

    /// Transfers one URL, with as many retries as the settings allow.
    private func transfer(
        _ url: TargetURL,
        to destination: Destination,
        _ resumePoint: ResumePoint?,
        _ blank: TransferRecord
    ) async -> TransferRecord {
        let began = SuspendingClock.now
        let style = settings.progress.style(
            bodyIsFile: destination.path != nil,
            bodyIsTerminal: destination.isTerminal,
            errorsAreTerminal: SystemFile.isTerminal(SystemFile.errors)
        )
        var resumePoint = resumePoint
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
                resumePoint: resumePoint,
                record: record
            ) { [made] outcome in
                rule.wait(
                    after: outcome,
                    retries: made,
                    elapsed: .now - began,
                    transferTimeout: settings.maxTime
                )
            }
            await run(&transfer, style)
            settings.report.add(transfer.record)
            resumePoint = transfer.resumePoint
            guard let wait = transfer.retryDelay else { return transfer.record }
            let reason =
                transfer.record.failure?.message
                ?? "the server answered \(transfer.record.head?.status.code ?? 0)"
            made += 1
            console.warning("\(reason); retry \(made) of \(rule.maxRetries) in \(wait)")
            // The task is never canceled, so the sleep is never cut short.
            try? await Task.sleep(for: wait)
        }
    }

    /// Prints the output of `--write-out`, whether or not the transfer succeeded.
    private func writeOut(_ record: TransferRecord) -> ExitCode {
        let code = record.failure?.code ?? .done
        do throws(FetchError) {
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

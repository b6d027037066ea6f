internal import HTTPClient

// Downloads of `--resume`, `--segments` and `--checksum`, which the library writes to the file.
extension Settings {
    /// Whether the library writes the file of a transfer, which gets its name when it is complete and verified.
    ///
    /// - Parameter path: the file; nil for standard output.
    /// - Returns: true for `--resume` and `--segments`, and for `--checksum` unless the path leads to an open file or
    ///   a device.
    func isDownload(to path: String?) -> Bool {
        guard let path, streamContent == nil else { return false }
        if hasJournal || segments != nil { return true }
        return checksum != nil && SystemFile.isReplaceable(path)
    }
}

extension Transfer {
    /// The date of a document does not meet `--time-cond`.
    private struct UnmetTimeCondition: Error {}

    /// Downloads to a file, and with a journal continues the bytes of an earlier run.
    mutating func download(_ request: HTTPRequest, to path: String) async throws(FetchError) {
        guard SystemFile.isReplaceable(path) else {
            throw FetchError(.writeFailed, "\(path) is no regular file, and cannot be replaced")
        }
        do {
            if settings.createsDirectories { try SystemFile.makeDirectories(for: path) }
        } catch {
            throw FetchError(.writeFailed, "Failed to open the file \(path): \(error.reason)")
        }
        var request = request
        // The library would verify only a whole document by the digest of the request.
        request.expectedDigest = nil
        request.validators.append(headValidator)
        if settings.hasJournal { continueAfterDrops(&request) }
        let call = downloadClient.startDownload(request, to: path, options: downloadOptions)
        let result = await withTaskCancellationHandler {
            await call.result
        } onCancel: {
            call.cancel()
        }
        switch result {
        case .success(let file): try recordFile(file)
        case .failure(let error): try recordDownloadFailure(error)
        }
    }

    /// Lets a download continue in the same call when its connection is lost.
    ///
    /// Failures before the body are those of other transfers: `--retry` decides. After a lost connection, they
    /// are part of the same disturbance.
    private func continueAfterDrops(_ request: inout HTTPRequest) {
        var retries = HTTPRetryOptions(maxRetries: settings.maxContinuations)
        // The limit is that of the user.
        retries.budget = nil
        request.retries = retries
        let strategy =
            settings.retry.delay.map { HTTPRetryOptions.Strategy.delayed($0) } ?? .exponential()
        request.validators.append(
            HTTPClosureValidator { [console] outcome, _, context in
                guard case .failure(let error) = outcome,
                    error.head != nil || context.retryCount > 0
                else { return .accept }
                switch error.kind {
                case .connectionLost, .connectionClosed, .truncatedResponse, .connectFailed,
                    .resolveFailed, .timedOut(.connect), .timedOut(.establish):
                    console.info("\(error.kind.description); continuing")
                    return .retry(strategy)
                default: return .accept
                }
            }
        )
    }

    private var downloadOptions: HTTPDownloadOptions {
        var options = HTTPDownloadOptions.resume
        if !settings.hasJournal {
            // As in other transfers: nothing to continue, and no wait for the disk.
            options.journal = .off
            options.syncPolicy = settings.synchronizes ? .beforeRename : .never
        }
        options.segments = settings.segments ?? .off
        options.maxSize = settings.maxFileSize
        options.expectedDigest = settings.checksum
        return options
    }

    /// The client, which also writes the received bytes to the dumps.
    ///
    /// A changed body cannot be continued or divided, so that other downloads have no such bytes in the dumps.
    private var downloadClient: HTTPClient {
        guard !console.dumps.isEmpty, !settings.hasJournal, settings.segments == nil else {
            return client
        }
        return client.with { [console] in
            $0.transformers.append(
                HTTPResponseTransformer { response, _ in
                    try response.transformBody(DumpedBody(console: console))
                }
            )
        }
    }

    /// Rejects documents that do not belong in the file, before it changes.
    ///
    /// They are those that fail the time condition, and with `--compressed` those that would have to be decoded: the
    /// library writes a body as it was sent.
    private var headValidator: HTTPClosureValidator {
        let condition = settings.plan.headers.contains(.range) ? nil : settings.timeCondition
        let isDecoded = settings.configuration.decompression == .on
        return HTTPClosureValidator { outcome, _, _ in
            guard case .success(let response) = outcome, response.status.kind == .successful else {
                return .accept
            }
            if let condition, condition.isFailed(by: response.status, response.headers) {
                return .fail(UnmetTimeCondition())
            }
            let coding = response.headers[.contentEncoding] ?? ""
            guard isDecoded, !coding.isEmpty, coding.lowercased() != "identity" else {
                return .accept
            }
            return .fail(
                FetchError(
                    .badCoding,
                    "The file would stay coded (Content-Encoding: \(coding)); omit --compressed to save it so"
                )
            )
        }
    }

    private mutating func recordFile(_ file: HTTPDownloadedFile) throws(FetchError) {
        let recorded = settings.headRecorder.takeRecord()
        record.head = file.head
        if let last = recorded.redirects.last { record.effectiveURL = last.location.text }
        record.redirects = recorded.redirects.count
        record.headBytes = recorded.heads.reduce(0) { $0 + $1.receivedBytes }
        record.downloadedBytes = file.size - file.resumedOffset
        recordMetrics(file.metrics)
        record.cacheStatus = file.metrics.cacheStatus
        try writeHeads(recorded.heads, alsoToDestination: false)
        if file.resumedOffset > 0 {
            console.info("Resumed after \(file.resumedOffset) bytes of an earlier run")
        }
        if settings.configuration.strictness == .forensic {
            let found = file.metrics.attempts.flatMap(\.deviations)
            console.deviations(found.filter { $0.part == .body })
        }
        try writeTrailers(file.trailers)
        if !file.metrics.attempts.isEmpty {
            console.info("Connection #\(file.metrics.connectionID) to host \(url.origin.host) done")
        }
        try saveTag(file.head.status, file.head.headers)
    }

    /// Records the end of a download without a new file, which is no failure if the document was not wanted.
    private mutating func recordDownloadFailure(_ error: HTTPError) throws(FetchError) {
        var failure = failure(error, leaving: remainder(of: error))
        try writeHeads(recordFailure(to: error), alsoToDestination: false)
        if error.underlying is UnmetTimeCondition {
            record.failsTimeCondition = true
            return console.info("The document does not meet the time condition")
        }
        if let refusal = error.underlying as? FetchError { failure = refusal }
        record.cacheStatus = error.metrics.cacheStatus
        if error.metrics.cacheStatus?.outcome == .unavailable { throw Self.noStoredResponse }
        guard case .rejectedStatus(let status) = error.kind else { throw failure }
        let headers = record.head?.headers ?? [:]
        if status == .notModified { return try saveTag(status, headers) }
        retryDelay = wait(outcome(status, headers, code: .rejectedStatus))
        throw failure
    }

    /// Returns the file that a failed download leaves; nil for none.
    ///
    /// Without a journal, only a complete file with another digest stays, for an examination.
    private func remainder(of error: HTTPError) -> String? {
        if settings.hasJournal { return error.partialFile }
        if case .digestMismatch = error.kind { return error.partialFile }
        guard let data = error.resumeData else { return error.partialFile }
        do throws(HTTPError) {
            try data.discard()
            return nil
        } catch {
            return data.file
        }
    }
}

/// Writes the bytes of a body to the dumps, and leaves them as they are.
private struct DumpedBody: HTTPBodyTransformer {
    let console: Console

    mutating func transform(_ chunk: [UInt8]) -> [UInt8] {
        console.received(content: chunk)
        return chunk
    }
}

internal import SocketTransport
internal import Wire

/// A download of one resource to a file.
struct FileDownload: Sendable {
    let client: ClientCore
    let request: HTTPRequest
    /// The target, or in ``directory`` a name that depends only on the URL.
    private let path: String
    /// The directory in which the response names the file; nil if the caller names it.
    private let directory: String?
    let options: HTTPDownloadOptions
    let record: CallRecord<HTTPDownloadedFile>?

    init(
        _ client: ClientCore,
        _ request: HTTPRequest,
        _ path: String,
        _ options: HTTPDownloadOptions,
        _ record: CallRecord<HTTPDownloadedFile>? = nil
    ) {
        self.client = client
        self.request = request
        switch options.naming {
        case .path: (self.path, directory) = (path, nil)
        case .suggested:
            let inner = path.utf8.last == UInt8(ascii: "/") ? path : path + "/"
            let url = (try? URI(parsing: request.publicURL)).map { DownloadJournal.comparable($0) }
            let name = PartialFileName.provisionalName(for: url ?? request.publicURL)
            (self.path, directory) = (inner + name, inner)
        }
        self.options = options
        self.record = record
    }

    /// The reason why the body of a response was not saved to its end.
    private enum SaveFailure: Error {
        /// Reading the body failed; a retry may deliver the rest.
        case body(HTTPError)
        /// The response does not belong to the file, or the file cannot be written.
        case other(HTTPError)

        var httpError: HTTPError {
            switch self {
            case .body(let error), .other(let error): error
            }
        }
    }

    /// The call whose observers have to hear of its end.
    private struct ObservedCall {
        var driver: CallDriver?
        var response: CallDriver.OpenResponse?
        /// The metrics of all attempts of a download in parts, whose first response is ``response``.
        var partMetrics: HTTPMetrics?

        /// Reports the result of the call; `error` is nil if the file is complete.
        func end(_ error: HTTPError?) {
            if error == nil, let response, let partMetrics {
                driver?.end(response, partMetrics)
            } else {
                driver?.end(response, error)
            }
        }
    }

    /// Runs the download on the file threads, because disk access must not block the event loop or a
    /// thread of Swift's pool.
    func result() async -> Result<HTTPDownloadedFile, HTTPError> {
        await onFileThread(client.engine.files) { await self.execute() }
    }

    private nonisolated(nonsending) func execute() async -> Result<HTTPDownloadedFile, HTTPError> {
        do throws(HTTPError) {
            guard options.segments.isValid else {
                throw HTTPError(.invalidRequest(.segments(options.segments)), phase: .preparing)
                    .naming(request.method, request.publicURL)
            }
            var request = request
            try client.completeQuery(of: &request)
            request.headers.setIfAbsent(.acceptEncoding, "identity")
            // The writer verifies the file. Each response has only a part of it.
            if !hasOwnRange { request.expectedDigest = nil }
            let plan = try client.planUndecoded(request)
            var writer: DownloadWriter
            do {
                writer = try begin(plan)
            } catch {
                return .failure(error.naming(plan.head.method, plan.publicURL))
            }
            requestParts(&writer, plan)
            record?.progress.resume(from: writer.state.completed, of: writer.state.total)
            var call = ObservedCall()
            do throws(HTTPError) {
                let file = try await transfer(request, plan, &writer, &call)
                call.end(nil)
                return .success(file)
            } catch {
                let named = error.naming(plan.head.method, plan.publicURL)
                let error = handleFailure(&writer, named, plan)
                call.end(error)
                return .failure(error)
            }
        } catch {
            return .failure(error)
        }
    }

    /// Whether the caller wants to continue an earlier call.
    private var continues: Bool { options.journal == .on || options.resumeData != nil }

    private var hasOwnRange: Bool { request.headers.contains(.range) }

    private func rules(_ plan: Plan) -> DownloadWriter.Rules {
        var rules = DownloadWriter.Rules()
        rules.url = DownloadJournal.comparable(plan.url)
        rules.target = TargetPath.absolute(path)
        rules.sync = options.syncPolicy
        rules.existing = options.existingFile
        rules.preallocation = options.preallocation
        rules.maxSize = options.maxSize
        rules.digest = options.expectedDigest ?? (hasOwnRange ? nil : request.expectedDigest)
        return rules
    }

    /// Opens the partial file without changing it, or creates one.
    private func begin(_ plan: Plan) throws(HTTPError) -> DownloadWriter {
        if let directory {
            guard OutputFile.isDirectory(directory) else {
                throw fileError(.create, directory, .system(.notDirectory))
            }
        } else if options.existingFile == .fail, OutputFile.exists(path) {
            throw fileError(.replace, path, .system(.exists))
        }
        do throws(DownloadWriter.WriteError) {
            if let data = options.resumeData { return try resume(data, plan) }
            return try options.journal == .on ? continueJournal(plan) : startOver(plan)
        } catch {
            throw HTTPError(error.kind, phase: .preparing)
        }
    }

    /// Opens the partial file of resume data, or creates another one.
    private func resume(
        _ data: HTTPResumeData,
        _ plan: Plan
    ) throws(DownloadWriter.WriteError) -> DownloadWriter {
        guard request.method == .get, !hasOwnRange, !request.headers.contains(.ifRange) else {
            throw invalid(.requestNotResumable)
        }
        guard data.url == DownloadJournal.comparable(plan.url) else { throw invalid(.urlMismatch) }
        // Starting over for another target would silently discard the bytes received for the first one.
        // A file with the same name in another directory is not the partial file.
        guard data.target == TargetPath.absolute(path) else { throw invalid(.targetMismatch) }
        if data.hasJournal { return try continueJournal(plan) }
        let file: OutputFile
        do throws(OutputFile.OutputError) {
            file = try OutputFile.reopen(data.name, beside: path, identity: data.identity)
        } catch .system(.noSuchFile) {
            return try startOver(plan)
        } catch .replaced {
            return try startOver(plan)
        } catch {
            throw openingError(error, data.file, .open)
        }
        return try DownloadWriter(
            continuing: file,
            by: data.journal,
            isNew: false,
            boot: BootIdentity.current,
            rules(plan)
        )
    }

    /// Opens the partial file with a journal, or creates it.
    ///
    /// If another user's file has the name of the partial file or of the journal, the download uses a partial
    /// file with a random name, and no journal. Otherwise any user who can write to the directory could make the
    /// download fail.
    private func continueJournal(_ plan: Plan) throws(DownloadWriter.WriteError) -> DownloadWriter {
        guard request.method == .get, !hasOwnRange, !request.headers.contains(.ifRange) else {
            throw invalid(.requestNotResumable)
        }
        let file: JournaledFile
        do throws(OutputFile.OutputError) {
            file = try JournaledFile.open(beside: path)
        } catch .otherOwner {
            return try startOver(plan)
        } catch {
            throw openingError(error, path, .create)
        }
        return try DownloadWriter(
            continuing: file,
            isNew: file.isNew,
            boot: BootIdentity.current,
            rules(plan)
        )
    }

    private func startOver(_ plan: Plan) throws(DownloadWriter.WriteError) -> DownloadWriter {
        let kind: DownloadState.RequestKind =
            hasOwnRange
            ? .ownRange : request.method != .get ? .other : continues ? .continuation : .resumable
        let file: OutputFile
        do throws(OutputFile.OutputError) {
            file = try OutputFile.create(beside: path)
        } catch {
            throw openingError(error, path, .create)
        }
        return try DownloadWriter(
            creating: file,
            kind,
            boot: BootIdentity.current,
            rules(plan)
        )
    }

    /// Sends the request and writes the body of the response to the file.
    ///
    /// If the body is lost and the limits of retries permit it, the next request continues the file.
    private nonisolated(nonsending) func transfer(
        _ request: HTTPRequest,
        _ plan: Plan,
        _ writer: inout DownloadWriter,
        _ call: inout ObservedCall
    ) async throws(HTTPError) -> HTTPDownloadedFile {
        let planned = PlannedRange(Part(writer.state))
        let transfer = Transfer(
            isStreamed: true,
            on: client.engine,
            observer: record.map { RecordedAttempts($0, nil) }
        ) { [client] request throws(HTTPError) in
            try client.planUndecoded(planned.part.applied(to: request))
        }
        var driver = try CallDriver(request, client, transfer)
        // Whether the driver requests the whole resource, because its parts do not fit together.
        var isRest = false
        var lost: HTTPError?
        // Whether the origin was asked in place of a stored response that cannot be used.
        var hasRefetched = false
        let buffers = FileTransfer(isInspected: writer.inspectsBytes, takesExtents: true)
        // The most bytes that the file has had. A download that starts over makes progress only beyond them.
        var most = writer.state.completed
        // Continues with such a driver.
        func requestWhole(after metrics: HTTPMetrics) throws(HTTPError) {
            // The body that is of no use gives its connection and its place in the queue back.
            call.response = nil
            driver = try CallDriver(
                request,
                client,
                transfer,
                continuing: .init(driver, .rest, after: metrics)
            )
            isRest = true
            lost = nil
        }
        while true {
            planned.part = Part(writer.state)
            call.driver = driver
            let opened: CallDriver.OpenResponse
            let isFirstPart = writer.state.rangeRequest.isFirstPart
            do throws(HTTPError) {
                if let lost {
                    opened = try await driver.reopen(after: lost)
                } else if isRest {
                    opened = try await driver.openContinuation()
                } else {
                    opened = try await driver.open()
                }
            } catch {
                if isFirstPart, Self.rejectsParts(error) {
                    writer.startOver()
                    try requestWhole(after: error.metrics)
                    continue
                }
                await record?.endSampling()
                throw asResumeFailure(error, &writer)
            }
            call.response = opened
            // After the head, only the reader of the body may access the attempt.
            await record?.endSampling()
            let body: Body
            do throws(SaveFailure) {
                body = try await prepare(opened.streamed, plan, &writer)
                if body == .rest { try await write(opened.streamed, buffers, plan, &writer) }
            } catch {
                guard case .body(let failure) = error else { throw error.httpError }
                if !hasRefetched, case .fileFailed(_, .read, _) = failure.kind,
                    removeStored(opened.streamed)
                {
                    // The stored response was damaged after it was opened.
                    hasRefetched = true
                    writer.startOver()
                    try requestWhole(after: failure.metrics)
                    continue
                }
                do throws(DownloadWriter.WriteError) {
                    try writer.fail(DownloadState.BodyFailure(failure.kind))
                } catch {
                    throw self.error(error.kind, opened.streamed, plan)
                }
                if writer.state.completed > most {
                    most = writer.state.completed
                    driver.recordProgress()
                }
                lost = failure
                continue
            }
            switch body {
            case .none, .rest:
                do throws(HTTPError) {
                    return try finish(&writer, opened.streamed, plan, opened.streamed.metrics)
                } catch {
                    guard error.kind.isAboutContent, !hasRefetched,
                        removeStored(opened.streamed)
                    else { throw error }
                    // The origin may have the content that the caller expects.
                    hasRefetched = true
                    writer.startOver()
                    try requestWhole(after: error.metrics)
                }
            case .useless: try requestWhole(after: opened.streamed.metrics)
            case .firstPart:
                let parts = try await receiveParts(opened, driver, request, plan, planned, &writer)
                if parts.isComplete {
                    call.partMetrics = parts.metrics
                    return try finish(&writer, opened.streamed, plan, parts.metrics)
                }
                try requestWhole(after: parts.metrics)
            }
        }
    }

    /// The body of a response, as far as it belongs to the file.
    private enum Body {
        /// The file has all bytes already.
        case none
        /// All bytes that are missing.
        case rest
        /// One of the parts that are missing.
        case firstPart
        /// A part that others cannot be added to.
        case useless
    }

    /// Prepares the file for the body of a response, if it belongs there.
    private nonisolated(nonsending) func prepare(
        _ response: HTTPStreamedResponse,
        _ plan: Plan,
        _ writer: inout DownloadWriter
    ) async throws(SaveFailure) -> Body {
        record?.notify(.head(response.head))
        let decision: DownloadDecision
        do throws(DownloadWriter.WriteError) {
            decision = try writer.receive(
                response.status,
                response.headers,
                from: response.url.origin.map { "\($0)" },
                isVerbatim: response.isVerbatim
            )
            switch decision {
            case .fullBody, .partialBody, .complete: try writer.claim()
            case .unsuccessful, .wholeRequired: break
            case .mismatch(let reason):
                writer.reject()
                throw DownloadWriter.WriteError(.resumeFailed(reason))
            }
        } catch {
            throw .other(self.error(error.kind, response, plan))
        }
        if decision == .unsuccessful {
            throw .other(await response.statusError(bodyLimit: 64 << 10))
        }
        // Files of the same target that killed processes left behind.
        OutputFile.removeLeftovers(beside: path)
        switch decision {
        case .complete: return .none
        case .wholeRequired: return .useless
        case .partialBody:
            notify(writer.state, isFinal: false)
            return writer.state.requestsPart ? .firstPart : .rest
        case .fullBody, .unsuccessful, .mismatch: return .rest
        }
    }

    /// Returns the resume failure for a 206 that was rejected because it does not continue the file.
    ///
    /// Other errors are returned unchanged.
    private func asResumeFailure(
        _ error: HTTPError,
        _ writer: inout DownloadWriter
    ) -> HTTPError {
        guard case .rangeMismatch = error.kind, let head = error.head,
            case .mismatch(let reason) = DownloadDecision.decide(
                head.status,
                head.headers,
                writer.state.rangeRequest
            )
        else { return error }
        writer.reject()
        return error.changed { $0.kind = .resumeFailed(reason) }
    }

    /// Writes a body to the file; the only function that moves bytes of a body.
    private nonisolated(nonsending) func write(
        _ response: HTTPStreamedResponse,
        _ transfer: FileTransfer,
        _ plan: Plan,
        _ writer: inout DownloadWriter
    ) async throws(SaveFailure) {
        while true {
            let batch: FileTransfer.Batch
            do throws(HTTPError) {
                batch = try await response.next(into: transfer)
            } catch {
                throw .body(error)
            }
            guard case .bytes = batch else { return }
            do {
                try transfer.write { pipe throws(DownloadWriter.WriteError) in
                    try writer.write(pipe)
                } orBytes: { bytes throws(DownloadWriter.WriteError) in
                    try writer.write(bytes)
                } orExtent: { extent throws(DownloadWriter.WriteError) in
                    try writer.write(extent)
                }
            } catch {
                let failure = self.error(error.kind, response, plan)
                // The stored body cannot be read, and the file is as good as before.
                if case .fileFailed(_, .read, _) = error.kind { throw .body(failure) }
                throw .other(failure)
            }
            reportWritten(writer.state)
        }
    }

    func notify(
        _ state: DownloadState,
        _ segments: [HTTPProgress.Segment] = [],
        isFinal: Bool
    ) {
        record?.notify(
            .progress(
                HTTPProgress(
                    .download,
                    completed: state.completed,
                    total: state.total,
                    resumedOffset: state.resumedOffset,
                    segments: segments,
                    isFinal: isFinal
                )
            )
        )
    }

    private func finish(
        _ writer: inout DownloadWriter,
        _ response: HTTPStreamedResponse,
        _ plan: Plan,
        _ metrics: HTTPMetrics
    ) throws(HTTPError) -> HTTPDownloadedFile {
        let target: String
        if writer.inspectsBytes || options.syncPolicy == .beforeRename {
            record?.progress.enter(.verifying)
        }
        do {
            let name = directory.map { $0 + (response.suggestedFileName ?? "download") }
            target = try writer.finish(name ?? path)
        } catch {
            throw self.error(error.kind, response, plan).changed { $0.metrics = metrics }
        }
        // Only after the rename: an observer of the final progress may open the file.
        notify(writer.state, isFinal: true)
        record?.notify(
            .response(
                HTTPResponse(
                    head: response.head,
                    body: [],
                    url: response.url,
                    request: response.request,
                    informational: response.informational,
                    proxyHeads: response.proxyHeads,
                    trailers: response.trailers ?? HTTPHeaders(),
                    metrics: metrics
                )
            )
        )
        return HTTPDownloadedFile(
            path: target,
            size: writer.state.written,
            resumedOffset: writer.state.resumedOffset,
            head: response.head,
            url: response.url,
            metrics: metrics,
            trailers: response.trailers ?? HTTPHeaders()
        )
    }

    // MARK: - Errors

    /// Keeps or removes the partial file.
    ///
    /// - Returns: the error, with the file that stays, and with resume data if a later call can continue it.
    private func handleFailure(
        _ writer: inout DownloadWriter,
        _ error: HTTPError,
        _ plan: Plan
    ) -> HTTPError {
        notify(writer.state, isFinal: true)
        let files = writer.files
        guard writer.isOwned else {
            // The file of an earlier call is unchanged until a response for it arrives. Release the lock,
            // because the caller may resume immediately.
            files.release()
            // The journal beside a file is newer than the data of the caller.
            let saved = writer.unchanged.map { HTTPResumeData($0, target: path) }
            guard let data = files.hasJournal ? saved : options.resumeData else { return error }
            return error.changed {
                $0.resumeData = data
                $0.partialFile = files.path
            }
        }
        // A canceled call keeps its file only if it resumes a download, or the caller wants resume data.
        let isWanted =
            files.hasJournal || options.resumeData != nil || record?.keepsPartialFile ?? false
        let isKept = error.isCancellation ? isWanted : options.failureAction == .keepPartialFile
        switch isKept ? writer.suspend() : .useless {
        case .resumable(let journal):
            return error.changed {
                $0.resumeData = HTTPResumeData(journal, target: path)
                $0.partialFile = files.path
            }
        // Every file that stays is named, so that the caller can delete it.
        case .kept: return error.changed { $0.partialFile = files.path }
        case .useless:
            // Report the first error, even if the file cannot be removed.
            try? files.remove()
            return error
        case .moved: return error
        }
    }

    func error(
        _ kind: HTTPError.Kind,
        _ response: HTTPStreamedResponse,
        _ plan: Plan
    ) -> HTTPError {
        HTTPError(
            kind,
            phase: .body,
            request: HTTPError.summary(plan.head.method, plan.publicURL),
            metrics: response.metrics,
            head: response.head,
            informational: response.informational,
            proxyHeads: response.proxyHeads
        )
    }

    private func fileError(
        _ step: HTTPError.FileOperation,
        _ path: String,
        _ failure: OutputFile.OutputError
    ) -> HTTPError {
        HTTPError(.fileFailed(path: path, step, reason: failure.description), phase: .preparing)
    }

    /// Returns the reason why the partial file cannot be opened.
    private func openingError(
        _ error: OutputFile.OutputError,
        _ path: String,
        _ step: HTTPError.FileOperation
    ) -> DownloadWriter.WriteError {
        switch error {
        case .notPartialFile: invalid(.notPartialFile)
        case .locked: invalid(.fileInUse)
        case .notRegularFile: DownloadWriter.WriteError(fileError(.replace, path, error).kind)
        case .system, .replaced, .otherOwner:
            DownloadWriter.WriteError(fileError(step, path, error).kind)
        }
    }

    private func invalid(_ failure: HTTPResumeData.ResumeError) -> DownloadWriter.WriteError {
        DownloadWriter.WriteError(.invalidRequest(.resumeData(failure)))
    }
}

extension HTTPStreamedResponse {
    /// Whether the body is delivered as the server sent it.
    var isVerbatim: Bool {
        if case .transformed(let body) = bodySource { body.keepsLength } else { true }
    }
}

extension HTTPHeaders {
    fileprivate mutating func setIfAbsent(_ name: FieldName, _ value: String) {
        if !contains(name) { append(name, value) }
    }
}

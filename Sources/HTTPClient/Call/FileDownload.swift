internal import SocketTransport
internal import Wire

/// A download of one resource to a file.
struct FileDownload: Sendable {
    private let client: ClientCore
    private let request: HTTPRequest
    private let path: String
    private let options: HTTPDownloadOptions
    private let record: CallRecord<HTTPDownloadedFile>?

    init(
        _ client: ClientCore,
        _ request: HTTPRequest,
        _ path: String,
        _ options: HTTPDownloadOptions,
        _ record: CallRecord<HTTPDownloadedFile>? = nil
    ) {
        self.client = client
        self.request = request
        self.path = path
        self.options = options
        self.record = record
    }

    /// The partial file, and the bytes that it has.
    struct Progress {
        let file: OutputFile
        let url: String
        let target: String
        /// Whether this call may change or delete the file: the call created it, or received a response
        /// for it.
        var isOwned: Bool
        var state: DownloadState
        /// The size of the file, which may have bytes that the response does not continue.
        var size: Int

        /// Returns the data for resuming the download; nil if it cannot be resumed.
        func resumeData() -> HTTPResumeData? {
            guard let validator = state.validator, let origin = state.origin, state.written > 0,
                state.written <= state.total ?? .max,
                let part = try? file.stampIdentity()
            else { return nil }
            return HTTPResumeData(
                url: url,
                origin: origin,
                validator: validator,
                offset: state.written,
                total: state.total,
                target: target,
                name: TargetPath(file.path).name,
                part: part
            )
        }
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

    /// Runs the download on the file thread, because disk access must not block the event loop or a
    /// thread of Swift's pool.
    func result() async -> Result<HTTPDownloadedFile, HTTPError> {
        await onLoop(client.engine.files) { await self.execute() }
    }

    private nonisolated(nonsending) func execute() async -> Result<HTTPDownloadedFile, HTTPError> {
        do throws(HTTPError) {
            var request = request
            request.headers.setIfAbsent(.acceptEncoding, "identity")
            let plan = try client.planUndecoded(request)
            var progress: Progress
            do {
                progress = try begin(plan)
            } catch {
                return .failure(error.naming(plan.head.method, plan.publicURL))
            }
            do throws(HTTPError) {
                return .success(try await transfer(request, plan, &progress))
            } catch {
                let error = error.naming(plan.head.method, plan.publicURL)
                return .failure(handleFailure(progress, error))
            }
        } catch {
            return .failure(error)
        }
    }

    /// Opens the partial file of the resume data without changing it, or creates a file.
    private func begin(_ plan: Plan) throws(HTTPError) -> Progress {
        let hasOwnRange = request.headers.contains(.range)
        guard let data = options.resumeData else { return try startOver(plan, hasOwnRange) }
        guard request.method == .get, !hasOwnRange, !request.headers.contains(.ifRange) else {
            throw invalid(.requestNotResumable, plan)
        }
        guard data.url == plan.publicURL else { throw invalid(.urlMismatch, plan) }
        // Starting over for another target would silently discard the bytes received for the first one.
        // A file with the same name in another directory is not the partial file.
        guard data.target == TargetPath.absolute(path) else { throw invalid(.targetMismatch, plan) }
        let file: OutputFile
        let size: Int
        do throws(OutputFile.OutputError) {
            file = try OutputFile.reopen(data.name, beside: path, identity: data.part)
        } catch .system(.noSuchFile) {
            return try startOver(plan, hasOwnRange)
        } catch .replaced {
            return try startOver(plan, hasOwnRange)
        } catch .notPartialFile {
            throw invalid(.notPartialFile, plan)
        } catch .locked {
            throw invalid(.fileInUse, plan)
        } catch {
            throw fileError(.open, data.file, error)
        }
        do {
            size = try file.size
        } catch {
            throw fileError(.open, file.path, .system(error))
        }
        // Request bytes that are missing in the file again. Bytes beyond the offset are cut off when the
        // response arrives.
        let state = DownloadState(
            resumingAt: min(size, data.offset),
            of: data.total,
            data.validator,
            from: data.origin
        )
        return Progress(
            file: file,
            url: plan.publicURL,
            target: path,
            isOwned: false,
            state: state,
            size: size
        )
    }

    private func startOver(_ plan: Plan, _ hasOwnRange: Bool) throws(HTTPError) -> Progress {
        do throws(OutputFile.OutputError) {
            return Progress(
                file: try OutputFile.create(beside: path),
                url: plan.publicURL,
                target: path,
                isOwned: true,
                state: DownloadState(
                    hasOwnRange ? .ownRange : request.method == .get ? .resumable : .other
                ),
                size: 0
            )
        } catch {
            throw fileError(error == .notRegularFile ? .replace : .create, path, error)
        }
    }

    /// Sends the request and writes the body of the response to the file.
    ///
    /// If the body is lost and the limits of retries permit it, the next request continues the file.
    private nonisolated(nonsending) func transfer(
        _ request: HTTPRequest,
        _ plan: Plan,
        _ progress: inout Progress
    ) async throws(HTTPError) -> HTTPDownloadedFile {
        let planned = Locked(progress.state)
        let transfer = Transfer(
            isStreamed: true,
            on: client.engine,
            observer: record.map { RecordedAttempts($0, nil) }
        ) { [client] request throws(HTTPError) in
            let state = planned.withLock { $0 }
            return try client.planUndecoded(
                state.rangeRequest.resuming(request, from: state.origin)
            )
        }
        let driver = try CallDriver(request, client, transfer)
        var lost: (response: CallDriver.OpenResponse, error: HTTPError)?
        while true {
            let opened: CallDriver.OpenResponse
            do throws(HTTPError) {
                if let lost {
                    opened = try await driver.reopen(lost.response, after: lost.error)
                } else {
                    opened = try await driver.open()
                }
            } catch {
                await record?.endSampling()
                throw asResumeFailure(error, progress.state.rangeRequest)
            }
            // After the head, only the reader of the body may access the attempt.
            await record?.endSampling()
            do throws(SaveFailure) {
                try await save(opened.streamed, plan, &progress)
            } catch {
                guard case .body(let fault) = error else {
                    driver.end(opened)
                    throw error.httpError
                }
                progress.state.fail(DownloadState.BodyFailure(fault.kind))
                planned.withLock { [state = progress.state] in $0 = state }
                lost = (opened, fault)
                continue
            }
            driver.end(opened)
            return try finish(progress, opened.streamed)
        }
    }

    /// Writes the body of a response to the file, if it belongs there.
    private nonisolated(nonsending) func save(
        _ response: HTTPStreamedResponse,
        _ plan: Plan,
        _ progress: inout Progress
    ) async throws(SaveFailure) {
        record?.notify(.head(response.head))
        do throws(HTTPError) {
            let decision = progress.state.receive(
                response.status,
                response.headers,
                from: response.url.origin.map { "\($0)" },
                isVerbatim: response.isVerbatim
            )
            switch decision {
            case .fullBody, .complete: try claimPartialFile(&progress)
            case .partialBody:
                try claimPartialFile(&progress)
                notify(progress, isFinal: false)
            case .unsuccessful: throw await response.statusError(bodyLimit: 64 << 10)
            case .mismatch(let problem):
                throw error(.resumeFailed(problem), response, plan, partialBody: [])
            }
            guard decision != .complete else { return }
        } catch {
            throw .other(error)
        }
        try await write(response, &progress)
    }

    /// Returns the resume failure for a 206 that was rejected because it does not continue the file.
    ///
    /// Other errors are returned unchanged.
    private func asResumeFailure(
        _ error: HTTPError,
        _ rangeRequest: DownloadDecision.RangeRequest
    ) -> HTTPError {
        guard case .rangeMismatch = error.kind, let head = error.head,
            case .mismatch(let problem) = DownloadDecision.decide(
                head.status,
                head.headers,
                rangeRequest
            )
        else { return error }
        return error.changed { $0.kind = .resumeFailed(problem) }
    }

    /// Prepares the partial file for a response that has arrived for it.
    ///
    /// Bytes that the response does not continue are cut off. Files of the same target that killed
    /// processes left behind are removed.
    private func claimPartialFile(_ progress: inout Progress) throws(HTTPError) {
        OutputFile.removeLeftovers(beside: path)
        let isNew = !progress.isOwned
        progress.isOwned = true
        let size = progress.state.written
        guard isNew || progress.size > size else { return }
        do {
            try progress.file.truncate(to: size)
        } catch {
            throw fileError(.write, progress.file.path, .system(error))
        }
        progress.size = size
    }

    private nonisolated(nonsending) func write(
        _ response: HTTPStreamedResponse,
        _ progress: inout Progress
    ) async throws(SaveFailure) {
        var throttle = ProgressThrottle()
        var body = response.body.makeAsyncIterator()
        while true {
            let chunk: [UInt8]?
            do throws(HTTPError) {
                chunk = try await body.next()
            } catch {
                throw .body(error.asTruncation)
            }
            guard let chunk else { return }
            do {
                try progress.file.write(chunk, at: progress.state.written)
            } catch {
                throw .other(fileError(.write, progress.file.path, .system(error)))
            }
            progress.state.write(chunk.count)
            progress.size = max(progress.size, progress.state.written)
            if record != nil, throttle.shouldReport(progress.state.written, at: .now()) {
                notify(progress, isFinal: false)
            }
        }
    }

    private func notify(_ progress: Progress, isFinal: Bool) {
        record?.notify(
            .progress(
                HTTPProgress(
                    .download,
                    completed: progress.state.written,
                    total: progress.state.total,
                    resumedOffset: progress.state.resumedOffset,
                    isFinal: isFinal
                )
            )
        )
    }

    private func finish(
        _ progress: Progress,
        _ response: HTTPStreamedResponse
    ) throws(HTTPError) -> HTTPDownloadedFile {
        do throws(OutputFile.OutputError) {
            try progress.file.move(to: path)
        } catch {
            throw fileError(error == .notRegularFile ? .replace : .rename, path, error)
        }
        // Only after the rename: an observer of the final progress may open the file.
        notify(progress, isFinal: true)
        record?.notify(
            .response(
                HTTPResponse(
                    head: response.head,
                    body: [],
                    url: response.url,
                    method: request.method,
                    informational: response.informational,
                    proxyHeads: response.proxyHeads,
                    trailers: response.trailers ?? HTTPHeaders(),
                    metrics: response.metrics
                )
            )
        )
        return HTTPDownloadedFile(
            path: path,
            size: progress.state.written,
            resumedOffset: progress.state.resumedOffset,
            head: response.head,
            url: response.url,
            metrics: response.metrics,
            trailers: response.trailers ?? HTTPHeaders()
        )
    }

    // MARK: - Errors

    /// Keeps or removes the partial file.
    ///
    /// - Returns: the error, with resume data if the file is kept.
    private func handleFailure(_ progress: Progress, _ error: HTTPError) -> HTTPError {
        notify(progress, isFinal: true)
        // A canceled call keeps its file only if it resumes a download, or the caller wants resume data.
        let isWanted = options.resumeData != nil || record?.keepsPartialFile ?? false
        let isKept = error.isCancellation ? isWanted : options.failureAction == .keepPartialFile
        let kept: HTTPResumeData?
        if progress.isOwned {
            kept = isKept ? progress.resumeData() : nil
        } else {
            // The file of an earlier call is unchanged until a response for it arrives.
            kept = options.resumeData
        }
        if let kept {
            // Release the lock, because the caller may resume immediately.
            progress.file.release()
            return error.changed { $0.resumeData = kept }
        }
        // Report the first error, even if the file cannot be removed.
        try? progress.file.remove()
        return error
    }

    private func error(
        _ kind: HTTPError.Kind,
        _ response: HTTPStreamedResponse,
        _ plan: Plan,
        partialBody: [UInt8]
    ) -> HTTPError {
        HTTPError(
            kind,
            phase: .body,
            request: HTTPError.summary(plan.head.method, plan.publicURL),
            metrics: response.metrics,
            head: response.head,
            informational: response.informational,
            proxyHeads: response.proxyHeads,
            partialBody: partialBody
        )
    }

    private func fileError(
        _ step: HTTPFileOperation,
        _ path: String,
        _ fault: OutputFile.OutputError
    ) -> HTTPError {
        HTTPError(
            .fileFailed(path: path, step, reason: fault.description),
            phase: step == .create || step == .open || step == .replace ? .preparing : .body
        )
    }

    private func invalid(_ fault: HTTPResumeDataError, _ plan: Plan) -> HTTPError {
        HTTPError(
            .invalidRequest(.resumeData(fault)),
            phase: .preparing,
            request: HTTPError.summary(plan.head.method, plan.publicURL)
        )
    }
}

extension HTTPStreamedResponse {
    /// Whether the body is delivered as the server sent it.
    fileprivate var isVerbatim: Bool {
        if case .transformed(let body) = bodySource { body.keepsLength } else { true }
    }
}

extension HTTPError {
    /// A truncation, if the connection ended before the range did; otherwise the same error.
    ///
    /// Without Content-Length and chunks, only the range shows that the connection was lost.
    fileprivate var asTruncation: HTTPError {
        guard case .rangeMismatch(.lengthMismatch(let range, let received)) = kind,
            received < range.length, head?.headers.contains(.transferEncoding) == false
        else { return self }
        return changed {
            $0.kind = .truncatedResponse(
                .bodyTruncated(received: received, expected: range.length)
            )
        }
    }
}

extension HTTPHeaders {
    fileprivate mutating func setIfAbsent(_ name: FieldName, _ value: String) {
        if !contains(name) { append(name, value) }
    }
}

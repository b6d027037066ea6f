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

    /// The partial file, and the properties of the resource known so far.
    private struct Progress {
        let file: OutputFile
        let url: String
        let target: String
        /// The origin that sent the bytes in the file; nil if there are none.
        var origin: String?
        /// Whether this call may change or delete the file: the call created it, or received a response
        /// for it.
        var isOwned: Bool
        var rangeRequest: DownloadDecision.RangeRequest
        /// The number of bytes of the resource in the file.
        var written: Int
        var total: Int?
        /// The validator of the representation that the bytes belong to; nil if the server sent none.
        var validator: String?

        /// Returns the data for resuming the download; nil if it cannot be resumed.
        func resumeData() -> HTTPResumeData? {
            guard let validator, let origin, written > 0, written <= total ?? .max,
                let part = try? file.stampIdentity()
            else { return nil }
            return HTTPResumeData(
                url: url,
                origin: origin,
                validator: validator,
                offset: written,
                total: total,
                target: target,
                name: TargetPath(file.path).name,
                part: part
            )
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
        let written: Int
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
            // Request bytes that are missing in the file again. Bytes beyond the offset are cut off when the
            // response arrives.
            written = min(try file.size, data.offset)
        } catch {
            throw fileError(.open, file.path, .system(error))
        }
        return Progress(
            file: file,
            url: plan.publicURL,
            target: path,
            origin: data.origin,
            isOwned: false,
            rangeRequest: DownloadDecision.RangeRequest(
                offset: written,
                validator: data.validator,
                total: data.total
            ),
            written: written,
            total: data.total,
            validator: data.validator
        )
    }

    private func startOver(_ plan: Plan, _ hasOwnRange: Bool) throws(HTTPError) -> Progress {
        do throws(OutputFile.OutputError) {
            return Progress(
                file: try OutputFile.create(beside: path),
                url: plan.publicURL,
                target: path,
                isOwned: true,
                rangeRequest: DownloadDecision.RangeRequest(hasOwnRange: hasOwnRange),
                written: 0
            )
        } catch {
            throw fileError(error == .notRegularFile ? .replace : .create, path, error)
        }
    }

    /// Sends the request and writes the body of the response to the file.
    private nonisolated(nonsending) func transfer(
        _ request: HTTPRequest,
        _ plan: Plan,
        _ progress: inout Progress
    ) async throws(HTTPError) -> HTTPDownloadedFile {
        let (rangeRequest, origin) = (progress.rangeRequest, progress.origin)
        let transfer = Transfer(
            isStreamed: true,
            on: client.engine,
            observer: record.map { RecordedAttempts($0, nil) }
        ) { [client] request throws(HTTPError) in
            try client.planUndecoded(rangeRequest.resuming(request, from: origin))
        }
        let opened: Result<HTTPStreamedResponse, HTTPError>
        do throws(HTTPError) {
            opened = .success(try await CallDriver(request, client, transfer).runStreamed())
        } catch {
            opened = .failure(error)
        }
        // After the head, only the reader of the body may access the attempt.
        await record?.endSampling()
        let response: HTTPStreamedResponse
        do {
            response = try opened.get()
        } catch {
            throw asResumeFailure(error, rangeRequest)
        }
        record?.notify(.head(response.head))
        let answering = response.url.origin.map { "\($0)" }
        // The client requests a range only from the origin that sent the first bytes.
        let asked =
            answering == origin || rangeRequest.offset == 0
            ? rangeRequest : DownloadDecision.RangeRequest()
        let decision = DownloadDecision.decide(response.status, response.headers, asked)
        switch decision {
        case .complete: try claimPartialFile(&progress, from: progress.written)
        case .fullBody(let total):
            try claimPartialFile(&progress, from: 0)
            restart(&progress, response, total)
            progress.origin = answering
            try await write(response, &progress)
        case .partialBody(let total):
            try claimPartialFile(&progress, from: progress.written)
            progress.total = total
            notify(progress, isFinal: false)
            try await write(response, &progress)
            if let total, progress.written != total {
                let problem = HTTPResumeFailureReason.totalMismatch(
                    known: total,
                    received: progress.written
                )
                throw error(.resumeFailed(problem), response, plan, partialBody: [])
            }
        case .unsuccessful: throw await response.statusError(bodyLimit: 64 << 10)
        case .mismatch(let problem):
            throw error(.resumeFailed(problem), response, plan, partialBody: [])
        }
        return try finish(progress, response, decision)
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
    /// The file of an earlier call is truncated to `size`, where the response continues it. Files of the
    /// same target that killed processes left behind are removed.
    private func claimPartialFile(
        _ progress: inout Progress,
        from size: Int
    ) throws(HTTPError) {
        OutputFile.removeLeftovers(beside: path)
        guard !progress.isOwned else { return }
        progress.isOwned = true
        do {
            try progress.file.truncate(to: size)
        } catch {
            throw fileError(.write, progress.file.path, .system(error))
        }
    }

    /// Resets the progress, because the response contains the whole resource.
    private func restart(
        _ progress: inout Progress,
        _ response: HTTPStreamedResponse,
        _ total: Int?
    ) {
        progress.written = 0
        progress.total = total
        // The client cannot resume a part that the caller requested with its own Range.
        let canBeContinued = request.method == .get && !progress.rangeRequest.hasOwnRange
        progress.validator =
            canBeContinued && response.status == .ok
            ? DownloadDecision.validator(in: response.headers) : nil
        progress.rangeRequest = DownloadDecision.RangeRequest(
            hasOwnRange: progress.rangeRequest.hasOwnRange
        )
    }

    private nonisolated(nonsending) func write(
        _ response: HTTPStreamedResponse,
        _ progress: inout Progress
    ) async throws(HTTPError) {
        var throttle = ProgressThrottle()
        var body = response.body.makeAsyncIterator()
        while let chunk = try await body.next() {
            do {
                try progress.file.write(chunk, at: progress.written)
            } catch {
                throw fileError(.write, progress.file.path, .system(error))
            }
            progress.written += chunk.count
            if record != nil, throttle.shouldReport(progress.written, at: .now()) {
                notify(progress, isFinal: false)
            }
        }
    }

    private func notify(_ progress: Progress, isFinal: Bool) {
        record?.notify(
            .progress(
                HTTPProgress(
                    .download,
                    completed: progress.written,
                    total: progress.total,
                    resumedOffset: progress.rangeRequest.offset,
                    isFinal: isFinal
                )
            )
        )
    }

    private func finish(
        _ progress: Progress,
        _ response: HTTPStreamedResponse,
        _ decision: DownloadDecision
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
            size: progress.written,
            resumedOffset: progress.rangeRequest.offset,
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

extension HTTPHeaders {
    fileprivate mutating func setIfAbsent(_ name: FieldName, _ value: String) {
        if !contains(name) { append(name, value) }
    }
}

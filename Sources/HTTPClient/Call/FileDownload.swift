internal import SocketTransport
internal import Wire

/// Carries out one download to a file.
struct FileDownload: Sendable {
    private let client: HTTPClient
    private let request: HTTPRequest
    private let path: String
    private let data: HTTPResumeData?
    private let action: HTTPDownloadFailureAction
    private let record: CallRecord<HTTPDownloadedFile>?

    init(
        _ client: HTTPClient,
        _ request: HTTPRequest,
        _ path: String,
        _ data: HTTPResumeData?,
        _ action: HTTPDownloadFailureAction,
        _ record: CallRecord<HTTPDownloadedFile>?
    ) {
        self.client = client
        self.request = request
        self.path = path
        self.data = data
        self.action = action
        self.record = record
    }

    /// The bytes so far, and what is known of them.
    private struct Progress {
        let file: OutputFile
        let url: String
        let target: String
        /// The origin that the bytes came from; nil before any.
        var origin: String?
        /// Whether this call has made the file, or a response for it has come: only then the call may
        /// change or delete it.
        var isOwned: Bool
        var rangeRequest: DownloadDecision.RangeRequest
        /// Bytes in the file that are of the resource.
        var written: Int
        var total: Int?
        /// Names the state that they are of; nil when the server names none.
        var validator: String?

        /// Returns what the download can be resumed with; nil when it cannot.
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

    /// On the thread for files.
    nonisolated(nonsending) func execute() async -> Result<HTTPDownloadedFile, HTTPError> {
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

    /// Opens the partial file of the resume data, or makes a new one; changes no byte.
    private func begin(_ plan: Plan) throws(HTTPError) -> Progress {
        let hasOwnRange = request.headers.contains(.range)
        guard let data else { return try startOver(plan, hasOwnRange) }
        guard request.method == .get, !hasOwnRange, !request.headers.contains(.ifRange) else {
            throw invalid(.requestNotResumable, plan)
        }
        guard data.url == plan.publicURL else { throw invalid(.urlMismatch, plan) }
        // The bytes of the other target are not silently given up, and its directory has other files.
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
            // What is missing is requested again; what lies behind is cut off when the rest comes.
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

    /// Sends the request and writes what comes.
    private nonisolated(nonsending) func transfer(
        _ request: HTTPRequest,
        _ plan: Plan,
        _ progress: inout Progress
    ) async throws(HTTPError) -> HTTPDownloadedFile {
        let (rangeRequest, origin) = (progress.rangeRequest, progress.origin)
        let pursuit = Pursuit<HTTPStreamedResponse>(client) { [client] request throws(HTTPError) in
            try client.planUndecoded(rangeRequest.resuming(request, from: origin))
        } attempt: { call in
            await open(call)
        }
        let opened = await pursuit.result(request)
        // Behind the head the call is its reader's: nobody else may look into it.
        await record?.endSampling()
        let response: HTTPStreamedResponse
        do {
            response = try opened.get()
        } catch {
            throw asResumeFailure(error, rangeRequest)
        }
        record?.notify(.head(response.head))
        let answering = response.url.origin.map { "\($0)" }
        // Another origin was not asked for a range.
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

    /// Makes the error of a part that does not continue the file, where a part was refused already.
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

    private nonisolated(nonsending) func open(
        _ call: Attempt
    ) async -> Result<HTTPStreamedResponse, HTTPError> {
        do throws(HTTPError) {
            try await client.enterQueue(call, on: client.engine.loop)
            record?.begin()
            record?.sample(ProgressSampler(call, on: client.engine, [.upload]))
            let opened = await client.openedResult(call)
            await record?.pauseSampling()
            return opened
        } catch {
            return .failure(error)
        }
    }

    /// A response for the file has come: cuts off what it does not continue, and removes what killed
    /// processes have left of the same target.
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

    /// The whole resource comes: forgets what the file held.
    private func restart(
        _ progress: inout Progress,
        _ response: HTTPStreamedResponse,
        _ total: Int?
    ) {
        progress.written = 0
        progress.total = total
        // A part that was asked for by number cannot be continued by us.
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
        // Not before: who sees the end of the progress may open the file.
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
            metrics: response.metrics
        )
    }

    // MARK: - Failing

    /// Decides what becomes of the bytes, and tells the error of it.
    private func handleFailure(_ progress: Progress, _ error: HTTPError) -> HTTPError {
        notify(progress, isFinal: true)
        // Who cancels wants nothing of this call, but what there was before is not of this call.
        let isWanted = data != nil || record?.keepsPartialFile ?? false
        let isKept = error.isCancellation ? isWanted : action == .keepPartialFile
        let kept: HTTPResumeData?
        if progress.isOwned {
            kept = isKept ? progress.resumeData() : nil
        } else {
            // Before an answer has come for it, a file of an earlier call stays as it is.
            kept = data
        }
        if let kept {
            // The caller may resume at once, and the lock would be in its way.
            progress.file.release()
            return error.changed { $0.resumeData = kept }
        }
        // The first fault is the one to tell; that a file is left behind follows from it.
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

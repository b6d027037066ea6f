internal import SocketTransport
internal import Wire

/// Carries out one download to a file.
struct FileTransfer: Sendable {
    private let client: HTTPClient
    private let request: HTTPRequest
    private let path: String
    private let data: HTTPResumeData?
    private let remains: HTTPPartialFile
    private let record: CallRecord<HTTPDownloadedFile>?

    init(
        _ client: HTTPClient,
        _ request: HTTPRequest,
        _ path: String,
        _ data: HTTPResumeData?,
        _ remains: HTTPPartialFile,
        _ record: CallRecord<HTTPDownloadedFile>?
    ) {
        self.client = client
        self.request = request
        self.path = path
        self.data = data
        self.remains = remains
        self.record = record
    }

    /// The octets so far, and what is known of them.
    private struct Progress {
        let file: OutputFile
        let url: String
        let target: String
        /// The origin that the octets came from; nil before any.
        var origin: String?
        /// Whether this call has made the file, or a response for it has come: only then the call may
        /// change or delete it.
        var isOwned: Bool
        var wish: DownloadVerdict.Wish
        /// Octets in the file that are of the resource.
        var written: Int
        var total: Int?
        /// Names the state that they are of; nil when the server names none.
        var validator: String?

        /// Returns what the download can be resumed with; nil when it cannot.
        func resumeData() -> HTTPResumeData? {
            guard let validator, let origin, written > 0, written <= total ?? .max,
                let part = try? file.seal()
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
    nonisolated(nonsending) func carryOut() async -> Result<HTTPDownloadedFile, HTTPError> {
        do throws(HTTPError) {
            var request = request
            request.headers.replaceUnlessThere(.acceptEncoding, "identity")
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
                return .failure(leave(progress, error))
            }
        } catch {
            return .failure(error)
        }
    }

    /// Opens the partial file of the resume data, or makes a new one; changes no octet.
    private func begin(_ plan: Plan) throws(HTTPError) -> Progress {
        let hasOwnRange = request.headers.contains(.range)
        guard let data else { return try anew(plan, hasOwnRange) }
        guard request.method == .get, !hasOwnRange, !request.headers.contains(.ifRange) else {
            throw invalid(.unsuitableRequest, plan)
        }
        guard data.url == plan.publicURL else { throw invalid(.otherURL, plan) }
        // The bytes of the other target are not silently given up, and its folder has other files.
        guard data.target == TargetPath.absolute(path) else { throw invalid(.otherTarget, plan) }
        let file: OutputFile
        let written: Int
        do throws(OutputFile.Fault) {
            file = try OutputFile.reopen(data.name, beside: path, identity: data.part)
        } catch .system(.noSuchFile) {
            return try anew(plan, hasOwnRange)
        } catch .replaced {
            return try anew(plan, hasOwnRange)
        } catch .foreign {
            throw invalid(.foreignFile, plan)
        } catch .locked {
            throw invalid(.fileInUse, plan)
        } catch {
            throw fault(.open, data.file, error)
        }
        do {
            // What is missing is requested again; what lies behind is cut off when the rest comes.
            written = min(try file.size, data.offset)
        } catch {
            throw fault(.open, file.path, .system(error))
        }
        return Progress(
            file: file,
            url: plan.publicURL,
            target: path,
            origin: data.origin,
            isOwned: false,
            wish: DownloadVerdict.Wish(
                offset: written,
                validator: data.validator,
                total: data.total
            ),
            written: written,
            total: data.total,
            validator: data.validator
        )
    }

    private func anew(_ plan: Plan, _ hasOwnRange: Bool) throws(HTTPError) -> Progress {
        do throws(OutputFile.Fault) {
            return Progress(
                file: try OutputFile.make(beside: path),
                url: plan.publicURL,
                target: path,
                isOwned: true,
                wish: DownloadVerdict.Wish(hasOwnRange: hasOwnRange),
                written: 0
            )
        } catch {
            throw fault(error == .special ? .replace : .create, path, error)
        }
    }

    /// Sends the request and writes what comes.
    private nonisolated(nonsending) func transfer(
        _ request: HTTPRequest,
        _ plan: Plan,
        _ progress: inout Progress
    ) async throws(HTTPError) -> HTTPDownloadedFile {
        let (wish, origin) = (progress.wish, progress.origin)
        let pursuit = Pursuit<HTTPStreamedResponse>(client) { [client] request throws(HTTPError) in
            try client.planUndecoded(wish.resuming(request, from: origin))
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
            throw judged(error, wish)
        }
        record?.tell(.head(response.head))
        let answering = response.url.origin.map { "\($0)" }
        // Another origin was not asked for a range.
        let asked = answering == origin || wish.offset == 0 ? wish : DownloadVerdict.Wish()
        let verdict = DownloadVerdict.settle(response.status, response.headers, asked)
        switch verdict {
        case .complete: try takeOver(&progress, from: progress.written)
        case .whole(let total):
            try takeOver(&progress, from: 0)
            restart(&progress, response, total)
            progress.origin = answering
            try await write(response, &progress)
        case .rest(let total):
            try takeOver(&progress, from: progress.written)
            progress.total = total
            tell(progress, isFinal: false)
            try await write(response, &progress)
            if let total, progress.written != total {
                let problem = ResumeProblem.otherTotal(known: total, answered: progress.written)
                throw error(.resumeFailed(problem), response, plan, partialBody: [])
            }
        case .refused: throw await response.refusal(keeping: 64 << 10)
        case .mismatch(let problem):
            throw error(.resumeFailed(problem), response, plan, partialBody: [])
        }
        return try finish(progress, response, verdict)
    }

    /// Makes the error of a part that does not continue the file, where a part was refused already.
    private func judged(_ error: HTTPError, _ wish: DownloadVerdict.Wish) -> HTTPError {
        guard case .rangeMismatch = error.kind, let head = error.head,
            case .mismatch(let problem) = DownloadVerdict.settle(head.status, head.headers, wish)
        else { return error }
        return error.changed { $0.kind = .resumeFailed(problem) }
    }

    private nonisolated(nonsending) func open(
        _ call: Call
    ) async -> Result<HTTPStreamedResponse, HTTPError> {
        do throws(HTTPError) {
            try await client.enterQueue(call, on: client.engine.loop)
            record?.begin()
            record?.sample(ProgressSampler(call, on: client.engine, [.upload]))
            let opened = await client.openedResult(call)
            await record?.setSamplingAside()
            return opened
        } catch {
            return .failure(error)
        }
    }

    /// A response for the file has come: cuts off what it does not continue, and removes what killed
    /// processes have left of the same target.
    private func takeOver(
        _ progress: inout Progress,
        from size: Int
    ) throws(HTTPError) {
        OutputFile.removeLeftovers(beside: path)
        guard !progress.isOwned else { return }
        progress.isOwned = true
        do {
            try progress.file.truncate(to: size)
        } catch {
            throw fault(.write, progress.file.path, .system(error))
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
        let canBeContinued = request.method == .get && !progress.wish.hasOwnRange
        progress.validator =
            canBeContinued && response.status == .ok
            ? DownloadVerdict.validator(in: response.headers) : nil
        progress.wish = DownloadVerdict.Wish(hasOwnRange: progress.wish.hasOwnRange)
    }

    private nonisolated(nonsending) func write(
        _ response: HTTPStreamedResponse,
        _ progress: inout Progress
    ) async throws(HTTPError) {
        var pace = ProgressPace()
        var body = response.body.makeAsyncIterator()
        while let chunk = try await body.next() {
            do {
                try progress.file.write(chunk, at: progress.written)
            } catch {
                throw fault(.write, progress.file.path, .system(error))
            }
            progress.written += chunk.count
            if record != nil, pace.admits(progress.written, at: .now()) {
                tell(progress, isFinal: false)
            }
        }
    }

    private func tell(_ progress: Progress, isFinal: Bool) {
        record?.tell(
            .progress(
                HTTPProgress(
                    .download,
                    completed: progress.written,
                    total: progress.total,
                    resumedOffset: progress.wish.offset,
                    isFinal: isFinal
                )
            )
        )
    }

    private func finish(
        _ progress: Progress,
        _ response: HTTPStreamedResponse,
        _ verdict: DownloadVerdict
    ) throws(HTTPError) -> HTTPDownloadedFile {
        do throws(OutputFile.Fault) {
            try progress.file.move(to: path)
        } catch {
            throw fault(error == .special ? .replace : .rename, path, error)
        }
        // Not before: who sees the end of the progress may open the file.
        tell(progress, isFinal: true)
        record?.tell(
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
            resumedOffset: progress.wish.offset,
            head: response.head,
            url: response.url,
            metrics: response.metrics
        )
    }

    // MARK: - Failing

    /// Decides what becomes of the octets, and tells the error of it.
    private func leave(_ progress: Progress, _ error: HTTPError) -> HTTPError {
        tell(progress, isFinal: true)
        // Who cancels wants nothing of this call, but what there was before is not of this call.
        let isWanted = data != nil || record?.keepsPartialFile ?? false
        let isKept = error.isCancellation ? isWanted : remains == .keep
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

    private func fault(
        _ step: FileStep,
        _ path: String,
        _ fault: OutputFile.Fault
    ) -> HTTPError {
        HTTPError(
            .fileFailed(path: path, step, reason: fault.description),
            phase: step == .create || step == .open || step == .replace ? .preparing : .body
        )
    }

    private func invalid(_ fault: ResumeFault, _ plan: Plan) -> HTTPError {
        HTTPError(
            .invalidRequest(.resumeData(fault)),
            phase: .preparing,
            request: HTTPError.summary(plan.head.method, plan.publicURL)
        )
    }
}

extension HTTPHeaders {
    fileprivate mutating func replaceUnlessThere(_ name: FieldName, _ value: String) {
        if !contains(name) { append(name, value) }
    }
}

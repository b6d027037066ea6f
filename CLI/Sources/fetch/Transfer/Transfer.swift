internal import HTTPClient

/// The transfer of one URL.
struct Transfer {
    let client: HTTPClient
    let settings: Settings
    let console: Console
    let url: TargetURL
    let destination: Destination
    /// The position at which a download resumes; nil for the whole document.
    private(set) var resumePoint: ResumePoint?
    var record: TransferRecord
    /// The progress display; nil for none.
    var display: ProgressDisplay?
    /// The delay before a retry after an outcome; nil when the transfer is not retried.
    let wait: (RetryOptions.Outcome) -> Duration?
    var retryDelay: Duration?

    init(
        _ url: TargetURL,
        by client: HTTPClient,
        _ settings: Settings,
        _ console: Console,
        to destination: Destination,
        resumePoint: ResumePoint?,
        record: TransferRecord,
        wait: @escaping (RetryOptions.Outcome) -> Duration?
    ) {
        self.client = client
        self.settings = settings
        self.console = console
        self.url = url
        self.destination = destination
        self.resumePoint = resumePoint
        self.record = record
        self.wait = wait
    }

    /// Sends the request, writes heads and body, and records the outcome in ``record``.
    mutating func run() async {
        record.effectiveURL = url.text
        record.fileName = destination.path
        record.method = settings.plan.method.rawValue
        record.uploadedBytes = settings.plan.body?.length ?? 0
        do throws(FetchError) {
            try await exchange()
        } catch {
            record.failure = error
            console.info(error.message)
            // The retry of a response whose status only `--fail` rejects has been decided already.
            if record.head == nil || error.code != .rejectedStatus {
                retryDelay = wait(RetryOptions.Outcome(code: error.code))
            }
            if retryDelay != nil { prepareRetry() }
        }
    }

    /// Discards partial output before a retry.
    ///
    /// If that is impossible, there is no retry.
    private mutating func prepareRetry() {
        do throws(FetchError) {
            if try !destination.rollBack() { retryDelay = nil }
        } catch {
            retryDelay = nil
            record.failure = error
        }
    }

    private mutating func exchange() async throws(FetchError) {
        let began = SuspendingClock.now
        _ = settings.headRecorder.takeRecord()
        let response: HTTPStreamedResponse
        let isDownload = settings.isDownload(to: destination.path)
        var request = settings.plan.request(
            for: url,
            resumePoint: resumePoint,
            isDecoded: !isDownload,
            authentication: settings.identity.authentication(for: url)
        )
        request.rateLimit = settings.rateLimit.map { .bytesPerSecond($0) }
        if let display { request.onProgress = display.update }
        request.expectedDigest = settings.checksum
        request.cacheMode = settings.cacheMode
        if case .events = settings.streamContent { return try await writeEvents(of: request) }
        if isDownload, let path = destination.path {
            return try await download(request, to: path)
        }
        do throws(HTTPError) {
            response = try await client.stream(request)
        } catch {
            let failure = failure(error)
            try writeHeads(recordFailure(to: error), alsoToDestination: true)
            throw failure
        }
        let heads = recordResponse(response)
        record.cacheStatus = response.cacheStatus
        let part = verdict(response)
        if part != .complete { retryDelay = wait(outcome(response.status, response.headers)) }
        let isShown = part != .complete && (retryDelay == nil || destination.path == nil)
        try writeHeads(heads, alsoToDestination: isShown)
        guard retryDelay == nil, part != .complete else {
            // Output that cannot be taken back shows this body too, as in curl. Otherwise the body
            // is dropped; a short one is drained, and the connection can be reused.
            guard isShown, settings.statusRule != .fail, !settings.isHeadOnly else { return }
            try await writeBody(response, nil, from: began)
            return destination.commit()
        }
        if response.cacheStatus?.outcome == .unavailable {
            throw Self.noStoredResponse
        }
        if response.status.code >= 400, settings.statusRule == .fail {
            throw rejected(response)
        }
        try checkVerification(response)
        let bytes = try expectedLength(part)
        guard !failsTimeCondition(response) else {
            record.failsTimeCondition = true
            console.info("The document does not meet the time condition")
            return try destination.finish(.leaveFile)
        }
        if !settings.isHeadOnly || settings.plan.method == .head {
            try await writeBody(response, bytes, from: began)
        }
        if response.status.code >= 400, settings.statusRule == .failWithBody {
            try destination.finish(.leaveFile)
            throw rejected(response)
        }
        try destination.finish(response.status == .notModified ? .leaveFile : .createFile)
        try saveTag(response.status, response.headers)
    }

    /// The error of `--cache-mode only-if-cached`.
    static var noStoredResponse: FetchError {
        FetchError(.rejectedStatus, "The cache has no usable response")
    }

    /// Throws if `--checksum` is given and the library does not verify the body of this response.
    private func checkVerification(_ response: HTTPStreamedResponse) throws(FetchError) {
        let status = response.status
        guard settings.checksum != nil, !settings.isHeadOnly, settings.plan.method != .head,
            settings.statusRule != .failWithBody || status.code < 400, status != .notModified
        else { return }
        guard status.kind != .successful || status == .partialContent || status == .noContent
        else { return }
        throw FetchError(
            .rejectedStatus,
            "The body of a response with the status \(status.code) cannot be verified here"
        )
    }

    /// Whether the date of a document fails the condition, which servers may ignore.
    ///
    /// A part of a document is not checked.
    private func failsTimeCondition(_ response: HTTPStreamedResponse) -> Bool {
        guard let condition = settings.timeCondition, resumePoint == nil,
            settings.plan.method != .head, !settings.plan.headers.contains(.range)
        else { return false }
        return condition.isFailed(by: response.status, response.headers)
    }

    // MARK: - Resuming

    /// Evaluates a response to a resumed download; nil when there are no existing bytes, or no body follows.
    private func verdict(_ response: HTTPStreamedResponse) -> ResumePoint.Outcome? {
        guard settings.plan.method != .head, let resumePoint else { return nil }
        let verdict = resumePoint.evaluate(response.status, response.headers)
        guard case .remainder = verdict, response.headers.contains(.contentEncoding),
            settings.configuration.decompression == .on
        else { return verdict }
        return .refused(reason: "the remaining bytes are encoded and cannot be decoded alone")
    }

    /// Throws unless the response is the requested rest.
    ///
    /// - Returns: the required length of its body; nil when the whole document was requested.
    private mutating func expectedLength(_ part: ResumePoint.Outcome?) throws(FetchError) -> Int? {
        switch part {
        case nil, .complete: return nil
        case .remainder(let bytes):
            if let head = record.head { resumePoint?.updateEntityTag(from: head.headers) }
            return bytes
        case .refused(let reason): throw FetchError(.rangeRefused, "Cannot resume: \(reason)")
        case .other:
            let status = record.head?.status.code ?? 0
            throw FetchError(.rangeRefused, "Cannot resume: the server answered \(status)")
        }
    }

    /// Restores the existing file when the body is longer than announced.
    private func rejectSurplus() throws(FetchError) -> Never {
        _ = try destination.rollBack()
        throw FetchError(.rangeRefused, "Cannot resume: the body is longer than announced")
    }

    // MARK: - Head

    /// - Returns: every head that was received, in order.
    private mutating func recordResponse(
        _ response: HTTPStreamedResponse
    ) -> [HeadRecorder.Head] {
        let recorded = settings.headRecorder.takeRecord()
        record.head = response.head
        record.redirects = response.redirects.count
        if !response.redirects.isEmpty { record.effectiveURL = response.url.text }
        if response.metrics.tunneled != nil {
            record.connectStatus = response.proxyHeads.last?.status.code ?? 0
        }
        record.headBytes = recorded.heads.reduce(0) { $0 + $1.receivedBytes }
        recordMetrics(response.metrics)
        record.redirectURL = Self.target(of: response.head, from: response.url)
        return recorded.heads
    }

    /// Records the state of a transfer that failed.
    ///
    /// - Returns: every head that was received, in order.
    mutating func recordFailure(to error: HTTPError) -> [HeadRecorder.Head] {
        let recorded = settings.headRecorder.takeRecord()
        record.head = error.head ?? recorded.answer
        record.redirects = recorded.redirects.count
        record.headBytes = recorded.heads.reduce(0) { $0 + $1.receivedBytes }
        if let last = recorded.redirects.last { record.effectiveURL = last.location.text }
        switch error.kind {
        case .redirectFailed(.tooMany), .rejectedStatus:
            let requestURL = recorded.redirects.last?.location ?? url.uri
            record.redirectURL = record.head.flatMap { Self.target(of: $0, from: requestURL) }
        case .redirectFailed:
            // As in curl, the redirect is counted once its target is known.
            record.redirects += 1
        default: break
        }
        return recorded.heads
    }

    /// Returns the target of a redirect; nil when the response is not one.
    private static func target(of head: ResponseHead, from url: URI) -> String? {
        let field = head.headers.first { FieldName($0.name) == .location && !$0.value.isEmpty }
        guard (300...399).contains(head.status.code), let field else { return nil }
        let ascii = field.valueBytes.map { byte in
            byte < 0x80
                ? String(Unicode.Scalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
        }
        // As in curl, a value that is not a valid URL is shown unchanged.
        guard let reference = try? URI(percentEncoding: ascii.joined()) else { return field.value }
        return url.resolve(reference).text
    }

    /// Writes the entity tag, if the response has one and is not an error.
    ///
    /// The tag is written only after the body is complete. With the tag of an incomplete body,
    /// `--etag-compare` would never fetch the rest.
    func saveTag(_ status: HTTPStatus, _ headers: HTTPHeaders) throws(FetchError) {
        guard let path = settings.tagFile, (200...399).contains(status.code),
            let tag = headers[.etag]
        else { return }
        let file = Destination(path)
        try file.write(Array((tag + "\n").utf8))
        try file.finish()
    }

    /// Returns the outcome of a response, for the rules of retries.
    ///
    /// - Parameters:
    ///   - status: the status of the response.
    ///   - headers: its header fields.
    ///   - code: the exit code of the transfer; nil for that of a response whose body is wanted.
    /// - Returns: the outcome, with the delay of Retry-After.
    func outcome(
        _ status: HTTPStatus,
        _ headers: HTTPHeaders,
        code: ExitCode? = nil
    ) -> RetryOptions.Outcome {
        let isFailure = status.code >= 400 && settings.statusRule != .accept
        let now = SystemFile.now
        let retryAfter = headers[.retryAfter].flatMap { RetryAfter($0, now: now) }
        return RetryOptions.Outcome(
            code: code ?? (isFailure ? .rejectedStatus : .done),
            status: status,
            retryAfter: retryAfter.map { .seconds(min($0.delay(from: now), 1 << 40)) }
        )
    }

    func writeHeads(
        _ heads: [HeadRecorder.Head],
        alsoToDestination: Bool
    ) throws(FetchError) {
        for head in heads {
            let bytes = Self.withoutBareReturns(head.bytes)
            try settings.headDump?.write(bytes)
            if settings.includesHeads, alsoToDestination { try destination.write(bytes) }
        }
        destination.commit()
    }

    /// Replaces each CR without LF with a space, because a recipient must not forward it (RFC 9112 §2.2).
    private static func withoutBareReturns(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for index in bytes.indices where bytes[index] == 0x0D {
            if index + 1 == bytes.count || bytes[index + 1] != 0x0A { bytes[index] = 0x20 }
        }
        return bytes
    }

    private func rejected(_ response: HTTPStreamedResponse) -> FetchError {
        FetchError(
            .rejectedStatus,
            "The requested URL returned error: \(response.status.code)"
        )
    }

    // MARK: - Body

    private mutating func writeBody(
        _ response: HTTPStreamedResponse,
        _ wanted: Int?,
        from began: SuspendingClock.Instant
    ) async throws(FetchError) {
        if let maximum = settings.maxFileSize, settings.plan.method != .head,
            settings.configuration.contentLengthPolicy == .trusted,
            let announced = response.headers.contentLength, announced > maximum
        {
            throw tooLarge
        }
        if case .lines = settings.streamContent { return try await writeLines(response) }
        var bytes = 0
        var body = response.body.makeAsyncIterator()
        while true {
            let chunk: [UInt8]?
            do throws(HTTPError) {
                chunk = try await body.next()
            } catch {
                throw failure(error)
            }
            guard let chunk else { break }
            bytes += chunk.count
            record.downloadedBytes = bytes
            if let maximum = settings.maxFileSize, bytes > maximum { throw tooLarge }
            if let wanted, bytes > wanted { try rejectSurplus() }
            console.received(content: chunk)
            try destination.write(chunk)
            // If data arrives without a pause, the client never waits and may not check its
            // deadline.
            if let maxTime = settings.maxTime, .now - began > maxTime {
                throw FetchError(.timedOut, "Operation timed out with \(bytes) bytes received")
            }
            if wanted == nil, let output = movableOutput(response, received: bytes) {
                try await moveRest(of: response, received: bytes, to: output)
                break
            }
        }
        recordMetrics(response.metrics)
        display?.endDownload(received: response.metrics.bodyBytesReceived)
        if settings.configuration.strictness == .forensic {
            console.deviations(response.deviations.filter { $0.part == .body })
        }
        if let wanted, bytes < wanted {
            throw FetchError(.partialBody, "\(wanted - bytes) bytes are missing at the end")
        }
        try writeTrailers(response.trailers ?? [:])
        // A stored response had no connection.
        if response.metrics.connectionID != 0 {
            console.info(
                "Connection #\(response.metrics.connectionID) to host \(url.origin.host) done"
            )
        }
    }

    /// Writes trailers where heads are written, as in curl.
    mutating func writeTrailers(_ trailers: HTTPHeaders) throws(FetchError) {
        for field in trailers {
            let line = Array(field.name.utf8) + Array(": ".utf8) + field.valueBytes + [0x0D, 0x0A]
            record.headBytes += line.count
            console.received(head: line)
            try settings.headDump?.write(line)
            if settings.includesHeads { try destination.write(line) }
        }
    }

    private var tooLarge: FetchError { FetchError(.tooLarge, "Maximum file size exceeded") }

    // MARK: - Errors and metrics

    /// Records the metrics of a failed call, and returns the error for the user.
    ///
    /// - Parameters:
    ///   - error: the error of the call.
    ///   - file: the file with the received bytes that stays; nil for none.
    /// - Returns: the error, with advice in its message.
    mutating func failure(_ error: HTTPError, leaving file: String? = nil) -> FetchError {
        recordMetrics(error.metrics)
        if case .proxyFailed(.refused(let refusal)) = error.kind {
            record.connectStatus = refusal.status.code
        }
        var message = error.kind.description
        if let name = error.refusedField { message += ": \(name.rawName.debugDescription)" }
        if let file {
            switch error.kind {
            case .digestMismatch: message += "; the received file is \(file)"
            case .fileFailed: message += "; the received part stays in \(file)"
            // The same command continues or replaces it.
            default: break
            }
        }
        if let advice = error.kind.optionAdvice(maxTime: settings.maxTime) {
            message += "; \(advice)"
        }
        if error.isReadableLeniently { message += "; use --lenient to accept it" }
        return FetchError(ExitCode(error), message, label: error.kind.label)
    }

    mutating func recordMetrics(_ metrics: HTTPMetrics) {
        record.update(from: metrics)
        if metrics.connectionID != 0 { record.scheme = url.origin.scheme.rawValue }
    }
}

internal import SocketTransport
internal import Wire

/// The rest of a request body that is still to be sent when the response has begun.
///
/// A server may respond while it reads. The code that reads the response also sends the rest:
/// if both sides sent everything before reading, each would wait for the other without end.
struct Upload {
    private enum Rest {
        case bytes(ArraySlice<UInt8>, offset: Int, movedLast: Deadline)
        case streamed(StreamedUpload)
    }

    private var rest: Rest
    /// The deadline for sending the whole body.
    fileprivate let end: Deadline
    /// The time before which a rate limit allows no more bytes; never if it is not the reason to wait.
    fileprivate var due = Deadline.never

    init(_ bytes: ArraySlice<UInt8>, from offset: Int, until end: Deadline) {
        rest = .bytes(bytes, offset: offset, movedLast: .now())
        self.end = end
    }

    init(_ streamed: StreamedUpload, until end: Deadline) {
        rest = .streamed(streamed)
        self.end = end
    }

    var movedLast: Deadline {
        switch rest {
        case .bytes(_, _, let movedLast): movedLast
        case .streamed(let streamed): streamed.movedLast
        }
    }

    /// Restarts the time that ``HTTPTimeouts/writeIdle`` limits, after a wait that the peer did not cause.
    mutating func restartIdleTime() {
        switch rest {
        case .bytes(let bytes, let offset, _):
            rest = .bytes(bytes, offset: offset, movedLast: .now())
        case .streamed(let streamed): streamed.restartIdleTime()
        }
    }

    /// Sends what can be sent without waiting.
    mutating func advance(
        on stream: any ByteStream,
        _ attempt: RequestAttempt
    ) throws(ExchangeError) -> StreamedUpload.Progress {
        switch rest {
        case .streamed(let streamed): return try streamed.advance(on: stream, attempt)
        case .bytes(let bytes, let offset, let movedLast):
            do throws(TransportError) {
                let end: Int
                switch attempt.uploadAllowance {
                case .wait(let due): return .paced(until: due)
                case .bytes(let allowed):
                    let most = min(allowed, BodyReadState.maxBytesPerTurn)
                    end = offset + min(most, bytes.count - offset)
                }
                let isEmpty = offset == bytes.count
                let sent = isEmpty ? 0 : try stream.send(bytes.span.extracting(offset..<end))
                attempt.limits.pacing?.moved(sent, .upload)
                attempt.trace.metrics.bytesSent += sent
                attempt.recordBytes()
                let moved = sent > 0 ? Deadline.now() : movedLast
                rest = .bytes(bytes, offset: offset + sent, movedLast: moved)
                if offset + sent == bytes.count, try stream.flush() { return .complete }
                return offset + sent == end && end < bytes.count ? .turnEnded : .needsRoom
            } catch {
                throw .transport(error)
            }
        }
    }
}

extension ClientConnection {
    /// Returns whether a successful response has begun, which needs the rest of the request body.
    ///
    /// A 101 does not count: the request must be complete before the protocol changes (RFC 9110 §7.8).
    func isAnsweredWhileSending(_ attempt: RequestAttempt) -> Bool {
        guard attempt.phase == .sendingBody, let status = attempt.received.head?.status else {
            return false
        }
        return status.kind == .successful
    }

    /// Sends what can be sent without waiting.
    ///
    /// A peer that closes its end needs no more of the body: its response has already begun.
    ///
    /// - Returns: the events to wait for: readable, and writable if more can be sent.
    func advanceUpload(_ attempt: RequestAttempt) throws(ExchangeError) -> Readiness {
        try checkUpload(attempt)
        if attempt.limits.pacing?.isPaused ?? false {
            upload?.due = .never
            return .readable
        }
        guard var rest = upload.take() else { return .readable }
        var progress: StreamedUpload.Progress
        let begin = attempt.trace.metrics.bytesSent
        do {
            // With a rate limit, this uses up the allowance, at most 1 MiB in a turn. The socket stays writable, so the
            // next wait returns at once.
            repeat {
                progress = try rest.advance(on: stream, attempt)
            } while progress.isTurnEnded && attempt.limits.pacing?.limitsUpload ?? false
                && attempt.trace.metrics.bytesSent - begin < BodyReadState.maxBytesPerTurn
        } catch {
            guard case .transport(.closedByPeer) = error else { throw error }
            attempt.endUpload()
            return .readable
        }
        if case .complete = progress {
            exchange.requestSent()
            attempt.trace.metrics.sentMark = .now()
            return .readable
        }
        rest.due = .never
        if case .paced(let due) = progress { rest.due = due }
        upload = rest
        switch progress {
        case .needsPiece, .paced: return .readable
        default: break
        }
        return [.readable, .writable]
    }

    /// Waits until bytes can be read, and sends the rest of the request body meanwhile.
    ///
    /// See ``waitReadable(until:_:)``. While a rate limit delays the upload, the minimum throughput does not count.
    @inline(never)
    nonisolated(nonsending) func waitReadableSending(
        until deadline: Deadline,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) {
        while true {
            try attempt.checkThroughput()
            let before = attempt.trace.metrics.bytesSent
            let interest = try advanceUpload(attempt)
            if attempt.trace.metrics.bytesSent - before >= BodyReadState.maxBytesPerTurn {
                try await endTurn(attempt)
            }
            if attempt.limits.pacing?.isPaused ?? false { return }
            let isDelayed = uploadDue != .never
            if isDelayed { attempt.limits.throughput?.pause(at: .now()) }
            defer { if isDelayed { attempt.limits.throughput?.resume(at: .now()) } }
            let window = isDelayed ? .never : attempt.throughputDeadline
            do {
                try await stream.wait(
                    for: interest,
                    until: min(deadline, window, uploadEnd, uploadDue)
                )
                return
            } catch {
                try checkUpload(attempt)
                if isUploadDue(after: error, until: deadline) { return }
                try attempt.continueWait(after: error, until: deadline)
            }
        }
    }

    /// Throws if the deadline for sending the whole body has passed.
    func checkUpload(_ attempt: RequestAttempt) throws(ExchangeError) {
        guard let rest = upload, rest.end <= .now() else { return }
        attempt.phase = .sendingBody
        throw .transport(.timedOut(.write))
    }

    /// The time when a rate limit allows more bytes of the upload; never if none waits for that.
    var uploadDue: Deadline { upload?.due ?? .never }

    /// Returns whether a wait has ended only because a rate limit allows more bytes of the upload.
    func isUploadDue(after error: TransportError, until deadline: Deadline) -> Bool {
        guard case .timedOut = error, uploadDue != .never else { return false }
        let now = Deadline.now()
        return uploadDue <= now && now < deadline
    }

    /// The deadline for sending the rest of the body; never if there is none.
    var uploadEnd: Deadline { upload?.end ?? .never }

    /// Sends the rest of the body after a complete response; the call succeeds only if all is sent.
    @inline(never)
    nonisolated(nonsending) func finishUpload(_ attempt: RequestAttempt) async throws(ExchangeError)
    {
        // The caller may have read the response at any pace.
        upload?.restartIdleTime()
        while true {
            if attempt.limits.pacing?.isPaused ?? false {
                try await waitWhilePaused(attempt)
                upload?.restartIdleTime()
            }
            let before = attempt.trace.metrics.bytesSent
            let interest = try advanceUpload(attempt).subtracting(.readable)
            if attempt.trace.metrics.bytesSent - before >= BodyReadState.maxBytesPerTurn {
                try await endTurn(attempt, until: attempt.limits.totalDeadline)
                if attempt.limits.pacing?.isPaused ?? false { continue }
            }
            guard let rest = upload else { return }
            attempt.phase = .sendingBody
            try attempt.checkTotal()
            try attempt.checkThroughput()
            if rest.due != .never {
                try await waitForUploadAllowance(until: rest.due, rest.end, attempt)
                upload?.restartIdleTime()
            } else if interest.isEmpty {
                try await waitForPiece(
                    [],
                    until: min(rest.end, attempt.limits.totalDeadline),
                    attempt
                )
                upload?.restartIdleTime()
            } else {
                let idle = attempt.deadline(attempt.plan.timeouts.writeIdle, from: rest.movedLast)
                try await waitToSend(interest, until: min(idle, rest.end), attempt)
            }
        }
    }
}

extension ClientConnection {
    // MARK: - Expect: 100-continue

    /// Waits for 100 (Continue) or a final response, up to a timeout (RFC 9110 §10.1.1).
    ///
    /// - Returns: true if a final response arrived instead of 100 (Continue), so that no body is sent.
    ///   After the timeout the body is sent.
    nonisolated(nonsending) func isBodyDeclined(
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> Bool {
        let patience = attempt.deadline(attempt.plan.timeouts.continueResponse)
        while true {
            let isAnswered = try receiveHeadAtOnce(attempt)
            guard exchange.requestBodyAction == .wait else {
                // After a 101 the body is sent too: the request must be complete before the
                // protocol changes (RFC 9110 §7.8).
                return isAnswered && exchange.requestBodyAction == .doNotSend
            }
            // A wait for a ready stream never times out, and other 1xx responses make the stream ready.
            if patience <= .now(), patience < attempt.limits.totalDeadline {
                exchange.proceedWithoutContinue()
                return false
            }
            do {
                try await stream.wait(
                    for: .readable,
                    until: min(patience, attempt.throughputDeadline)
                )
            } catch {
                if case .timedOut = error, patience <= .now(),
                    patience < attempt.limits.totalDeadline
                {
                    continue
                }
                try attempt.continueWait(after: error, until: patience)
            }
            _ = try fillInput(attempt)
            try attempt.checkTotal()
        }
    }

    // MARK: - Streamed bodies

    /// Sends a body that is produced in pieces, and reads meanwhile, as for a body in memory.
    ///
    /// - Returns: true if the head of the final response arrived before the request was sent. If the
    ///   server still needs the body, its rest is in ``ClientConnection/upload``.
    nonisolated(nonsending) func sendPieces(
        of body: SizedBody,
        until end: Deadline,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> Bool {
        let pieces: StreamedUpload
        do {
            // Only the socket itself can send a file; TLS has to encrypt it.
            let files: SizedBody.FileForm =
                secured == nil && body.length != nil ? .regions : .bytes
            pieces = try StreamedUpload(body, over: socket, files: files)
        } catch {
            throw .body(error)
        }
        attempt.upload = pieces
        while true {
            if attempt.limits.pacing?.isPaused ?? false {
                try await waitWhileUploadPaused(until: end, attempt)
                pieces.restartIdleTime()
            }
            guard end == .never || .now() < end else { throw .transport(.timedOut(.write)) }
            let progress: StreamedUpload.Progress
            do {
                progress = try pieces.advance(on: stream, attempt)
            } catch {
                guard case .transport(.closedByPeer(let errno)) = error else { throw error }
                attempt.endUpload()
                try await receiveLastAnswer(attempt, behind: .closedByPeer(errno))
                return true
            }
            switch progress {
            case .complete: return false
            case .turnEnded: try await endTurn(attempt)
            case .needsRoom:
                let early: Readiness = canReadEarly(attempt) ? .readable : []
                let idle = attempt.deadline(attempt.plan.timeouts.writeIdle, from: pieces.movedLast)
                try await waitToSend(early.union(.writable), until: min(end, idle), attempt)
            case .needsPiece:
                try await waitForPiece(canReadEarly(attempt) ? .readable : [], until: end, attempt)
                pieces.restartIdleTime()
            case .paced(let due):
                try await waitForUploadAllowance(until: due, end, attempt)
                pieces.restartIdleTime()
            }
            try attempt.checkThroughput()
            if try receiveEarly(attempt) {
                attempt.endUpload()
                return true
            }
            if isAnsweredWhileSending(attempt) {
                upload = Upload(pieces, until: end)
                return true
            }
        }
    }

    /// Waits until the stream is writable, and enforces the minimum throughput.
    nonisolated(nonsending) func waitToSend(
        _ interest: Readiness,
        until deadline: Deadline,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) {
        do {
            try await stream.wait(for: interest, until: min(deadline, attempt.throughputDeadline))
        } catch {
            try attempt.continueWait(after: error, until: deadline)
        }
    }

    /// Waits until the caller's code produces a piece; the throughput monitor pauses meanwhile.
    nonisolated(nonsending) func waitForPiece(
        _ interest: Readiness,
        until deadline: Deadline,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) {
        attempt.limits.throughput?.pause(at: .now())
        defer { attempt.limits.throughput?.resume(at: .now()) }
        do {
            try await stream.wait(for: interest, until: deadline)
        } catch {
            throw .transport(error)
        }
    }
}

extension RequestAttempt {
    /// Stops producing and sending the body.
    func endUpload() {
        guard let upload else { return }
        upload.stop()
        self.upload = nil
    }
}

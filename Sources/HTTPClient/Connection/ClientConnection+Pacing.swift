internal import SocketTransport
internal import Wire

extension RequestAttempt {
    /// The number of bytes of the download that may be read now; at least 1.
    ///
    /// Call it after ``ClientConnection/waitForDownloadAllowance(_:)``.
    var downloadAllowance: Int {
        guard let pacing = limits.pacing else { return .max }
        guard case .bytes(let count) = pacing.allowance(.download, at: .now()) else { return 1 }
        return count
    }

    /// How many bytes of the upload may be sent now.
    var uploadAllowance: TransferPacing.Allowance {
        limits.pacing?.allowance(.upload, at: .now()) ?? .bytes(.max)
    }
}

/// The waits that rate limits cause.
///
/// The connection does not read from its socket meanwhile, so the peer is slowed down by TCP. The monitor
/// of the minimum throughput pauses, because the client itself is the reason for the delay.
extension ClientConnection {
    /// Waits while the call is paused; returns at once if it is not.
    ///
    /// The timeouts of the whole call and of the whole request body continue, and those of idle
    /// connections do not.
    nonisolated(nonsending) func waitWhilePaused(
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) {
        guard let pacing = attempt.limits.pacing, pacing.isPaused else { return }
        attempt.limits.throughput?.pause(at: .now())
        defer { attempt.limits.throughput?.resume(at: .now()) }
        while pacing.isPaused {
            try attempt.checkTotal()
            try checkUpload(attempt)
            do {
                let end = min(attempt.limits.totalDeadline, attempt.limits.drainDeadline, uploadEnd)
                try await stream.wait(for: [], until: end)
            } catch {
                throw .transport(error)
            }
        }
    }

    /// Waits until body bytes are readable and the rate limit allows reading them.
    nonisolated(nonsending) func waitForPacedBody(
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) {
        repeat {
            try await waitWhilePaused(attempt)
            let end = min(
                attempt.deadline(attempt.plan.timeouts.readIdle),
                attempt.limits.drainDeadline
            )
            try await waitReadable(until: end, attempt)
            // A pause may have ended the wait.
            if attempt.limits.pacing?.isPaused ?? false { continue }
            try await waitForDownloadAllowance(attempt)
        } while attempt.limits.pacing?.isPaused ?? false
    }

    /// Waits until the rate limits allow some bytes of the response to be read.
    nonisolated(nonsending) func waitForDownloadAllowance(
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) {
        guard let pacing = attempt.limits.pacing else { return }
        while !pacing.isPaused, case .wait(let due) = pacing.allowance(.download, at: .now()) {
            try attempt.checkTotal()
            attempt.limits.throughput?.pause(at: .now())
            defer { attempt.limits.throughput?.resume(at: .now()) }
            // The rest of an upload is sent meanwhile.
            let sent = attempt.trace.metrics.bytesSent
            let interest = upload == nil ? [] : try advanceUpload(attempt).subtracting(.readable)
            if attempt.trace.metrics.bytesSent - sent >= BodyReadState.maxBytesPerTurn {
                try await endTurn(attempt)
            }
            let end = min(
                due,
                attempt.limits.totalDeadline,
                attempt.limits.drainDeadline,
                uploadDue
            )
            try await waitOrTimeOut(for: interest, until: end, before: attempt.limits.drainDeadline)
        }
    }

    /// Waits until the rate limits allow more bytes of the request, or a response may have arrived.
    nonisolated(nonsending) func waitForUploadAllowance(
        until due: Deadline,
        _ end: Deadline,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) {
        attempt.limits.throughput?.pause(at: .now())
        defer { attempt.limits.throughput?.resume(at: .now()) }
        let early: Readiness = canReadEarly(attempt) ? .readable : []
        let limit = min(end, attempt.limits.totalDeadline)
        try await waitOrTimeOut(for: early, until: min(due, limit), before: limit)
    }

    /// Waits for a readiness until a time that is not a timeout, unless `limit` has passed.
    private nonisolated(nonsending) func waitOrTimeOut(
        for readiness: Readiness,
        until time: Deadline,
        before limit: Deadline
    ) async throws(ExchangeError) {
        do {
            try await stream.wait(for: readiness, until: time)
        } catch {
            guard case .timedOut = error, .now() < limit else { throw .transport(error) }
        }
    }

    /// Waits while the call is paused, at most until the deadline for sending the whole body.
    nonisolated(nonsending) func waitWhileUploadPaused(
        until end: Deadline,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) {
        guard let pacing = attempt.limits.pacing else { return }
        attempt.limits.throughput?.pause(at: .now())
        defer { attempt.limits.throughput?.resume(at: .now()) }
        while pacing.isPaused {
            do {
                try await stream.wait(for: [], until: min(end, attempt.limits.totalDeadline))
            } catch {
                throw .transport(error)
            }
        }
    }

    /// Sends a body from memory within the rate limits and pauses.
    ///
    /// - Returns: as ``sendRest(behind:_:)``.
    nonisolated(nonsending) func pushPaced(
        _ bytes: ArraySlice<UInt8>,
        until end: Deadline,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> Bool {
        var rest = Upload(bytes, from: 0, until: end)
        while true {
            if attempt.limits.pacing?.isPaused ?? false {
                try await waitWhileUploadPaused(until: end, attempt)
                rest.restartIdleTime()
            }
            guard end == .never || .now() < end else { throw .transport(.timedOut(.write)) }
            let progress: StreamedUpload.Progress
            do {
                progress = try rest.advance(on: stream, attempt)
            } catch {
                guard case .transport(.closedByPeer(let errno)) = error else { throw error }
                try await receiveLastAnswer(attempt, behind: .closedByPeer(errno))
                return true
            }
            try attempt.checkThroughput()
            switch progress {
            case .complete: return false
            case .turnEnded: try await endTurn(attempt)
            case .paced(let due):
                try await waitForUploadAllowance(until: due, end, attempt)
                rest.restartIdleTime()
            case .needsRoom, .needsPiece:
                let early: Readiness = canReadEarly(attempt) ? .readable : []
                let idle = attempt.deadline(attempt.plan.timeouts.writeIdle, from: rest.movedLast)
                try await waitToSend(early.union(.writable), until: min(end, idle), attempt)
            }
            if try receiveEarly(attempt) { return true }
            if isAnsweredWhileSending(attempt) {
                upload = rest
                return true
            }
        }
    }
}

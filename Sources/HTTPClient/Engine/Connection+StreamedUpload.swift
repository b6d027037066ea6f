internal import SocketTransport
internal import Wire

extension Connection {
    // MARK: - Asking before the body is sent

    /// Waits until the peer wants the body, or has had time to say that it does not (RFC 9110
    /// §10.1.1).
    ///
    /// - Returns: true when a final response came in place of 100 (Continue): nobody wants the body.
    nonisolated(nonsending) func isBodyDeclined(_ call: Attempt) async throws(ExchangeError) -> Bool
    {
        let patience = call.deadline(call.plan.timeouts.continueResponse)
        while true {
            let isAnswered = try receiveHeadAtOnce(call)
            guard exchange.requestBodyAction == .wait else {
                // Before the protocol changes the request has to be complete (RFC 9110 §7.8).
                return isAnswered && exchange.requestBodyAction == .doNotSend
            }
            do {
                try await stream.wait(for: .readable, until: min(patience, call.throughputDeadline))
            } catch {
                if case .timedOut = error, patience <= .now(), patience < call.totalDeadline {
                    exchange.proceedWithoutContinue()
                    return false
                }
                try call.continueWait(after: error, until: patience)
            }
            _ = try fillInput(call)
        }
    }

    // MARK: - Sending what is made meanwhile

    /// Sends a body that is made piece by piece; reads meanwhile, as with a body that is there.
    ///
    /// - Returns: true when the head of the final response came before the request was sent. The rest
    ///   of a body that is still wanted is in ``Connection/upload`` then.
    nonisolated(nonsending) func sendPieces(
        of body: SizedBody,
        until end: Deadline,
        _ call: Attempt
    ) async throws(ExchangeError) -> Bool {
        let pieces: StreamedUpload
        do {
            pieces = try StreamedUpload(body, over: socket)
        } catch {
            throw .body(error)
        }
        call.upload = pieces
        while true {
            guard end == .never || .now() < end else { throw .transport(.timedOut(.write)) }
            let progress: StreamedUpload.Progress
            do {
                progress = try pieces.advance(on: stream, call)
            } catch {
                guard case .transport(.closedByPeer(let errno)) = error else { throw error }
                call.endUpload()
                try await receiveLastAnswer(call, behind: .closedByPeer(errno))
                return true
            }
            switch progress {
            case .complete: return false
            case .turnEnded: await Task.yield()
            case .needsRoom:
                let early: Readiness = canReadEarly(call) ? .readable : []
                let idle = call.deadline(call.plan.timeouts.writeIdle, from: pieces.movedLast)
                try await waitToSend(early.union(.writable), until: min(end, idle), call)
            case .needsPiece:
                try await waitForPiece(canReadEarly(call) ? .readable : [], until: end, call)
            }
            try call.checkThroughput()
            if try receiveEarly(call) {
                call.endUpload()
                return true
            }
            if isAnsweredWhileSending(call) {
                upload = Upload(pieces, until: end)
                return true
            }
        }
    }

    /// Waits for room, at the pace that is wanted.
    nonisolated(nonsending) func waitToSend(
        _ interest: Readiness,
        until deadline: Deadline,
        _ call: Attempt
    ) async throws(ExchangeError) {
        do {
            try await stream.wait(for: interest, until: min(deadline, call.throughputDeadline))
        } catch {
            try call.continueWait(after: error, until: deadline)
        }
    }

    /// Waits for the program to make a piece, which it does at its own pace.
    nonisolated(nonsending) func waitForPiece(
        _ interest: Readiness,
        until deadline: Deadline,
        _ call: Attempt
    ) async throws(ExchangeError) {
        call.throughput?.pause(at: .now())
        defer { call.throughput?.resume(at: .now()) }
        do {
            try await stream.wait(for: interest, until: deadline)
        } catch {
            throw .transport(error)
        }
    }
}

extension Attempt {
    /// Makes and sends no more of the body.
    func endUpload() {
        guard let upload else { return }
        upload.stop()
        self.upload = nil
    }
}

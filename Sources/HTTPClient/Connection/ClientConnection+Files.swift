internal import SocketTransport
internal import Wire

// To change how bodies are written to files: this file decides between memory and splice(2). `DownloadWriter` and
// `HTTPStreamedResponse+Files` write what it returns, on a thread of `FileThreads`; for a descriptor of the caller,
// `HTTPStreamedResponse+Descriptors` does so with `OutputDescriptor`. The tests are `FileTransferTests`,
// `SocketStreamTests`, `PowerFailureTests`, `SlowFileTests` and `DescriptorOutputTests`.

/// Reading a body for a file.
extension ClientConnection {
    /// The bytes that a step collects before it ends, while the peer sends slowly.
    private static let minBatch = 256 << 10
    /// How long a step waits for more bytes, in nanoseconds.
    ///
    /// Switching to a file thread for each packet would cost more than moving its bytes. Progress
    /// is not delayed visibly.
    private static let maxBatchTime: Int64 = 10_000_000

    /// Receives up to `limit` bytes of decoded body into `transfer`; waits until there are some.
    ///
    /// Bytes that arrived before an error are in `transfer`.
    nonisolated(nonsending) func readBody(
        into transfer: FileTransfer,
        atMost limit: Int,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> BodyReadState.Progress {
        if attempt.limits.pacing != nil { try await waitWhilePaused(attempt) }
        if let pipe = usablePipe(transfer, limit, attempt) {
            // The task changes threads before and after this step, so other work has its turn.
            readState.bytesOfTurn = 0
            switch try await receiveBody(into: pipe, atMost: limit, attempt) {
            case .bytes:
                attempt.recordBytes()
                guard exchange.readRemainingLength() == 0 else { return .more }
                var none: [UInt8] = []
                return try readBodyAtOnce(into: &none, atMost: 1, attempt)
            case .complete: break
            case .unsupported: transfer.disablePipe()
            }
        }
        return try await readIntoMemory(transfer, atMost: limit, attempt)
    }

    /// Moves bytes of the body that have arrived into `transfer`, without waiting.
    ///
    /// It moves nothing where the function for memory appends nothing. Even a few bytes are a step,
    /// because the caller can write them without changing threads.
    func readArrivedBody(
        into transfer: FileTransfer,
        atMost limit: Int,
        _ attempt: RequestAttempt
    ) throws(ExchangeError) {
        guard beginReadingArrived(limit, attempt) else { return }
        guard let pipe = usablePipe(transfer, limit, attempt) else {
            var bytes = transfer.takeBuffer()
            defer { transfer.bytes = bytes }
            bytes.reserveCapacity(min(limit, FileTransfer.bufferSize))
            let limit = min(limit, FileTransfer.bufferSize)
            return try appendArrived(to: &bytes, atMost: limit, attempt)
        }
        let end = min(limit, pipe.capacity)
        while pipe.count < end {
            let outcome: PipeReceiveOutcome
            do {
                outcome = try socket.receive(into: pipe, end - pipe.count)
            } catch {
                throw .transport(error)
            }
            switch outcome {
            case .bytes(let count):
                recordDirectRead(count, attempt)
                readState.bytesOfTurn += count
                continue
            case .full, .unsupported, .wouldBlock: break
            case .end: receiving = .ended
            }
            break
        }
        if pipe.count > 0 { attempt.recordBytes() }
    }

    private nonisolated(nonsending) func readIntoMemory(
        _ transfer: FileTransfer,
        atMost limit: Int,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> BodyReadState.Progress {
        var bytes = transfer.takeBuffer()
        defer { transfer.bytes = bytes }
        let room = min(limit, FileTransfer.bufferSize)
        // A body that fills the buffer once will do so again; growing would copy it.
        if exchange.readRemainingLength() ?? 0 >= FileTransfer.bufferSize {
            bytes.reserveCapacity(room)
        }
        return try await readBody(into: &bytes, atMost: room, attempt)
    }

    /// Returns the pipe if the kernel can move the rest of the body; nil if it must be read.
    ///
    /// Bytes that arrived with the head, chunks, coded bodies and TLS have to be read. A rate limit
    /// needs small steps, for which a pipe saves nothing.
    private func usablePipe(
        _ transfer: FileTransfer,
        _ limit: Int,
        _ attempt: RequestAttempt
    ) -> TransferPipe? {
        guard secured == nil, input?.isEmpty ?? true, !readState.isCoded, !isReceivingEnded,
            attempt.limits.pacing?.limitsDownload != true
        else { return nil }
        let rest = unreadLength(attempt)
        return rest >= BodyReadState.directMinimum ? transfer.pipe(forRest: rest, step: limit) : nil
    }

    /// The number of bytes that certainly belong to the body if they arrive; 0 if it is chunked.
    func unreadLength(_ attempt: RequestAttempt) -> Int {
        let part = attempt.received.partLength - readState.bytes
        switch responseBody.framing {
        case .noBody, .chunked: return 0
        case .length: return min(exchange.readRemainingLength() ?? 0, part)
        case .untilClose: return part
        }
    }

    private enum PipeProgress {
        /// Bytes are in the pipe.
        case bytes
        /// The pipe is empty, and no further byte can go through it.
        case complete
        case unsupported
    }

    /// Moves up to `limit` bytes of the body from the socket into the pipe.
    private nonisolated(nonsending) func receiveBody(
        into pipe: TransferPipe,
        atMost limit: Int,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> PipeProgress {
        // A pipe can hold more than its capacity, because the pages of a socket can be large.
        let limit = min(limit, pipe.capacity)
        var batchEnd: Deadline?
        while true {
            let room = min(limit - pipe.count, unreadLength(attempt))
            guard room > 0 else { return pipe.count > 0 ? .bytes : .complete }
            // It returns at once if the socket is readable, but checks deadlines and cancellation.
            if pipe.count == 0 { try await waitForBody(attempt) }
            let outcome: PipeReceiveOutcome
            do {
                outcome = try socket.receive(into: pipe, room)
            } catch {
                throw .transport(error)
            }
            switch outcome {
            case .bytes(let count): recordDirectRead(count, attempt)
            case .full: return .bytes
            case .end:
                receiving = .ended
                return pipe.count > 0 ? .bytes : .complete
            case .unsupported: return pipe.count > 0 ? .bytes : .unsupported
            case .wouldBlock:
                guard pipe.count > 0 else { continue }
                if pipe.count >= Self.minBatch { return .bytes }
                let end = batchEnd ?? .now().advanced(byNanoseconds: Self.maxBatchTime)
                batchEnd = end
                if try await !waitBriefly(until: end, attempt) { return .bytes }
            }
        }
    }

    /// Waits a short time for more bytes.
    ///
    /// - Returns: whether some may have arrived.
    private nonisolated(nonsending) func waitBriefly(
        until brief: Deadline,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> Bool {
        let end = bodyDeadline(attempt)
        do {
            try await waitReadable(until: min(brief, end), attempt)
            return .now() < brief && attempt.limits.pacing?.isPaused != true
        } catch {
            guard case .transport(.timedOut) = error, brief <= .now(), .now() < end,
                !attempt.limits.isTooSlow
            else { throw error }
            return false
        }
    }
}

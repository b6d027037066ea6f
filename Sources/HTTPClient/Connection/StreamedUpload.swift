internal import SocketTransport
internal import Wire

/// A request body that is produced while it is sent; one for each attempt.
///
/// A task on Swift's concurrent pool produces the pieces and puts them into a channel. It is not a
/// child task of the call: a sequence that ignores cancellation must not keep the caller waiting.
/// It is canceled when its pieces are no longer sent, at the latest when this object is released.
///
/// On a connection without TLS, files of a body with known length are sent with sendfile(2). The
/// task opens the file and waits for the disk; the loop only sends what is in the page cache.
///
/// Loop-confined.
final class StreamedUpload {
    /// The event that sending waits for.
    enum Progress {
        case complete
        case needsRoom
        /// The caller's code has not produced the next bytes yet.
        case needsPiece
        /// Nothing: other work on the loop gets a turn.
        case turnEnded
        /// A rate limit allows no more bytes before this time.
        case paced(until: Deadline)

        var isTurnEnded: Bool {
            if case .turnEnded = self { true } else { false }
        }
    }

    /// Bytes or a region of a file.
    private enum Piece {
        case bytes([UInt8])
        case file(FileRegion)
    }

    private let channel: UploadChannel
    private let socket: SocketStream
    private let waker: SocketWaker
    private let producer: Task<Void, Never>
    private var encoder: BodyEncoder
    private let isChunked: Bool
    private let announced: Int?
    /// The framed bytes that are being sent.
    private var bytes: [UInt8] = []
    /// The number of them already sent.
    private var offset = 0
    /// The region of a file that is being sent; it follows `bytes`.
    private var region: FileRegion?
    /// The rest of a large piece that is sent in several chunks.
    private var rest: ArraySlice<UInt8> = []
    /// The piece with the last of the announced bytes.
    ///
    /// It is kept back until the body has ended: once sent, the request is complete for the peer.
    private var last: Piece?
    /// Whether the whole body has been framed.
    private var isEnded = false
    private(set) var movedLast = Deadline.now()

    private static let chunkSize = 64 << 10

    /// A callback that wakes the loop when a piece is available.
    private final class SocketWaker {
        /// The socket to wake; nil after the upload has ended.
        var socket: SocketStream?

        init(_ socket: SocketStream) { self.socket = socket }
    }

    /// Begins to produce the body; call on the loop, in the task of the call.
    ///
    /// - Parameters:
    ///   - body: the body.
    ///   - socket: the socket that carries the request.
    ///   - files: how files are sent; regions require a known length, and a socket without TLS.
    /// - Throws: `.notReplayable` if another call has begun to produce a body that is single-use.
    init(
        _ body: SizedBody,
        over socket: SocketStream,
        files: SizedBody.FileForm
    ) throws(BodyError) {
        guard body.begin() else { throw BodyError(.notReplayable(.first)) }
        self.socket = socket
        let waker = SocketWaker(socket)
        self.waker = waker
        let loop = socket.loop
        let loopBoundWaker = LoopBound(waker, on: loop)
        let channel = UploadChannel {
            loop.post { loopBoundWaker.value.socket?.interruptWait() }
        }
        self.channel = channel
        announced = body.length
        isChunked = body.length == nil
        encoder = BodyEncoder(body.length.map { .length($0) } ?? .chunked)
        producer = Task(executorPreference: loop.simulatedExecutor) {
            do {
                channel.finish(trailers: try await body.send(to: channel, files: files))
            } catch {
                channel.fail(error)
            }
        }
    }

    deinit {
        channel.close()
        producer.cancel()
    }

    /// Stops producing and sending.
    func stop() {
        waker.socket = nil
        channel.close()
        producer.cancel()
    }

    /// Restarts the time that ``HTTPTimeouts/writeIdle`` limits, after a wait that the peer did not cause.
    func restartIdleTime() { movedLast = .now() }

    /// Sends what can be sent without waiting.
    ///
    /// - Throws: `.body` if the body cannot be produced or does not have the announced length;
    ///   any error of the stream.
    func advance(
        on stream: any ByteStream,
        _ attempt: RequestAttempt
    ) throws(ExchangeError) -> Progress {
        var budget = BodyReadState.maxBytesPerTurn
        while true {
            if offset < bytes.count {
                let allowed: Int
                switch allowance(attempt) {
                case .wait(let due): return .paced(until: due)
                case .bytes(let count): allowed = count
                }
                let sent = try send(on: stream, atMost: min(budget, allowed), attempt)
                guard sent > 0 else { return .needsRoom }
                budget -= sent
                if budget <= 0 { return .turnEnded }
            } else if let part = region {
                let allowed: Int
                switch allowance(attempt) {
                case .wait(let due): return .paced(until: due)
                case .bytes(let count): allowed = count
                }
                let sent = try send(part, atMost: min(budget, allowed), attempt)
                guard sent > 0 || offset < bytes.count else { return .needsRoom }
                budget -= sent
                if budget <= 0 { return .turnEnded }
            } else if isEnded {
                guard try flush(stream) else { return .needsRoom }
                waker.socket = nil
                return .complete
            } else if try !refill() {
                return try flush(stream) ? .needsPiece : .needsRoom
            }
        }
    }

    /// How many bytes the rate limits allow now.
    private func allowance(_ attempt: RequestAttempt) -> TransferPacing.Allowance {
        attempt.limits.pacing == nil ? .bytes(.max) : attempt.uploadAllowance
    }

    private func send(
        on stream: any ByteStream,
        atMost limit: Int,
        _ attempt: RequestAttempt
    ) throws(ExchangeError) -> Int {
        do {
            let outgoing = bytes
            let end = offset + min(limit, outgoing.count - offset)
            let sent = try stream.send(outgoing.span.extracting(offset..<end))
            guard sent > 0 else { return 0 }
            offset += sent
            if let pacing = attempt.limits.pacing { pacing.moved(sent, .upload) }
            attempt.trace.metrics.bytesSent += sent
            attempt.recordBytes()
            movedLast = .now()
            return sent
        } catch {
            throw .transport(error)
        }
    }

    /// Sends a part of a file inside the kernel.
    ///
    /// - Parameters:
    ///   - part: the current region.
    ///   - limit: the maximum number of bytes.
    ///   - attempt: the attempt.
    /// - Returns: the number of bytes sent; 0 if the socket accepts none, or if the region was read
    ///   into memory instead.
    /// - Throws: the error of the socket; `.body` if the file cannot be read or has become shorter.
    private func send(
        _ part: FileRegion,
        atMost limit: Int,
        _ attempt: RequestAttempt
    ) throws(ExchangeError) -> Int {
        let outcome: FileSendOutcome
        do {
            outcome = try socket.send(part.file, from: part.offset, min(part.count, limit))
        } catch {
            throw .transport(error)
        }
        switch outcome {
        case .bytes(let sent):
            advanceRegion(by: sent)
            if let pacing = attempt.limits.pacing { pacing.moved(sent, .upload) }
            attempt.trace.metrics.bytesSent += sent
            attempt.recordBytes()
            movedLast = .now()
            return sent
        case .wouldBlock: return 0
        case .endOfFile: throw .body(BodyError(.file(part.path, .changed)))
        case .unsupported:
            try read(part)
            return 0
        }
    }

    private func advanceRegion(by count: Int) {
        region?.advance(by: count)
        if region?.count == 0 { region = nil }
    }

    /// Reads the beginning of a region into memory, for a file that the kernel cannot send.
    ///
    /// The pages are in the page cache, so the loop does not wait for the disk.
    private func read(_ part: FileRegion) throws(ExchangeError) {
        do {
            bytes = try part.file.read(min(part.count, Self.chunkSize), at: part.offset)
        } catch {
            throw .body(BodyError(.file(part.path, HTTPError.FileError(error))))
        }
        guard !bytes.isEmpty else { throw .body(BodyError(.file(part.path, .changed))) }
        offset = 0
        advanceRegion(by: bytes.count)
    }

    private func flush(_ stream: any ByteStream) throws(ExchangeError) -> Bool {
        do {
            return try stream.flush()
        } catch {
            throw .transport(error)
        }
    }

    // MARK: - Framing

    /// Frames the next bytes; false if the caller's code has produced no more so far.
    private func refill() throws(ExchangeError) -> Bool {
        do {
            offset = 0
            return isChunked ? try refillChunks() : try refillPiece()
        } catch let failure as BodyError {
            throw .body(failure)
        } catch let error as WireError {
            throw .body(BodyError(reason(of: error)))
        } catch {
            throw .body(BodyError(.thrown(description: "\(error)"), underlying: error))
        }
    }

    /// Takes the next piece without framing, because the length was announced.
    private func refillPiece() throws -> Bool {
        bytes = []
        while true {
            switch channel.take() {
            case .nothing: return false
            case .failed(let error): throw error
            case .end:
                try encoder.finish(into: &bytes)
                if let last = last.take() { begin(last) }
                isEnded = true
                return true
            case .piece(let piece):
                if try beginUnlessLast(.bytes(piece), piece.count) { return true }
            case .file(let region):
                if try beginUnlessLast(.file(region), region.count) { return true }
            }
        }
    }

    /// Begins to send a piece, or keeps it back if it has the last of the announced bytes.
    private func beginUnlessLast(_ piece: Piece, _ count: Int) throws -> Bool {
        try encoder.begin(count, into: &bytes)
        guard encoder.sent == announced else {
            begin(piece)
            return true
        }
        last = piece
        return false
    }

    private func begin(_ piece: Piece) {
        switch piece {
        case .bytes(let piece): bytes = piece
        case .file(let region): self.region = region
        }
    }

    /// Frames the available pieces, up to the size of a chunk.
    private func refillChunks() throws -> Bool {
        bytes.removeAll(keepingCapacity: true)
        while bytes.count < Self.chunkSize {
            if rest.isEmpty {
                switch channel.take() {
                case .nothing: return !bytes.isEmpty
                case .failed(let error): throw error
                case .end(let trailers):
                    try encoder.finish(trailers: trailers, into: &bytes)
                    isEnded = true
                    return true
                case .piece(let piece): rest = piece[...]
                case .file: preconditionFailure("regions are only for bodies with known length")
                }
            }
            let chunk = rest.prefix(Self.chunkSize)
            rest = rest.dropFirst(chunk.count)
            try encoder.begin(chunk.count, into: &bytes)
            bytes += chunk
            encoder.end(into: &bytes)
        }
        return true
    }

    private func reason(of error: WireError) -> HTTPError.BodyReason {
        switch error {
        case .bodyTooLong(let announced): .tooLong(expected: announced)
        case .bodyTooShort(let announced, let sent): .tooShort(expected: announced, sent: sent)
        // The encoder checks nothing else: the content is not encoded.
        default: .invalidTrailer(error)
        }
    }
}

internal import SocketTransport
internal import Wire

/// A request body that is produced while it is sent; one for each attempt.
///
/// A task on Swift's concurrent pool produces the pieces and puts them into a channel. It is not a
/// child task of the call: a sequence that ignores cancellation must not keep the caller waiting.
/// It is canceled when its pieces are no longer sent, at the latest when this object is released.
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

    private let channel: UploadChannel
    private let waker: SocketWaker
    private let producer: Task<Void, Never>
    private var encoder: BodyEncoder
    private let isChunked: Bool
    private let announced: Int?
    /// The framed bytes that are being sent.
    private var bytes: [UInt8] = []
    /// The number of them already sent.
    private var offset = 0
    /// The rest of a large piece that is sent in several chunks.
    private var rest: ArraySlice<UInt8> = []
    /// The piece with the last of the announced bytes.
    ///
    /// It is kept back until the body has ended: once sent, the request is complete for the peer.
    private var last: [UInt8]?
    /// Whether the whole body has been framed.
    private var isEnded = false
    private(set) var movedLast = Deadline.now()

    /// The bytes after which other work on the loop gets a turn.
    private static let maxBytesPerTurn = 1 << 20
    private static let chunkSize = 64 << 10

    /// A callback that wakes the loop when a piece is available.
    private final class SocketWaker {
        /// The socket to wake; nil after the upload has ended.
        var socket: SocketStream?

        init(_ socket: SocketStream) { self.socket = socket }
    }

    /// Begins to produce the body; call on the loop, in the task of the call.
    ///
    /// - Throws: `.notReplayable` if another call has begun to produce a body that is single-use.
    init(_ body: SizedBody, over socket: SocketStream) throws(BodyError) {
        guard body.begin() else { throw BodyError(.notReplayable(.first)) }
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
                channel.finish(trailers: try await body.send(to: channel))
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
        var budget = Self.maxBytesPerTurn
        while true {
            if offset < bytes.count {
                var allowed = Int.max
                if attempt.pacing != nil {
                    switch attempt.uploadAllowance {
                    case .wait(let due): return .paced(until: due)
                    case .bytes(let count): allowed = count
                    }
                }
                let sent = try send(on: stream, atMost: allowed, attempt)
                guard sent > 0 else { return .needsRoom }
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
            if let pacing = attempt.pacing { pacing.moved(sent, .upload) }
            attempt.metrics.bytesSent += sent
            attempt.recordBytes()
            movedLast = .now()
            return sent
        } catch {
            throw .transport(error)
        }
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
            throw .body(BodyError(problem(of: error)))
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
                bytes = last.take() ?? []
                isEnded = true
                return true
            case .piece(let piece):
                try encoder.begin(piece.count, into: &bytes)
                guard encoder.sent == announced else {
                    bytes = piece
                    return true
                }
                last = piece
            }
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

    private func problem(of error: WireError) -> HTTPBodyFailureReason {
        switch error {
        case .bodyTooLong(let announced): .tooLong(expected: announced)
        case .bodyTooShort(let announced, let sent): .tooShort(expected: announced, sent: sent)
        // The encoder checks nothing else: the content is not encoded.
        default: .invalidTrailer(error)
        }
    }
}

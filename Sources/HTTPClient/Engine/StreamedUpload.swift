internal import SocketTransport
internal import Wire

/// Sends a body that is made while it is sent; one for each attempt.
///
/// A task on Swift's concurrent pool makes the pieces and puts them into a channel. It is no child
/// of the call: a sequence that does not heed its cancellation must not keep the caller waiting. It
/// is cancelled when nobody sends its pieces any more, at the latest when this object goes.
///
/// Loop-confined.
final class StreamedUpload {
    /// Says what sending on waits for.
    enum Standing {
        case complete
        case needsRoom
        /// The program has not made the next octets yet.
        case needsPiece
        /// Nothing: others on the loop have their turn.
        case turnOver
    }

    private let channel: UploadChannel
    private let bell: Bell
    private let maker: Task<Void, Never>
    private var encoder: BodyEncoder
    private let isChunked: Bool
    private let announced: Int?
    /// Framed and on their way.
    private var octets: [UInt8] = []
    /// How many of them are gone.
    private var offset = 0
    /// The rest of a large piece that is sent in several chunks.
    private var rest: ArraySlice<UInt8> = []
    /// The piece with the last octets that were announced; it is kept back until it is known that
    /// nothing follows, for with it the peer takes the request for complete.
    private var last: [UInt8]?
    /// Everything has been framed.
    private var isEnded = false
    private(set) var movedLast = Deadline.now()

    /// Octets after which others on the loop have their turn.
    private static let turn = 1 << 20
    private static let chunkSize = 64 << 10

    /// Rings on the loop when the program has made something.
    private final class Bell {
        /// nil when nobody listens any more.
        var socket: SocketStream?

        init(_ socket: SocketStream) { self.socket = socket }
    }

    /// Begins to make the body; on the loop, in the task of the call.
    ///
    /// - Throws: `.notReplayable` when another call has begun to make a body that can be made once.
    init(_ body: MeasuredBody, over socket: SocketStream) throws(BodyFailure) {
        guard body.begin() else { throw BodyFailure(.notReplayable(.first)) }
        let bell = Bell(socket)
        self.bell = bell
        let loop = socket.loop
        let door = LoopBound(bell, on: loop)
        let channel = UploadChannel {
            loop.post { door.value.socket?.wakeWait() }
        }
        self.channel = channel
        announced = body.length
        isChunked = body.length == nil
        encoder = BodyEncoder(body.length.map { .length($0) } ?? .chunked)
        maker = Task {
            do {
                try await body.make(into: channel)
                channel.finish()
            } catch {
                channel.fail(error)
            }
        }
    }

    deinit {
        channel.close()
        maker.cancel()
    }

    /// Makes and sends no more.
    func stop() {
        bell.socket = nil
        channel.close()
        maker.cancel()
    }

    /// Sends what can be sent without waiting.
    ///
    /// - Throws: `.body` when the body cannot be made or is not as long as announced; what the stream
    ///   throws.
    func advance(
        on stream: any ByteStream,
        _ call: Call
    ) throws(ExchangeFailure) -> Standing {
        var budget = Self.turn
        while true {
            if offset < octets.count {
                let sent = try send(on: stream, call)
                guard sent > 0 else { return .needsRoom }
                budget -= sent
                if budget <= 0 { return .turnOver }
            } else if isEnded {
                guard try flush(stream) else { return .needsRoom }
                bell.socket = nil
                return .complete
            } else if try !refill() {
                return try flush(stream) ? .needsPiece : .needsRoom
            }
        }
    }

    private func send(
        on stream: any ByteStream,
        _ call: Call
    ) throws(ExchangeFailure) -> Int {
        do {
            let outgoing = octets
            let sent = try stream.send(outgoing.span.extracting(offset...))
            guard sent > 0 else { return 0 }
            offset += sent
            call.metrics.bytesSent += sent
            movedLast = .now()
            return sent
        } catch {
            throw .transport(error)
        }
    }

    private func flush(_ stream: any ByteStream) throws(ExchangeFailure) -> Bool {
        do {
            return try stream.flush()
        } catch {
            throw .transport(error)
        }
    }

    // MARK: - Framing

    /// Frames what comes next; false when the program has made nothing more so far.
    private func refill() throws(ExchangeFailure) -> Bool {
        do {
            offset = 0
            return isChunked ? try refillChunks() : try refillPiece()
        } catch let failure as BodyFailure {
            throw .body(failure)
        } catch let error as WireError {
            throw .body(BodyFailure(problem(of: error)))
        } catch {
            throw .body(BodyFailure(.thrown(description: "\(error)"), underlying: error))
        }
    }

    /// Passes the next piece on as it is: its length was announced.
    private func refillPiece() throws -> Bool {
        octets = []
        while true {
            switch channel.take() {
            case .nothing: return false
            case .failed(let error): throw error
            case .end:
                try encoder.finish(into: &octets)
                octets = last.take() ?? []
                isEnded = true
                return true
            case .piece(let piece):
                try encoder.begin(piece.count, into: &octets)
                guard encoder.sent == announced else {
                    octets = piece
                    return true
                }
                last = piece
            }
        }
    }

    /// Frames as much as is there, up to the size of a chunk.
    private func refillChunks() throws -> Bool {
        octets.removeAll(keepingCapacity: true)
        while octets.count < Self.chunkSize {
            if rest.isEmpty {
                switch channel.take() {
                case .nothing: return !octets.isEmpty
                case .failed(let error): throw error
                case .end:
                    try encoder.finish(into: &octets)
                    isEnded = true
                    return true
                case .piece(let piece): rest = piece[...]
                }
            }
            let chunk = rest.prefix(Self.chunkSize)
            rest = rest.dropFirst(chunk.count)
            try encoder.begin(chunk.count, into: &octets)
            octets += chunk
            encoder.end(into: &octets)
        }
        return true
    }

    private func problem(of error: WireError) -> HTTPBodyProblem {
        switch error {
        case .bodyTooLong(let announced): .tooLong(announced: announced)
        case .bodyTooShort(let announced, let sent): .tooShort(announced: announced, sent: sent)
        default: .thrown(description: "\(error)")
        }
    }
}

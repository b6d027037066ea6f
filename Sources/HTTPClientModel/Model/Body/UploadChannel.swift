internal import SocketTransport
package import Wire

/// A channel for the pieces of a body, from the task that produces them to the event loop that sends
/// them.
///
/// Its capacity is small: the producer waits until some of the pieces are sent.
package final class UploadChannel: Sendable {
    /// The result of taking a piece.
    package enum TakeResult: Sendable {
        case piece([UInt8])
        /// A region of a file; its pages are in the page cache.
        case file(FileRegion)
        /// No piece yet; the channel calls `wake` when there is one.
        case nothing
        /// The content has ended; the trailers follow, and are usually empty.
        case end(trailers: HTTPHeaders)
        case failed(any Error)
    }

    private enum Phase {
        case open
        case finished(trailers: HTTPHeaders)
        case failed(any Error)
        /// The consumer needs no more pieces.
        case closed
    }

    private enum Piece: Sendable {
        case bytes([UInt8])
        case file(FileRegion)

        var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .file(let region): region.count
            }
        }
    }

    private struct State: Sendable {
        var phase = Phase.open
        var pieces: ArraySlice<Piece> = []
        /// The number of bytes in `pieces`.
        var bytes = 0
        /// Whether the event loop found no piece and waits for a wake-up.
        var isAwaited = false
        /// The producer, if it waits for room.
        var producer: CheckedContinuation<Void, Never>?

        mutating func answerCall() -> Bool {
            defer { isAwaited = false }
            return isAwaited
        }

        mutating func append(_ piece: [UInt8]) {
            bytes += piece.count
            // The last piece is taken out, so that it is extended in place.
            if case .bytes(var last)? = pieces.last,
                last.count + piece.count <= UploadChannel.joinedSize
            {
                pieces.removeLast()
                last += piece
                pieces.append(.bytes(last))
            } else {
                pieces.append(.bytes(piece))
            }
        }
    }

    /// The capacity in bytes, which one piece may exceed.
    package static let capacity = 256 << 10
    /// The size up to which small pieces are joined, to save system calls.
    private static let joinedSize = 64 << 10

    private let state = Locked(State())
    /// Wakes the event loop when there is something to take; called on any thread.
    private let wake: @Sendable () -> Void

    package init(wake: @escaping @Sendable () -> Void) {
        self.wake = wake
    }

    // MARK: - Producer

    /// Whether the consumer needs no more pieces.
    package var isClosed: Bool {
        state.withLock { if case .closed = $0.phase { true } else { false } }
    }

    /// Adds a piece and waits until there is room for more.
    ///
    /// - Throws: `CancellationError` if the consumer needs no more pieces.
    package func send(_ piece: [UInt8]) async throws {
        try await add { state in
            guard !piece.isEmpty else { return false }
            state.append(piece)
            return true
        }
    }

    /// Adds a region of a file and waits until there is room for more.
    ///
    /// A region usually exceeds the capacity. The producer then continues when the loop takes it,
    /// and prepares the next one while the loop sends this one.
    ///
    /// - Parameter region: a region that is not empty.
    /// - Throws: `CancellationError` if the consumer needs no more pieces.
    package func send(_ region: FileRegion) async throws {
        try await add { state in
            state.pieces.append(.file(region))
            state.bytes += region.count
            return true
        }
    }

    /// Adds to an open channel and waits until there is room for more.
    private func add(_ change: (inout State) -> Bool) async throws {
        let (isOpen, isFull, wasAwaited) = state.withLock { state in
            guard case .open = state.phase else { return (false, false, false) }
            guard change(&state) else { return (true, false, false) }
            return (true, state.bytes >= Self.capacity, state.answerCall())
        }
        guard isOpen else { throw CancellationError() }
        if wasAwaited { wake() }
        guard isFull else { return }
        await withCheckedContinuation { continuation in
            let isRoom = state.withLock { state in
                guard case .open = state.phase, state.bytes > Self.capacity / 2 else { return true }
                state.producer = continuation
                return false
            }
            if isRoom { continuation.resume() }
        }
        guard !isClosed else { throw CancellationError() }
    }

    /// Marks the end of the content.
    package func finish(trailers: HTTPHeaders = HTTPHeaders()) {
        end(.finished(trailers: trailers))
    }

    /// Ends the content with an error.
    package func fail(_ error: any Error) { end(.failed(error)) }

    private func end(_ phase: Phase) {
        let wasAwaited = state.withLock { state in
            guard case .open = state.phase else { return false }
            state.phase = phase
            return state.answerCall()
        }
        if wasAwaited { wake() }
    }

    // MARK: - Event loop

    /// Takes the next piece; an error takes precedence over remaining pieces.
    package func take() -> TakeResult {
        let (taken, producer) = state.withLock {
            state -> sending (TakeResult, CheckedContinuation<Void, Never>?) in
            if case .failed(let error) = state.phase { return (.failed(error), nil) }
            guard let piece = state.pieces.popFirst() else {
                switch state.phase {
                case .open:
                    state.isAwaited = true
                    return (.nothing, nil)
                case .failed(let error): return (.failed(error), nil)
                case .finished(let trailers): return (.end(trailers: trailers), nil)
                // Not `.end`, because what was sent so far is not the whole body.
                case .closed: return (.failed(CancellationError()), nil)
                }
            }
            state.bytes -= piece.count
            let taken: TakeResult =
                switch piece {
                case .bytes(let bytes): .piece(bytes)
                case .file(let region): .file(region)
                }
            guard state.bytes <= Self.capacity / 2 else { return (taken, nil) }
            return (taken, state.producer.take())
        }
        producer?.resume()
        return taken
    }

    /// Closes the channel and resumes a waiting producer, whose next `send` throws.
    package func close() {
        let producer = state.withLock { state in
            if case .open = state.phase { state.phase = .closed }
            state.pieces = []
            state.bytes = 0
            return state.producer.take()
        }
        producer?.resume()
    }
}

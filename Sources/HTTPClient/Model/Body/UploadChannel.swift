internal import SocketTransport

/// Carries the pieces of a body from the task that makes them to the loop that sends them.
///
/// It holds little: who makes more waits until some of it is sent.
package final class UploadChannel: Sendable {
    /// Says what the loop finds.
    package enum TakeResult: Sendable {
        case piece([UInt8])
        /// Nothing yet; the wake rings when there is something.
        case nothing
        case end
        case failed(any Error)
    }

    private enum Phase {
        case open
        case finished
        case failed(any Error)
        /// Nobody wants any more.
        case closed
    }

    private struct State: Sendable {
        var phase = Phase.open
        var pieces: ArraySlice<[UInt8]> = []
        /// Bytes of `pieces`.
        var bytes = 0
        /// The loop has found nothing and wants to be told.
        var isAwaited = false
        /// Waits for room.
        var producer: CheckedContinuation<Void, Never>?

        mutating func answerCall() -> Bool {
            defer { isAwaited = false }
            return isAwaited
        }
    }

    /// Bytes that lie ready, give or take a piece.
    package static let capacity = 256 << 10
    /// Small pieces are joined up to this size, so that each is worth a system call.
    private static let joinedSize = 64 << 10

    private let state = Locked(State())
    /// Tells the loop that there is something; called on any thread.
    private let wake: @Sendable () -> Void

    package init(wake: @escaping @Sendable () -> Void) {
        self.wake = wake
    }

    // MARK: - For who makes pieces

    /// Whether nobody wants any more.
    package var isClosed: Bool {
        state.withLock { if case .closed = $0.phase { true } else { false } }
    }

    /// Adds a piece, and waits until there is room for more.
    ///
    /// - Throws: `CancellationError` when nobody wants any more.
    package func send(_ piece: [UInt8]) async throws {
        let (isOpen, isFull, wasAwaited) = state.withLock { state in
            guard case .open = state.phase else { return (false, false, false) }
            guard !piece.isEmpty else { return (true, false, false) }
            let last = state.pieces.endIndex - 1
            if !state.pieces.isEmpty,
                state.pieces[last].count + piece.count <= Self.joinedSize
            {
                state.pieces[last] += piece
            } else {
                state.pieces.append(piece)
            }
            state.bytes += piece.count
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

    /// Says that the last piece was sent.
    package func finish() { end(.finished) }

    /// Says that there will be no more pieces, because of an error.
    package func fail(_ error: any Error) { end(.failed(error)) }

    private func end(_ phase: Phase) {
        let wasAwaited = state.withLock { state in
            guard case .open = state.phase else { return false }
            state.phase = phase
            return state.answerCall()
        }
        if wasAwaited { wake() }
    }

    // MARK: - For the loop

    /// Takes what comes next; an error is found before pieces that nobody needs any more.
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
                case .finished: return (.end, nil)
                // Never the end: what was sent so far is not the whole body.
                case .closed: return (.failed(CancellationError()), nil)
                }
            }
            state.bytes -= piece.count
            guard state.bytes <= Self.capacity / 2 else { return (.piece(piece), nil) }
            return (.piece(piece), state.producer.take())
        }
        producer?.resume()
        return taken
    }

    /// Wants no more: whoever makes pieces is told, at once if it waits.
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

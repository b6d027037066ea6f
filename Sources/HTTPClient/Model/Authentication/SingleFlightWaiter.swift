internal import SocketTransport

/// A wait for the result of shared work, which also ends when the waiting task is canceled.
final class SingleFlightWaiter<End: Sendable>: Sendable {

    private enum State: Sendable {
        case idle
        case waiting(CheckedContinuation<End, Never>)
        case over(End)
    }

    private let state = Locked(State.idle)

    /// Waits for ``finish(_:)``.
    ///
    /// It can be called only once.
    func end() async -> End {
        await withCheckedContinuation { continuation in
            let early: End? = state.withLock { state in
                if case .over(let end) = state { return end }
                state = .waiting(continuation)
                return nil
            }
            if let early { continuation.resume(returning: early) }
        }
    }

    /// Ends the wait with a result; only the first call has an effect.
    func finish(_ end: End) {
        let waiting: CheckedContinuation<End, Never>? = state.withLock { state in
            defer { if case .over = state {} else { state = .over(end) } }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: end)
    }
}

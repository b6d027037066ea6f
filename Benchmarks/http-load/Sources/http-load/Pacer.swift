private import Dispatch
private import Glibc
internal import Synchronization

/// Hands out the requests of an open load when they are due.
///
/// A thread of its own sleeps until the next request is due, and resumes a connection that waits for one. If all
/// connections are busy, requests queue up, and each keeps the time at which it was due.
final class Pacer: Sendable {
    private struct State {
        /// The requests that were due and wait for a connection: those of `first` and after.
        var late: [Int64] = []
        var first = 0
        var waiting: [CheckedContinuation<Int64?, Never>] = []
        /// Whether no further request becomes due.
        var isEnded = false
        /// Whether even the late requests are given up.
        var isStopped = false
    }

    private let state = Mutex(State())

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - schedule: when requests are due.
    ///   - start: the time from which the schedule counts, on the monotonic clock in nanoseconds.
    ///   - end: the time at which no further request becomes due.
    ///   - limit: the maximum number of requests.
    init(_ schedule: Schedule, from start: Int64, to end: Int64, limit: Int) {
        DispatchQueue(label: "pacer").async { [self] in
            for index in 0..<limit {
                let due = start + schedule.due(index)
                guard due < end, !state.withLock({ $0.isStopped }) else { break }
                Self.sleep(until: due)
                hand(out: due)
            }
            finish()
        }
    }

    /// Waits for the next request.
    ///
    /// - Returns: when it was due; nil if there is none.
    nonisolated(nonsending) func next() async -> Int64? {
        await withCheckedContinuation { continuation in
            let due: Int64?? = state.withLock { state in
                guard !state.isStopped else { return .some(nil) }
                if state.first < state.late.count {
                    state.first += 1
                    return state.late[state.first - 1]
                }
                guard !state.isEnded else { return .some(nil) }
                state.waiting.append(continuation)
                return nil
            }
            if let due { continuation.resume(returning: due) }
        }
    }

    /// Gives up all requests.
    func stop() {
        state.withLock { $0.isStopped = true }
        finish()
    }

    private func hand(out due: Int64) {
        let waiter = state.withLock { state in
            // All connections in turn, so that the server closes none because it is idle.
            guard state.waiting.isEmpty else {
                return state.waiting.removeFirst() as CheckedContinuation<Int64?, Never>?
            }
            // The array would otherwise keep every request of a long run.
            if state.first > 1 << 16 {
                state.late.removeFirst(state.first)
                state.first = 0
            }
            state.late.append(due)
            return nil
        }
        waiter?.resume(returning: due)
    }

    private func finish() {
        let waiting = state.withLock { state in
            state.isEnded = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume(returning: nil) }
    }

    private static func sleep(until time: Int64) {
        var target = timespec(tv_sec: Int(time / 1_000_000_000), tv_nsec: Int(time % 1_000_000_000))
        // A signal interrupts the sleep.
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &target, nil) == EINTR {}
    }
}

private import Dispatch
private import Glibc
internal import Synchronization

/// Hands out the requests of an open load when they are due.
///
/// A separate thread sleeps until the next request is due, and resumes a connection that waits for one. If all
/// connections are busy, requests wait for a connection, and each keeps the time at which it was due.
final class Pacer: Sendable {
    private struct State {
        /// The number of requests that are due.
        var due = 0
        /// The number of requests that connections have taken.
        var taken = 0
        var waiting: [CheckedContinuation<Int?, Never>] = []
        /// Whether no further request becomes due.
        var isEnded = false
        /// Whether the requests that are due are not sent either.
        var isStopped = false
    }

    private let schedule: Schedule
    private let start: Int64
    private let state = Mutex(State())

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - schedule: when requests are due.
    ///   - start: the time from which the schedule counts, on the monotonic clock in nanoseconds.
    ///   - end: the time at which no further request becomes due.
    ///   - limit: the maximum number of requests.
    init(_ schedule: Schedule, from start: Int64, to end: Int64, limit: Int) {
        self.schedule = schedule
        self.start = start
        DispatchQueue(label: "pacer").async { [self] in
            for index in 0..<limit {
                let due = time(of: index)
                guard due < end, !state.withLock({ $0.isStopped }) else { break }
                Self.sleep(until: due)
                handOut()
            }
            finish()
        }
    }

    /// Waits for the next request.
    ///
    /// - Returns: when it was due; nil if there is none.
    nonisolated(nonsending) func next() async -> Int64? {
        let index: Int? = await withCheckedContinuation { continuation in
            let result: Int?? = state.withLock { state in
                guard !state.isStopped else { return .some(nil) }
                if state.taken < state.due {
                    state.taken += 1
                    return state.taken - 1
                }
                guard !state.isEnded else { return .some(nil) }
                state.waiting.append(continuation)
                return nil
            }
            if let result { continuation.resume(returning: result) }
        }
        return index.map(time)
    }

    /// Ends the load without sending the requests that are due.
    func stop() {
        state.withLock { $0.isStopped = true }
        finish()
    }

    /// Returns when a request is due, on the monotonic clock.
    private func time(of index: Int) -> Int64 { start + schedule.due(index) }

    /// Makes the next request due.
    private func handOut() {
        let taken: (CheckedContinuation<Int?, Never>, Int)? = state.withLock { state in
            state.due += 1
            guard !state.waiting.isEmpty else { return nil }
            state.taken += 1
            // The connections take turns, so that the server closes none because it is idle.
            return (state.waiting.removeFirst(), state.taken - 1)
        }
        taken?.0.resume(returning: taken?.1)
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

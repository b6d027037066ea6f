private import Dispatch
private import Glibc
internal import Synchronization

/// Hands out the requests of an open load when they are due.
///
/// A connection that has received a response takes the next request if it is due, and waits otherwise. A separate
/// thread sleeps until the next request is due, and resumes connections that wait. If all connections are busy,
/// requests wait for a connection, and each keeps the time at which it was due.
final class Pacer: Sendable {
    private struct State {
        /// The number of the next request.
        var next = 0
        var waiting: [CheckedContinuation<Int64?, Never>] = []
        /// Whether the thread waits for a connection that waits.
        var isParked = false
        /// Whether no further request is sent.
        var isStopped = false
    }

    /// The shortest time between two wakes of the thread, in nanoseconds.
    ///
    /// A wake costs more than a request: with one for each request, a client reaches half of the rate. What a request
    /// waits for it counts as latency.
    private static let shortestSleep: Int64 = 100_000

    private let schedule: Schedule
    private let start: Int64
    private let end: Int64
    private let limit: Int
    private let state = Mutex(State())
    private let unparked = DispatchSemaphore(value: 0)

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
        self.end = end
        self.limit = limit
        DispatchQueue(label: "pacer").async { [self] in
            var earliest = start
            while let due = state.withLock({ nextDue($0) }) {
                Self.sleep(until: max(due, earliest))
                earliest = monotonic() + Self.shortestSleep
                handOut()
            }
            finish()
        }
    }

    /// Waits for the next request.
    ///
    /// - Returns: when it was due; nil if there is none.
    nonisolated(nonsending) func next() async -> Int64? {
        let first = state.withLock { take(&$0) }
        guard case .later = first else { return due(first) }
        return await withCheckedContinuation { continuation in
            // The request can have become due since then.
            let second = state.withLock { state in
                let next = take(&state)
                if case .later = next { state.waiting.append(continuation) }
                return next
            }
            guard case .later = second else { return continuation.resume(returning: due(second)) }
            unpark()
        }
    }

    /// - Returns: when the request was due; nil if there is none.
    private func due(_ next: Next) -> Int64? {
        if case .due(let time) = next { return time }
        unpark()
        return nil
    }

    /// Lets the thread go on that waits for a connection.
    private func unpark() {
        let wasParked = state.withLock { state in
            defer { state.isParked = false }
            return state.isParked
        }
        if wasParked { unparked.signal() }
    }

    /// Ends the load without sending the requests that are due.
    func stop() {
        state.withLock { $0.isStopped = true }
        finish()
        unpark()
    }

    private enum Next {
        /// A request that was due at this time.
        case due(Int64)
        /// The next request is not due yet.
        case later
        /// There is no further request.
        case none
    }

    /// Takes the next request if it is due.
    private func take(_ state: inout State) -> Next {
        guard let due = nextDue(state) else { return .none }
        guard due <= monotonic() else { return .later }
        state.next += 1
        return .due(due)
    }

    /// Returns when the next request is due, on the monotonic clock; nil if there is none.
    private func nextDue(_ state: State) -> Int64? {
        guard !state.isStopped, state.next < limit else { return nil }
        let due = start + schedule.due(state.next)
        return due < end ? due : nil
    }

    /// Resumes connections for the requests that are due; waits for one if all are busy.
    private func handOut() {
        let (resumed, isParked) = state.withLock { state in
            var resumed: [(CheckedContinuation<Int64?, Never>, Int64)] = []
            while resumed.count < state.waiting.count, case .due(let time) = take(&state) {
                // The connections take turns, so that the server closes none because it is idle.
                resumed.append((state.waiting[resumed.count], time))
            }
            state.waiting.removeFirst(resumed.count)
            state.isParked = state.waiting.isEmpty && (nextDue(state) ?? .max) <= monotonic()
            return (resumed, state.isParked)
        }
        for (continuation, due) in resumed { continuation.resume(returning: due) }
        if isParked { unparked.wait() }
    }

    private func finish() {
        let waiting = state.withLock { state in
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

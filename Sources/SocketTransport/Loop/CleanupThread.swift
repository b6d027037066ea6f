/// A thread that does short work for which an event loop must not wait, such as deleting a large file.
///
/// It is one thread for the process, which starts with the first work and ends when none is left. Work is done in its
/// order.
package enum CleanupThread {
    private struct State {
        var work: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private static let state = Locked(State())

    /// Queues work; without a thread, the calling one does it.
    package static func run(_ work: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.work.append(work)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isFirst else { return }
        do throws(Errno) {
            try SystemThread.start { runAll() }
        } catch {
            runAll()
        }
    }

    private static func runAll() {
        while true {
            let work = state.withLock { state -> [@Sendable () -> Void] in
                if state.work.isEmpty { state.isRunning = false }
                defer { state.work = [] }
                return state.work
            }
            if work.isEmpty { return }
            for item in work { item() }
        }
    }
}

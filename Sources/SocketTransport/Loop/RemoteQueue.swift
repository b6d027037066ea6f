/// The work that other threads have queued for a loop, and the loop's state.
struct RemoteQueue {
    enum State {
        /// The loop has no thread: it has not started, or no thread drives it.
        case idle
        case running
        /// The loop runs the queued work, then ends.
        case stopping
        /// The loop has ended: later jobs go to the global executor.
        case stopped
    }

    var state = State.idle
    var jobs = JobQueue()
    var actions: [@Sendable () -> Void] = []

    var isEmpty: Bool { jobs.count == 0 && actions.isEmpty }

    /// Moves the jobs to the end of `local`, and removes and returns the actions.
    mutating func drain(into local: inout JobQueue) -> [@Sendable () -> Void] {
        while let job = jobs.popFirst() { local.append(job) }
        guard !actions.isEmpty else { return [] }
        let actions = actions
        self.actions = []
        return actions
    }
}

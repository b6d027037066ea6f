/// Keeps what other threads bring to a loop until it looks, and the loop's stage of life with it.
struct RemoteQueue {
    enum State {
        /// No thread: not started yet, or nobody drives.
        case idle
        case running
        /// Runs what is queued, then ends.
        case stopping
        /// Ended: late jobs go to the global executor.
        case stopped
    }

    var state = State.idle
    var jobs = JobQueue()
    var actions: [@Sendable () -> Void] = []

    var isEmpty: Bool { jobs.count == 0 && actions.isEmpty }

    /// Moves the jobs to the end of `local`, and takes the actions out.
    mutating func drain(into local: inout JobQueue) -> [@Sendable () -> Void] {
        while let job = jobs.popFirst() { local.append(job) }
        guard !actions.isEmpty else { return [] }
        let actions = actions
        self.actions = []
        return actions
    }
}

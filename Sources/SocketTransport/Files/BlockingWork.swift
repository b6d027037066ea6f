/// Execution of code that waits for a disk, off the threads that Swift's tasks share.
package enum BlockingWork {
    /// Runs `body` on a new thread and returns its result.
    ///
    /// If the system cannot start a thread, `body` runs on the calling thread.
    package static func run<Result: Sendable>(
        _ body: @escaping @Sendable () -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            do {
                try SystemThread.start { continuation.resume(returning: body()) }
            } catch {
                continuation.resume(returning: body())
            }
        }
    }
}

private import Glibc

/// Detached operating system threads.
enum SystemThread {
    /// Runs `body` on a new thread, which ends with it.
    ///
    /// - Throws: the error of pthread_create(3); then `body` never runs.
    static func start(_ body: @escaping @Sendable () -> Void) throws(Errno) {
        var thread = pthread_t()
        let retained = unsafe Unmanaged.passRetained(Body(run: body))
        // SAFETY: the retained reference belongs to the thread, which takes it once; if the thread
        // cannot be created, it is released below.
        let code = unsafe pthread_create(
            &thread,
            nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let body = unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                body.run()
                return nil
            },
            retained.toOpaque()
        )
        guard code == 0 else {
            unsafe retained.release()
            throw Errno(rawValue: code)
        }
        pthread_detach(thread)
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}

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

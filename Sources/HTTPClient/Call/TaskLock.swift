internal import SocketTransport

/// A lock that a task holds across suspensions, and that tasks wait for without blocking a thread.
///
/// It protects a file to which several tasks write: a slow disk then occupies one thread, and not one for
/// each task. Tasks get the lock in the order in which they asked for it. A canceled task still waits,
/// because its predecessors release the lock soon.
package final class TaskLock: Sendable {
    private struct State: Sendable {
        var isHeld = false
        var waiters: [CheckedContinuation<Void, Never>] = []

        /// Acquires the lock if no task holds it.
        mutating func acquire() -> Bool {
            guard !isHeld else { return false }
            isHeld = true
            return true
        }
    }

    private let state = Locked(State())

    /// Creates a lock that no task holds.
    package init() {}

    /// Waits until no other task holds the lock, and acquires it.
    ///
    /// Call ``release()`` once afterwards.
    package nonisolated(nonsending) func acquire() async {
        let isAcquired = state.withLock { $0.acquire() }
        if isAcquired { return }
        await withCheckedContinuation { continuation in
            let isAcquired = state.withLock { state in
                // The lock may have been released in the meantime.
                guard !state.acquire() else { return true }
                state.waiters.append(continuation)
                return false
            }
            if isAcquired { continuation.resume() }
        }
        // If the lock was passed on before this task slept, only the runtime has ordered what the two tasks do, which
        // the thread sanitizer does not see. It sees the mutex, which the other task has released before.
        state.withLock { _ in }
    }

    /// Releases the lock, or passes it to the task that has waited longest.
    package func release() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiters.isEmpty else {
                state.isHeld = false
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.resume()
    }
}

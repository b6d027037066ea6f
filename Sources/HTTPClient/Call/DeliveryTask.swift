internal import SocketTransport

/// A task that delivers events off the loop, as long as there are any.
///
/// At most one task runs at a time, no matter how often a delivery is requested. So events cannot pile up
/// as tasks behind a slow observer.
package final class DeliveryTask: Sendable {
    private struct State: Sendable {
        /// Whether a delivery was requested that has not begun.
        var isRequested = false
        /// The task; nil while nothing is to be delivered.
        var task: Task<Void, Never>?
    }

    private let executor: (any TaskExecutor)?
    private let state = Locked(State())

    /// Creates a delivery without a task.
    ///
    /// - Parameter executor: the executor of the task; nil for Swift's concurrent pool.
    package init(on executor: (any TaskExecutor)?) {
        self.executor = executor
    }

    /// Runs `deliver` in the task, once for all requests before it begins; returns at once.
    ///
    /// - Parameter deliver: the delivery, which is the same for all requests.
    package func request(_ deliver: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.isRequested = true
            guard state.task == nil else { return }
            state.task = Task(executorPreference: executor) {
                while self.begin() { deliver() }
            }
        }
    }

    /// Waits until all requested deliveries have returned; call it when no request follows.
    package func finish() async {
        while let task = state.withLock({ $0.task }) { await task.value }
    }

    /// Begins the requested delivery; the task ends if there is none.
    private func begin() -> Bool {
        state.withLock { state in
            guard state.isRequested else {
                state.task = nil
                return false
            }
            state.isRequested = false
            return true
        }
    }
}

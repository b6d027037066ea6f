import Dispatch

/// Runs `body` on a thread that runs no task.
package func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        // A private queue gets its own thread; a global queue would wait if many threads are blocked.
        DispatchQueue(label: "blocking caller").async { continuation.resume(returning: body()) }
    }
}

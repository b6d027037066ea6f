import Dispatch

/// Runs `body` on a thread that is no task's.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        // A queue of its own has a thread of its own; a global one waits when many are blocked.
        DispatchQueue(label: "blocking caller").async { continuation.resume(returning: body()) }
    }
}

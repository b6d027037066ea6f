/// The continuation of one suspended task, which is resumed exactly once.
///
/// An unchecked continuation costs no allocation. This type ensures that it is resumed once:
/// resuming removes it first, and storing a second one is refused.
@safe struct Waiter<Value: Sendable> {
    private var continuation: UnsafeContinuation<Value, Never>?

    /// Whether a task is suspended here.
    var isWaiting: Bool { unsafe continuation != nil }

    /// Stores the continuation of a task that has just suspended.
    mutating func store(_ continuation: UnsafeContinuation<Value, Never>) {
        // SAFETY: only this value has the continuation, and only `resume` uses it.
        precondition(!isWaiting, "one task waits at a time")
        unsafe self.continuation = continuation
    }

    /// Resumes the task; does nothing if none is suspended.
    mutating func resume(returning value: Value) {
        guard let continuation = unsafe continuation else { return }
        unsafe self.continuation = nil
        unsafe continuation.resume(returning: value)
    }
}

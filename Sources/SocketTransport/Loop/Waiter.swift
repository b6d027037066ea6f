/// Holds the continuation of one suspended task and resumes it exactly once.
///
/// An unchecked continuation costs no allocation; that it is resumed once is what this type is
/// for: resuming takes it out first, and holding another one while it is there is refused.
@safe struct Waiter<Value: Sendable> {
    private var continuation: UnsafeContinuation<Value, Never>?

    /// True while a task is suspended here.
    var isWaiting: Bool { unsafe continuation != nil }

    /// Takes the continuation of a task that has just suspended.
    mutating func store(_ continuation: UnsafeContinuation<Value, Never>) {
        // SAFETY: nobody else has this continuation, and it leaves only through `resume`.
        precondition(!isWaiting, "one task waits at a time")
        unsafe self.continuation = continuation
    }

    /// Resumes the task; does nothing when none is suspended.
    mutating func resume(returning value: Value) {
        guard let continuation = unsafe continuation else { return }
        unsafe self.continuation = nil
        unsafe continuation.resume(returning: value)
    }
}

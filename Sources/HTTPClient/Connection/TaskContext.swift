internal import SocketTransport

/// Returns whether the calling code runs in a Swift task.
func isInsideTask() -> Bool {
    // SAFETY: the task is only compared with nil; it does not leave the closure.
    unsafe withUnsafeCurrentTask { unsafe $0 != nil }
}

/// Returns whether the current task resumes on `loop` after each suspension.
///
/// Running on the loop's thread is not sufficient. The jobs of an actor run on any thread that
/// currently serves the actor, and can resume on another. The task must prefer the loop and
/// must not be isolated to an actor.
func isConfined(to loop: EventLoop, isolation: (any Actor)? = #isolation) -> Bool {
    guard isolation == nil, loop.isCurrent else { return false }
    // SAFETY: the task and the executors are only compared; none leaves the closure.
    return unsafe withUnsafeCurrentTask { task in
        guard let task = unsafe task else { return false }
        return unsafe task.unownedTaskExecutor == loop.asUnownedTaskExecutor()
    }
}

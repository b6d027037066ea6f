internal import SocketTransport

/// Tells whether the calling code runs in a Swift task.
func isInsideTask() -> Bool {
    // SAFETY: the task is only compared with nil; it does not leave the closure.
    unsafe withUnsafeCurrentTask { unsafe $0 != nil }
}

/// Tells whether the present task comes back to `loop` after each suspension.
///
/// Being on the loop's thread is not enough: the jobs of an actor run on whichever thread serves the
/// actor at the moment, and resume elsewhere. The task must prefer the loop and be in no actor.
func isConfined(to loop: EventLoop, isolation: (any Actor)? = #isolation) -> Bool {
    guard isolation == nil, loop.isCurrent else { return false }
    // SAFETY: the task and the executors are only compared; none leaves the closure.
    return unsafe withUnsafeCurrentTask { task in
        guard let task = unsafe task else { return false }
        return unsafe task.unownedTaskExecutor == loop.asUnownedTaskExecutor()
    }
}

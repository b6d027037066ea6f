internal import SocketTransport

/// Runs `operation` on the loop, then returns to the caller's executor.
func onLoop<Value: Sendable>(
    _ loop: EventLoop,
    _ operation: @Sendable () async -> Result<Value, HTTPError>
) async -> Result<Value, HTTPError> {
    // An actor's job may already run on the loop's thread, and continues there.
    let isPassing = !loop.isCurrent
    // The next action of this thread enqueues the job that follows, so the thread may run that job
    // inline.
    if isPassing { loop.offerInlineRun() }
    return await withTaskExecutorPreference(loop) {
        await concurrently(loop, leavesEarly: isPassing, operation)
    }
}

/// Leaves the caller's isolation and runs `operation`.
///
/// Only a function without its own isolation follows the task's executor preference. A function
/// that inherits its caller's isolation stays on its executor.
///
/// The `isCurrent` check is needed for two reasons. A loop that could not start passes its jobs to
/// another executor. And without code here, the optimizer (6.3.1) removes the executor switch,
/// because it assumes that `operation` switches itself.
@concurrent private func concurrently<Value: Sendable>(
    _ loop: EventLoop,
    leavesEarly: Bool,
    _ operation: @Sendable () async -> Result<Value, HTTPError>
) async -> Result<Value, HTTPError> {
    loop.cancelInlineOffer()
    if !loop.isCurrent { await loop.hopToLoop() }
    guard loop.isCurrent else {
        let reason = "the event loop cannot be started: no descriptor or thread is available"
        return .failure(HTTPError(.systemFailure(reason: reason), phase: .preparing))
    }
    let result = await operation()
    if leavesEarly { loop.releaseEarly() }
    return result
}

/// Runs `operation` on a thread that may wait for a disk, then returns to the caller's executor.
///
/// It can continue on another one of the threads after each suspension.
func onFileThread<Value: Sendable>(
    _ threads: FileThreads,
    _ operation: @Sendable () async -> Result<Value, HTTPError>
) async -> Result<Value, HTTPError> {
    // A job of the threads continues on its thread, and may wait for a disk again.
    let leavesEarly = !threads.isCurrent
    return await withTaskExecutorPreference(threads) {
        await concurrently(threads, leavesEarly: leavesEarly, operation)
    }
}

/// Leaves the caller's isolation and runs `operation`, as the function for loops above.
@concurrent private func concurrently<Value: Sendable>(
    _ threads: FileThreads,
    leavesEarly: Bool,
    _ operation: @Sendable () async -> Result<Value, HTTPError>
) async -> Result<Value, HTTPError> {
    // Jobs go to another executor if there is no thread, and a disk must not block that one.
    guard threads.threadCount > 0 else {
        let reason = "no thread for files can be started"
        return .failure(HTTPError(.systemFailure(reason: reason), phase: .preparing))
    }
    let result = await operation()
    if leavesEarly { threads.releaseEarly() }
    return result
}

extension EventLoop {
    /// This loop in a simulation, whose tasks all run on its thread; nil otherwise.
    ///
    /// It is the executor of tasks that call code of the user, which otherwise run on Swift's concurrent
    /// pool. A simulation cannot wait for another thread: its time would not depend on the test alone.
    var simulatedExecutor: (any TaskExecutor)? {
        #if DEBUG
        if simulation != nil { return self }
        #endif
        return nil
    }
}

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

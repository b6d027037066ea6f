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

extension EventLoop {
    /// Runs `operation` with the calling thread as the loop and returns what it returned.
    ///
    /// Only for a loop made by ``callerDriven()``; one thread at a time.
    /// - Throws: `.descriptorsExhausted` when the loop cannot be set up.
    package func drive<Value>(
        _ operation: @escaping @Sendable () async -> sending Value
    ) throws(TransportError) -> Value {
        let result = DriveResult<Value>()
        try driveToCompletion { result.value = await operation() }
        guard let value = result.value.take() else {
            preconditionFailure("the operation has ended")
        }
        return value
    }

    /// Suspends the task and has the loop resume it; returns at once when there is no loop.
    ///
    /// For a task that has left early and was kept on the thread all the same, because what it went
    /// to prefers the loop too: the runtime sees no reason to queue it when it comes back.
    package nonisolated(nonsending) func hopToLoop() async {
        // SAFETY: resumed once, by the loop or here.
        await unsafe withUnsafeContinuation { (task: UnsafeContinuation<Void, Never>) in
            let isQueued = post { unsafe task.resume() }
            if !isQueued { unsafe task.resume() }
        }
    }
}

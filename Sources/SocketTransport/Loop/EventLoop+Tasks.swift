extension EventLoop {
    /// Runs `operation` with the calling thread as the loop and returns its result.
    ///
    /// Only for a loop created by ``callerDriven()``; one thread at a time.
    ///
    /// - Throws: `.descriptorsExhausted` if the loop cannot be set up.
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

    /// Suspends the task until the loop resumes it; resumes at once if the loop has stopped.
    ///
    /// For a task that called ``releaseEarly()`` but stayed on the thread, because the code it
    /// called also prefers the loop. The runtime then sees no reason to queue the task when that
    /// code returns.
    package nonisolated(nonsending) func hopToLoop() async {
        // SAFETY: resumed once, by the loop or here.
        await unsafe withUnsafeContinuation { (task: UnsafeContinuation<Void, Never>) in
            let isQueued = post { unsafe task.resume() }
            if !isQueued { unsafe task.resume() }
        }
    }
}

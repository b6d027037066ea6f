/// Suspends one task on the loop until somebody on the loop resumes it, a deadline passes, or the
/// wait is cancelled.
///
/// May be resumed before anybody waits; then the next wait returns at once. Loop-confined.
package final class Suspension<Value: Sendable>: TimerTarget, CancellableWait {
    private let loop: EventLoop
    private let phase: TransportPhase
    /// What the wait ended with, or will end with at once.
    private var result: Result<Value, TransportError>?
    private var waiter = Waiter<Void>()
    private var timer: TimerHandle?
    private var isCancelled = false

    /// - Parameters:
    ///   - loop: where the task waits.
    ///   - phase: what a time-out says was waited for.
    package init(on loop: EventLoop, phase: TransportPhase) {
        self.loop = loop
        self.phase = phase
    }

    /// Suspends; at most one wait at a time.
    ///
    /// - Throws: what ``fail(_:)`` was given, `.timedOut(phase)`, or `.cancelled`.
    package nonisolated(nonsending) func wait(
        until deadline: Deadline
    ) async throws(TransportError) -> Value {
        if isCancelled { throw .cancelled }
        if result == nil {
            if deadline != .never { timer = loop.addTimer(self, at: deadline) }
            // SAFETY: `Waiter` resumes it once.
            await unsafe withUnsafeContinuation { unsafe waiter.store($0) }
            if let timer {
                loop.removeTimer(timer)
                self.timer = nil
            }
        }
        guard let result = result.take() else {
            preconditionFailure("a wait ends only when there is a result")
        }
        return try result.get()
    }

    /// Ends the wait with a value.
    ///
    /// - Returns: false when it has ended already; then the value reaches nobody.
    @discardableResult
    package func resume(returning value: Value) -> Bool {
        finish(.success(value))
    }

    /// Ends the wait with an error; ignored when it has ended already.
    package func fail(_ error: TransportError) {
        finish(.failure(error))
    }

    package func cancelWait() {
        isCancelled = true
        finish(.failure(.cancelled))
    }

    package func timerFired(now: Deadline) {
        timer = nil
        finish(.failure(.timedOut(phase)))
    }

    @discardableResult
    private func finish(_ result: Result<Value, TransportError>) -> Bool {
        guard self.result == nil else { return false }
        self.result = result
        waiter.resume(returning: ())
        return true
    }
}

/// Can be told, on the loop's thread, to end a wait with `.cancelled`.
package protocol CancellableWait: AnyObject {
    func cancelWait()
}

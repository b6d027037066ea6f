/// A suspension of one task until it is resumed on the loop, times out or is canceled.
///
/// It may be resumed before the task waits; then the next wait returns at once. Loop-confined.
package final class Suspension<Value: Sendable>: TimerTarget, CancellableWait {
    private let loop: EventLoop
    private let phase: TransportPhase
    /// The result of the wait, or of the next wait if no task is waiting.
    private var result: Result<Value, TransportError>?
    private var waiter = Waiter<Void>()
    private var timer: TimerHandle?
    private var isCancelled = false

    /// - Parameters:
    ///   - loop: the loop that the task waits on.
    ///   - phase: the phase reported by a timeout.
    package init(on loop: EventLoop, phase: TransportPhase) {
        self.loop = loop
        self.phase = phase
    }

    /// Suspends the task; at most one wait at a time.
    ///
    /// - Throws: the error passed to ``fail(_:)``, `.timedOut(phase)`, or `.cancelled`.
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
            preconditionFailure("a wait ends only with a result")
        }
        return try result.get()
    }

    /// Ends the wait with a value.
    ///
    /// - Returns: false if the wait has already ended; then the value is discarded.
    @discardableResult
    package func resume(returning value: Value) -> Bool {
        finish(.success(value))
    }

    /// Ends the wait with an error; ignored if it has already ended.
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

/// A wait that can be ended with `.cancelled` on the loop's thread.
package protocol CancellableWait: AnyObject {
    func cancelWait()
}

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

/// A scope that forwards a cancellation to the current wait of one operation.
///
/// Loop-confined, so the runtime's checks for overlapping accesses are disabled.
///
/// The operation enters each of its waits. ``cancel()`` ends the current wait and all later ones.
package final class CancellationScope {
    @safe @exclusivity(unchecked) package private(set) var isCancelled = false
    @safe @exclusivity(unchecked) private var current: (any CancellableWait)?

    package init() {}

    /// Registers `wait` as the one that a cancellation ends; replaces the previous one.
    ///
    /// - Throws: `.cancelled` if the operation is already canceled.
    package func enter(_ wait: any CancellableWait) throws(TransportError) {
        guard !isCancelled else { throw .cancelled }
        current = wait
    }

    /// Removes the current wait, so that a later cancellation does not end it.
    package func leave() {
        current = nil
    }

    /// Cancels the operation; idempotent.
    package func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        let wait = current.take()
        wait?.cancelWait()
    }
}

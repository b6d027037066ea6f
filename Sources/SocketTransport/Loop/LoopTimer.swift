/// A timer that runs an action once, on the loop, when a deadline has passed.
///
/// Loop-confined.
package final class LoopTimer: TimerTarget {
    private let loop: EventLoop
    private var handle: TimerHandle?
    private var action: (() -> Void)?

    /// Schedules `action`; the loop retains the timer until it fires or is cancelled.
    package init(on loop: EventLoop, at deadline: Deadline, action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
        handle = loop.addTimer(self, at: deadline)
    }

    /// Discards the action; does nothing after it has run.
    package func cancel() {
        action = nil
        if let handle {
            loop.removeTimer(handle)
            self.handle = nil
        }
    }

    package func timerFired(now: Deadline) {
        handle = nil
        let action = action.take()
        action?()
    }
}

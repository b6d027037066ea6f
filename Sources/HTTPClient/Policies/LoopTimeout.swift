internal import SocketTransport

/// A timeout for a wait that does not run on the loop, implemented as a timer of the loop.
///
/// It may be created and cancelled on any thread. It is Sendable because only the thread of the loop
/// accesses its state.
final class LoopTimeout: @unchecked Sendable {
    private let loop: EventLoop
    private var timer: LoopTimer?
    /// Whether it was cancelled; this may happen before the loop has set the timer.
    private var isOver = false

    /// Calls `action` on the loop when the deadline has passed; never when the loop cannot run.
    ///
    /// A call detects a stopped loop itself when it moves to the loop.
    init(on loop: EventLoop, at deadline: Deadline, _ action: @escaping @Sendable () -> Void) {
        self.loop = loop
        runOnLoop {
            guard !self.isOver else { return }
            self.timer = LoopTimer(on: loop, at: deadline, action: action)
        }
    }

    /// Cancels the action asynchronously; the action may be running on another thread.
    func cancel() {
        runOnLoop {
            self.isOver = true
            self.timer?.cancel()
            self.timer = nil
        }
    }

    private func runOnLoop(_ body: @escaping @Sendable () -> Void) {
        if loop.isCurrent { body() } else { loop.post(body) }
    }
}

internal import SocketTransport

/// Ends a wait for a turn when its time is over, by a timer of the loop that carries the call out.
///
/// May be made and cancelled on any thread. Sendable because one thread alone touches what it holds,
/// the loop's.
final class AdmissionTimeout: @unchecked Sendable {
    private let loop: EventLoop
    private var timer: LoopTimer?
    /// It may be over before the loop has come to begin.
    private var isOver = false

    /// Calls `action` on the loop when the deadline has passed; never, when the loop cannot run.
    ///
    /// What waits for its turn finds that out by itself as soon as it goes to the loop.
    init(on loop: EventLoop, at deadline: Deadline, _ action: @escaping @Sendable () -> Void) {
        self.loop = loop
        onLoop {
            guard !self.isOver else { return }
            self.timer = LoopTimer(on: loop, at: deadline, action: action)
        }
    }

    /// Forgets the action, soon: it may be under way on another thread.
    func cancel() {
        onLoop {
            self.isOver = true
            self.timer?.cancel()
            self.timer = nil
        }
    }

    private func onLoop(_ body: @escaping @Sendable () -> Void) {
        if loop.isCurrent { body() } else { loop.post(body) }
    }
}

internal import SocketTransport

/// The loops or engines that blocking calls have used, for later calls.
///
/// One lock guards all of them, so that there are never more than concurrent calls. After a burst of calls
/// from many threads, most are not needed any more. Each has descriptors, and nobody polls its idle
/// connections. So they are dropped after some time.
final class SpareStack<Item: Sendable>: Sendable {
    private struct State {
        /// From the longest idle to the last used.
        var items: [(item: Item, since: Deadline)] = []
        /// Whether a timer will drop items.
        var isSweepScheduled = false
    }

    private let state = Locked(State())
    private let lifetime: Duration

    /// Creates an empty stack.
    ///
    /// - Parameter lifetime: how long an item may be idle.
    init(lifetime: Duration) {
        self.lifetime = lifetime
    }

    /// Removes and returns the item that was used last; nil if all are in use.
    func take() -> Item? {
        state.withLock { $0.items.popLast()?.item }
    }

    /// Puts an item on the stack.
    ///
    /// A single item stays until others come, because a timer on a loop that may not run yet would start a
    /// thread for every program that makes blocking calls.
    ///
    /// - Parameters:
    ///   - item: the item.
    ///   - loop: the loop whose timer drops old items. It does not have to run yet.
    func put(_ item: Item, sweepingOn loop: EventLoop) {
        let now = Deadline.now()
        let isDue = state.withLock { state in
            state.items.append((item, now))
            guard state.items.count > 1, !state.isSweepScheduled else { return false }
            state.isSweepScheduled = true
            return true
        }
        guard isDue else { return }
        let sweep = Sweep(self, loop)
        let isPosted = loop.post { sweep.schedule(after: now) }
        // Without a thread, a later call tries again.
        if !isPosted { state.withLock { $0.isSweepScheduled = false } }
    }

    /// Drops old items.
    ///
    /// - Returns: when the longest idle item of the others was used; nil if there is none, and no sweep is
    ///   needed.
    private func sweep(_ now: Deadline) -> Deadline? {
        let (old, next) = state.withLock { state -> ([Item], Deadline?) in
            let count = state.items.prefix { $0.since.advanced(by: lifetime) <= now }.count
            let old = state.items.prefix(count).map(\.item)
            state.items.removeFirst(count)
            let next = state.items.first?.since
            state.isSweepScheduled = next != nil
            return (old, next)
        }
        // Released outside the lock, because that closes connections.
        _ = consume old
        return next
    }

    /// The target of the timer.
    ///
    /// It keeps neither the stack nor the loop alive, which both belong to a client.
    private final class Sweep: TimerTarget, @unchecked Sendable {
        // Sendable because it is used only on the loop after its creation.
        private weak let stack: SpareStack?
        private unowned let loop: EventLoop

        init(_ stack: SpareStack, _ loop: EventLoop) {
            self.stack = stack
            self.loop = loop
        }

        func schedule(after time: Deadline) {
            guard let stack else { return }
            _ = loop.addTimer(self, at: time.advanced(by: stack.lifetime))
        }

        func timerFired(now: Deadline) {
            if let next = stack?.sweep(now) { schedule(after: next) }
        }
    }
}

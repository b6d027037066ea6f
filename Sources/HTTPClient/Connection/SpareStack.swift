internal import SocketTransport

/// The loops or engines that blocking calls have used, for later calls.
///
/// One lock guards all of them, so that there are never more than concurrent calls. After a burst of calls
/// from many threads, most are not needed any more. Each has descriptors, and nobody polls its idle
/// connections. So they are dropped after some time.
final class SpareStack<Item: Sendable>: Sendable {
    private let storage: Storage

    /// Creates an empty stack.
    ///
    /// - Parameter lifetime: how long an item may be idle.
    init(lifetime: Duration) {
        storage = Storage(lifetime)
    }

    deinit { storage.removeAll() }

    /// Removes and returns the item that was used last; nil if all are in use.
    func take() -> Item? { storage.take() }

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
        guard storage.put(item, at: now) else { return }
        let sweep = Sweep(storage, loop)
        let isPosted = loop.post { sweep.schedule(after: now) }
        // Without a thread, a later call tries again.
        if !isPosted { storage.cancelSweep() }
    }

    /// The items, which the timer needs too.
    ///
    /// The timer must not keep the stack alive. A weak reference would do, but LeakSanitizer takes what Swift
    /// allocates for it for a leak.
    private final class Storage: Sendable {
        private struct State {
            /// From the longest idle to the last used.
            var items: [(item: Item, since: Deadline)] = []
            /// Whether a timer will drop items.
            var isSweepScheduled = false
        }

        let lifetime: Duration
        private let state = Locked(State())

        init(_ lifetime: Duration) {
            self.lifetime = lifetime
        }

        func take() -> Item? {
            state.withLock { $0.items.popLast()?.item }
        }

        /// Adds an item.
        ///
        /// - Returns: whether a sweep must be scheduled.
        func put(_ item: Item, at now: Deadline) -> Bool {
            state.withLock { state in
                state.items.append((item, now))
                guard state.items.count > 1, !state.isSweepScheduled else { return false }
                state.isSweepScheduled = true
                return true
            }
        }

        func cancelSweep() {
            state.withLock { $0.isSweepScheduled = false }
        }

        /// Drops old items.
        ///
        /// - Returns: when the longest idle item of the others was used; nil if there is none, and no sweep
        ///   is needed.
        func sweep(_ now: Deadline) -> Deadline? {
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

        func removeAll() {
            let items = state.withLock { state in
                let items = state.items
                state.items = []
                return items
            }
            _ = consume items
        }
    }

    /// The target of the timer.
    private final class Sweep: TimerTarget, @unchecked Sendable {
        // Sendable because it is used only on the loop after its creation.
        private let storage: Storage
        // The loop keeps its timers.
        private unowned let loop: EventLoop

        init(_ storage: Storage, _ loop: EventLoop) {
            self.storage = storage
            self.loop = loop
        }

        func schedule(after time: Deadline) {
            _ = loop.addTimer(self, at: time.advanced(by: storage.lifetime))
        }

        func timerFired(now: Deadline) {
            if let next = storage.sweep(now) { schedule(after: next) }
        }
    }
}

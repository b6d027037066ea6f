internal import SocketTransport

/// The loops or engines that blocking calls have used, for later calls.
///
/// One lock guards the stack, so that the client has at most one item for each concurrent call. After calls from
/// many threads, most items stay unused. Each has descriptors, and no thread polls its idle connections. Therefore
/// the client drops an item that no call has used for ``Storage/lifetime``.
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
    /// The first item starts no timer: the timer would start the thread of the client's loop, in every program
    /// that makes blocking calls from one thread only.
    ///
    /// - Parameters:
    ///   - item: the item.
    ///   - loop: the client's loop, whose timer drops old items. It need not be running.
    func put(_ item: Item, sweepingOn loop: EventLoop) {
        let now = Deadline.now()
        guard storage.put(item, at: now) else { return }
        let sweep = Sweep(storage, loop)
        let isPosted = loop.post { sweep.schedule(after: now) }
        // The loop has no thread and could not start one. The next call tries again.
        if !isPosted { storage.cancelSweep() }
    }

    /// The items of a stack, in an object that its timer can keep.
    ///
    /// The timer must not keep the stack alive, because releasing the client closes the connections. A weak
    /// reference is no alternative: LeakSanitizer reports the side table that Swift allocates for it.
    private final class Storage: Sendable {
        private struct State {
            /// Sorted by the time of the last use, earliest first.
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

        /// Drops the items that no call has used for ``lifetime``.
        ///
        /// - Returns: the time of the earliest last use among the items that are left; nil if none is left, so that
        ///   no further sweep is needed.
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

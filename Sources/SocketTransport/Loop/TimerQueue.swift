/// A queue of deadlines: a ``DeadlineHeap`` whose entries can be moved and removed by handle.
///
/// Pure: it never reads a clock. Adding and removing the latest deadline, the usual case of a
/// timeout that does not fire, takes constant time.
package struct TimerQueue {
    private enum Slot {
        case free(next: Int)
        case used(position: Int, target: any TimerTarget)
    }

    /// The targets, with their positions in the heap.
    private struct Slots: HeapPositions {
        var list: [Slot] = []
        var firstFree = -1

        mutating func set(_ position: Int, of item: Int) {
            if case .used(_, let target) = list[item] {
                list[item] = .used(position: position, target: target)
            }
        }
    }

    private var heap = DeadlineHeap()
    private var slots = Slots()

    package init() {}

    /// The earliest deadline, or `.never` if the queue is empty.
    package var earliest: Deadline { heap.earliest }

    package var count: Int { heap.count }

    /// Adds a timer; its handle is valid until the timer fires or is removed.
    package mutating func add(_ target: any TimerTarget, at deadline: Deadline) -> TimerHandle {
        let slot: Int
        if slots.firstFree >= 0 {
            slot = slots.firstFree
            guard case .free(let next) = slots.list[slot] else {
                preconditionFailure("the free list holds free slots only")
            }
            slots.firstFree = next
        } else {
            slot = slots.list.count
            slots.list.append(.free(next: -1))
        }
        slots.list[slot] = .used(position: heap.count, target: target)
        heap.add(slot, at: deadline, &slots)
        return TimerHandle(slot: slot)
    }

    package mutating func move(_ handle: TimerHandle, to deadline: Deadline) {
        guard case .used(let position, _) = slots.list[handle.slot] else {
            preconditionFailure("the timer has fired or was removed")
        }
        heap.move(position, to: deadline, &slots)
    }

    package mutating func remove(_ handle: TimerHandle) {
        guard case .used(let position, _) = slots.list[handle.slot] else {
            preconditionFailure("the timer has fired or was removed")
        }
        removeEntry(at: position)
    }

    /// Removes and returns the earliest timer whose deadline has passed; nil if there is none.
    package mutating func popExpired(at now: Deadline) -> (any TimerTarget)? {
        guard let first = heap.first, first.deadline <= now,
            case .used(_, let target) = slots.list[first.item]
        else { return nil }
        removeEntry(at: 0)
        return target
    }

    private mutating func removeEntry(at position: Int) {
        let slot = heap.remove(at: position, &slots)
        slots.list[slot] = .free(next: slots.firstFree)
        slots.firstFree = slot
    }
}

/// A handle to a timer that is still in the queue.
package struct TimerHandle {
    fileprivate let slot: Int
}

/// A receiver of timer events, on the loop's thread.
package protocol TimerTarget: AnyObject {
    /// Called when the timer fires; it has left the queue, so its handle is invalid.
    func timerFired(now: Deadline)
}

/// A timer that runs an action once, on the loop, when a deadline has passed.
///
/// Loop-confined.
package final class LoopTimer: TimerTarget {
    private let loop: EventLoop
    private var handle: TimerHandle?
    private var action: (() -> Void)?

    /// Schedules `action`; the loop retains the timer until it fires or is canceled.
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

/// A timeout for a wait that does not run on the loop, implemented as a timer of the loop.
///
/// It may be created and canceled on any thread. It is Sendable because only the thread of the loop
/// accesses its state.
package final class LoopTimeout: @unchecked Sendable {
    private let loop: EventLoop
    private var timer: LoopTimer?
    /// Whether it was canceled; this may happen before the loop has set the timer.
    private var isOver = false

    /// Calls `action` on the loop when the deadline has passed; never when the loop cannot run.
    ///
    /// A call detects a stopped loop itself when it moves to the loop.
    package init(
        on loop: EventLoop,
        at deadline: Deadline,
        _ action: @escaping @Sendable () -> Void
    ) {
        self.loop = loop
        runOnLoop {
            guard !self.isOver else { return }
            self.timer = LoopTimer(on: loop, at: deadline, action: action)
        }
    }

    /// Cancels the action asynchronously; the action may be running on another thread.
    package func cancel() {
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

/// A queue of deadlines: a binary heap whose entries can be moved and removed by handle.
///
/// Pure: it never reads a clock. Adding and removing the latest deadline, the usual case of a
/// timeout that does not fire, takes constant time.
package struct TimerQueue {
    private struct Entry {
        var deadline: Deadline
        let slot: Int
    }

    private enum Slot {
        case free(next: Int)
        case used(position: Int, target: any TimerTarget)
    }

    private var heap: [Entry] = []
    private var slots: [Slot] = []
    private var firstFree = -1

    package init() {}

    /// The earliest deadline, or `.never` if the queue is empty.
    package var earliest: Deadline { heap.isEmpty ? .never : heap[0].deadline }

    package var count: Int { heap.count }

    /// Adds a timer; its handle is valid until the timer fires or is removed.
    package mutating func add(_ target: any TimerTarget, at deadline: Deadline) -> TimerHandle {
        let slot: Int
        if firstFree >= 0 {
            slot = firstFree
            guard case .free(let next) = slots[slot] else {
                preconditionFailure("the free list holds free slots only")
            }
            firstFree = next
        } else {
            slot = slots.count
            slots.append(.free(next: -1))
        }
        slots[slot] = .used(position: heap.count, target: target)
        heap.append(Entry(deadline: deadline, slot: slot))
        siftUp(heap.count - 1)
        return TimerHandle(slot: slot)
    }

    package mutating func move(_ handle: TimerHandle, to deadline: Deadline) {
        guard case .used(let position, _) = slots[handle.slot] else {
            preconditionFailure("the timer has fired or was removed")
        }
        let earlier = deadline < heap[position].deadline
        heap[position].deadline = deadline
        if earlier { siftUp(position) } else { siftDown(position) }
    }

    package mutating func remove(_ handle: TimerHandle) {
        guard case .used(let position, _) = slots[handle.slot] else {
            preconditionFailure("the timer has fired or was removed")
        }
        removeEntry(at: position)
    }

    /// Removes and returns the earliest timer whose deadline has passed; nil if there is none.
    package mutating func popExpired(at now: Deadline) -> (any TimerTarget)? {
        guard let first = heap.first, first.deadline <= now,
            case .used(_, let target) = slots[first.slot]
        else { return nil }
        removeEntry(at: 0)
        return target
    }

    private mutating func removeEntry(at position: Int) {
        let slot = heap[position].slot
        let last = heap.removeLast()
        if position < heap.count {
            heap[position] = last
            updateSlot(position)
            siftUp(position)
            siftDown(position)
        }
        slots[slot] = .free(next: firstFree)
        firstFree = slot
    }

    private mutating func siftUp(_ start: Int) {
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard heap[position].deadline < heap[parent].deadline else { break }
            swapEntries(position, parent)
            position = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var position = start
        while true {
            var least = position
            let left = 2 * position + 1
            let right = left + 1
            if left < heap.count, heap[left].deadline < heap[least].deadline { least = left }
            if right < heap.count, heap[right].deadline < heap[least].deadline { least = right }
            guard least != position else { return }
            swapEntries(position, least)
            position = least
        }
    }

    private mutating func swapEntries(_ left: Int, _ right: Int) {
        heap.swapAt(left, right)
        updateSlot(left)
        updateSlot(right)
    }

    /// Updates the position of a heap entry in its slot.
    private mutating func updateSlot(_ position: Int) {
        let slot = heap[position].slot
        if case .used(_, let target) = slots[slot] {
            slots[slot] = .used(position: position, target: target)
        }
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

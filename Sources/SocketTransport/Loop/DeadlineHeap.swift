/// A binary heap of deadlines, the earliest first.
///
/// Each entry has the number of an item of its owner. Adding and removing the latest deadline takes constant time.
package struct DeadlineHeap {
    /// A deadline and the item that it belongs to.
    package struct Entry {
        package fileprivate(set) var deadline: Deadline
        package let item: Int
    }

    private var entries: [Entry] = []

    package init() {}

    package var count: Int { entries.count }

    /// The entry with the earliest deadline; nil if the heap is empty.
    package var first: Entry? { entries.first }

    /// The earliest deadline, or `.never` if the heap is empty.
    package var earliest: Deadline { entries.isEmpty ? .never : entries[0].deadline }

    /// Adds an entry, at first behind all others.
    package mutating func add(
        _ item: Int,
        at deadline: Deadline,
        _ positions: inout some HeapPositions
    ) {
        entries.append(Entry(deadline: deadline, item: item))
        siftUp(entries.count - 1, &positions)
    }

    /// Changes the deadline of the entry at a position.
    mutating func move(
        _ position: Int,
        to deadline: Deadline,
        _ positions: inout some HeapPositions
    ) {
        let earlier = deadline < entries[position].deadline
        entries[position].deadline = deadline
        if earlier { siftUp(position, &positions) } else { siftDown(position, &positions) }
    }

    /// Removes the entry at a position, and returns its item.
    @discardableResult package mutating func remove(
        at position: Int,
        _ positions: inout some HeapPositions
    ) -> Int {
        let item = entries[position].item
        let last = entries.removeLast()
        if position < entries.count {
            entries[position] = last
            positions.set(position, of: last.item)
            siftUp(position, &positions)
            siftDown(position, &positions)
        }
        return item
    }

    private mutating func siftUp(_ start: Int, _ positions: inout some HeapPositions) {
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard entries[position].deadline < entries[parent].deadline else { break }
            swapEntries(position, parent, &positions)
            position = parent
        }
    }

    private mutating func siftDown(_ start: Int, _ positions: inout some HeapPositions) {
        var position = start
        while true {
            var least = position
            let left = 2 * position + 1
            let right = left + 1
            if left < entries.count, entries[left].deadline < entries[least].deadline {
                least = left
            }
            if right < entries.count, entries[right].deadline < entries[least].deadline {
                least = right
            }
            guard least != position else { return }
            swapEntries(position, least, &positions)
            position = least
        }
    }

    private mutating func swapEntries(
        _ left: Int,
        _ right: Int,
        _ positions: inout some HeapPositions
    ) {
        entries.swapAt(left, right)
        positions.set(left, of: entries[left].item)
        positions.set(right, of: entries[right].item)
    }
}

/// The positions of items in a ``DeadlineHeap``, for an owner that moves or removes them.
package protocol HeapPositions {
    mutating func set(_ position: Int, of item: Int)
}

/// The positions of items whose entries are removed only when their deadline passes.
package struct UnknownPositions: HeapPositions {
    package init() {}

    package mutating func set(_ position: Int, of item: Int) {}
}

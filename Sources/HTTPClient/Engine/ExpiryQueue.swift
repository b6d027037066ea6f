internal import SocketTransport

/// Orders the moments at which idle connections are to be looked at: a binary heap.
///
/// Entries are not moved: a connection that was used meanwhile is put in again when its moment
/// comes. So a request costs nothing here, however often its connection is used.
struct ExpiryQueue {
    /// A connection and when to look at it.
    struct Entry {
        let deadline: Deadline
        let connection: Int
    }

    private var heap: [Entry] = []

    /// The earliest moment; `.never` when there is none.
    var earliest: Deadline { heap.first?.deadline ?? .never }

    mutating func add(_ connection: Int, at deadline: Deadline) {
        heap.append(Entry(deadline: deadline, connection: connection))
        var position = heap.count - 1
        while position > 0 {
            let parent = (position - 1) / 2
            guard heap[position].deadline < heap[parent].deadline else { break }
            heap.swapAt(position, parent)
            position = parent
        }
    }

    /// Takes out the entry whose moment came first; nil when none has come yet.
    mutating func popPassed(at now: Deadline) -> Entry? {
        guard let first = heap.first, first.deadline <= now else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            siftDown()
        }
        return first
    }

    private mutating func siftDown() {
        var position = 0
        while true {
            var least = position
            for child in [2 * position + 1, 2 * position + 2]
            where child < heap.count && heap[child].deadline < heap[least].deadline {
                least = child
            }
            guard least != position else { return }
            heap.swapAt(position, least)
            position = least
        }
    }
}

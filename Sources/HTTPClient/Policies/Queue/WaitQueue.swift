/// A queue of waiting requests, ordered by priority and by arrival among equals.
struct WaitQueue {
    /// A waiting request.
    struct Waiter {
        let id: UInt64
        let priority: Int8

        /// Returns whether this request is served before another.
        func precedes(_ other: Waiter) -> Bool {
            priority > other.priority || priority == other.priority && id < other.id
        }
    }

    /// The requests of one priority; the first `gone` entries have been removed.
    private struct Level {
        let priority: Int8
        var ids: [UInt64] = []
        var gone = 0
    }

    /// The levels, highest priority first; usually there is one.
    private var levels: [Level] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The request that is served next.
    var first: Waiter? {
        for line in levels where line.gone < line.ids.count {
            return Waiter(id: line.ids[line.gone], priority: line.priority)
        }
        return nil
    }

    /// Appends a request; `id` is larger than any before.
    mutating func append(_ id: UInt64, priority: Int8) {
        count += 1
        if let index = levels.firstIndex(where: { $0.priority <= priority }) {
            if levels[index].priority != priority {
                levels.insert(Level(priority: priority), at: index)
            }
            levels[index].ids.append(id)
        } else {
            levels.append(Level(priority: priority, ids: [id]))
        }
    }

    mutating func removeFirst() -> UInt64? {
        for index in levels.indices where levels[index].gone < levels[index].ids.count {
            let id = levels[index].ids[levels[index].gone]
            levels[index].gone += 1
            count -= 1
            shrink(index)
            return id
        }
        return nil
    }

    /// Removes a request that stops waiting; returns false when it is not in the queue.
    mutating func remove(_ id: UInt64) -> Bool {
        for index in levels.indices {
            let line = levels[index]
            guard let place = Self.find(id, in: line.ids[line.gone...]) else { continue }
            levels[index].ids.remove(at: place)
            count -= 1
            return true
        }
        return false
    }

    /// Frees the memory of removed requests from time to time, so that each removal is cheap.
    private mutating func shrink(_ index: Int) {
        let line = levels[index]
        if line.gone == line.ids.count {
            levels[index].ids.removeAll(keepingCapacity: line.ids.count < 64)
            levels[index].gone = 0
        } else if line.gone > 64, line.gone > line.ids.count / 2 {
            levels[index].ids.removeFirst(line.gone)
            levels[index].gone = 0
        }
    }

    /// Finds an ID in ascending order by binary search.
    private static func find(
        _ id: UInt64,
        in ids: ArraySlice<UInt64>
    ) -> Int? {
        var (low, high) = (ids.startIndex, ids.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low < ids.endIndex && ids[low] == id ? low : nil
    }
}

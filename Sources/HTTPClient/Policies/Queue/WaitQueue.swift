/// Holds those who wait at one origin: by priority, and in order of arrival among equals.
struct WaitQueue {
    /// Somebody who waits.
    struct Waiter {
        let id: PoolState.WaiterID
        let priority: Int8

        /// Whether this one is served before another.
        func precedes(_ other: Waiter) -> Bool {
            priority > other.priority || priority == other.priority && id < other.id
        }
    }

    /// Those of one priority; the first ones are gone already.
    private struct Level {
        let priority: Int8
        var ids: [PoolState.WaiterID] = []
        var gone = 0
    }

    /// Highest priority first; mostly one.
    private var levels: [Level] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Who is served next.
    var first: Waiter? {
        for line in levels where line.gone < line.ids.count {
            return Waiter(id: line.ids[line.gone], priority: line.priority)
        }
        return nil
    }

    /// Adds somebody; `id` is larger than any before.
    mutating func append(_ id: PoolState.WaiterID, priority: Int8) {
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

    mutating func removeFirst() -> PoolState.WaiterID? {
        for index in levels.indices where levels[index].gone < levels[index].ids.count {
            let id = levels[index].ids[levels[index].gone]
            levels[index].gone += 1
            count -= 1
            shrink(index)
            return id
        }
        return nil
    }

    /// Takes somebody out who gave up; false when they do not wait here.
    mutating func remove(_ id: PoolState.WaiterID) -> Bool {
        for index in levels.indices {
            let line = levels[index]
            guard let place = Self.find(id, in: line.ids[line.gone...]) else { continue }
            levels[index].ids.remove(at: place)
            count -= 1
            return true
        }
        return false
    }

    /// Gives back the room of those who are gone, now and then, so that each removal is cheap.
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

    /// Finds a number in rising ones.
    private static func find(
        _ id: PoolState.WaiterID,
        in ids: ArraySlice<PoolState.WaiterID>
    ) -> Int? {
        var (low, high) = (ids.startIndex, ids.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low < ids.endIndex && ids[low] == id ? low : nil
    }
}

// To change the order of waiting requests, change the wait queue at the end of this file, which the pool and the
// client's queue use. `QueueStateTests` has no clock.

/// The state of a queue, which determines the requests that may run.
///
/// A limited number runs at a time. Larger priorities go first, and equal priorities go in order of
/// arrival. The type is pure.
package struct QueueState: Sendable {
    /// The ID of a request; later requests have larger IDs.
    package typealias ID = UInt64

    /// The result of entering the queue.
    package struct Entry: Sendable, Equatable {
        package let id: ID
        package let isAdmitted: Bool
    }

    /// All requests in the queue.
    package struct Members: Sendable, Equatable {
        package let waiting: [ID]
        package let running: Set<ID>
    }

    package private(set) var limit: Int
    package private(set) var isSuspended = false
    package private(set) var running: Set<ID> = []
    private var waitQueue = WaitQueue()
    private var lastID: ID = 0

    package init(limit: Int) {
        self.limit = max(limit, 1)
    }

    package var waitingCount: Int { waitQueue.count }

    /// Admits or enqueues a request.
    package mutating func enter(priority: Int8) -> Entry {
        lastID += 1
        let isAdmitted = !isSuspended && running.count < limit && waitQueue.isEmpty
        if isAdmitted {
            running.insert(lastID)
        } else {
            waitQueue.append(lastID, priority: priority)
        }
        return Entry(id: lastID, isAdmitted: isAdmitted)
    }

    /// Removes a running request; a waiting request is removed by ``cancel(_:)``.
    ///
    /// - Returns: the requests that may run now.
    package mutating func release(_ id: ID) -> [ID] {
        guard running.remove(id) != nil else { return [] }
        return admit()
    }

    /// Removes a waiting request; returns false when it does not wait.
    package mutating func cancel(_ id: ID) -> Bool {
        waitQueue.remove(id)
    }

    /// Changes the maximum number of running requests; requests beyond it finish normally.
    ///
    /// - Parameter limit: at least 1; smaller numbers count as 1.
    /// - Returns: the requests that may run now.
    package mutating func setLimit(_ limit: Int) -> [ID] {
        self.limit = max(limit, 1)
        return admit()
    }

    /// Stops admitting requests; running requests continue.
    package mutating func suspend() {
        isSuspended = true
    }

    /// Ends ``suspend()``.
    ///
    /// - Returns: the requests that may run now.
    package mutating func resume() -> [ID] {
        isSuspended = false
        return admit()
    }

    /// Removes all waiting requests.
    ///
    /// - Returns: them, and the running requests, each of which still calls ``release(_:)``.
    package mutating func clear() -> Members {
        var waiting: [ID] = []
        while let id = waitQueue.removeFirst() { waiting.append(id) }
        return Members(waiting: waiting, running: running)
    }

    private mutating func admit() -> [ID] {
        var admitted: [ID] = []
        while !isSuspended, running.count < limit, let id = waitQueue.removeFirst() {
            running.insert(id)
            admitted.append(id)
        }
        return admitted
    }
}

/// A queue of waiting requests, ordered by priority and by arrival among equals.
package struct WaitQueue {
    /// A waiting request.
    package struct Waiter {
        package let id: UInt64
        let priority: Int8

        /// Returns whether this request is served before another.
        package func precedes(_ other: Waiter) -> Bool {
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
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// The request that is served next.
    package var first: Waiter? {
        for line in levels where line.gone < line.ids.count {
            return Waiter(id: line.ids[line.gone], priority: line.priority)
        }
        return nil
    }

    /// Appends a request; `id` is larger than any before.
    package mutating func append(_ id: UInt64, priority: Int8) {
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

    package mutating func removeFirst() -> UInt64? {
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
    package mutating func remove(_ id: UInt64) -> Bool {
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

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

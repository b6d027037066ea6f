/// Decides who of those who came may go: a bounded number at a time, larger priorities first, and in
/// order of arrival among equals.
///
/// Pure.
package struct QueueState: Sendable {
    /// Names somebody who came; later ones have larger numbers.
    package typealias ID = PoolState.WaiterID

    /// Tells what becomes of somebody who comes.
    package struct Entry: Sendable, Equatable {
        package let id: ID
        package let isAdmitted: Bool
    }

    /// Everybody there is.
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

    /// Somebody comes: they may go at once, or wait.
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

    /// Somebody who went is back; one who waited gives up by ``cancel(_:)``.
    ///
    /// - Returns: who may go now.
    package mutating func release(_ id: ID) -> [ID] {
        guard running.remove(id) != nil else { return [] }
        return admit()
    }

    /// Somebody gives up waiting; false when they do not wait.
    package mutating func cancel(_ id: ID) -> Bool {
        waitQueue.remove(id)
    }

    /// Changes how many may be under way; more than that finish what they do.
    ///
    /// - Parameter limit: at least 1; smaller numbers count as 1.
    /// - Returns: who may go now.
    package mutating func setLimit(_ limit: Int) -> [ID] {
        self.limit = max(limit, 1)
        return admit()
    }

    /// Nobody goes any more; those under way finish what they do.
    package mutating func suspend() {
        isSuspended = true
    }

    /// Ends ``suspend()``.
    ///
    /// - Returns: who may go now.
    package mutating func resume() -> [ID] {
        isSuspended = false
        return admit()
    }

    /// Sends everybody home who waits.
    ///
    /// - Returns: them, and who is under way and will ``leave(_:)``.
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

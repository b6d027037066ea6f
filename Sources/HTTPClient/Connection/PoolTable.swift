internal import SocketTransport
internal import Wire

/// The tables of the pool: its connections, their origins, and the idle lists.
///
/// Connections and origins are identified by indices, so that only the lookup of an origin needs
/// hashing. Indices are reused.
struct PoolTable {
    /// The state of one connection.
    struct Slot {
        var origin = 0
        var phase = PoolState.Phase.free
        /// The number of exchanges it was leased for.
        var uses = 0
        /// When it expires if it stays idle.
        var idleEnd = Deadline.never
        /// When it is too old to be leased again.
        var retirement = Deadline.never
        /// Whether it is closed as soon as it is released.
        var isDraining = false
        /// The time of its entry in `expiries`.
        fileprivate var checkAt = Deadline.never
    }

    /// The state of one origin.
    struct OriginState {
        /// The origin's key; nil while the entry is free.
        fileprivate(set) var key: PoolKey?
        fileprivate(set) var idle = IdleLinks.List()
        fileprivate(set) var idleCount = 0
        /// The number of leased and connecting connections.
        fileprivate(set) var occupied = 0
        var waiting = WaitQueue()

        var count: Int { idleCount + occupied }
    }

    private(set) var slots: [Slot] = []
    private(set) var origins: [OriginState] = []
    /// The number of connections, including those still connecting.
    private(set) var total = 0
    /// The list of all idle connections.
    private(set) var idle = IdleLinks.List()

    private var freeSlots: [Int] = []
    private var freeOrigins: [Int] = []
    private var indices: [PoolKey: Int] = [:]
    /// The key of the last lookup in `indices`; its index is in `last`, or -1 for none.
    private var lastKey = PoolKey(origin: Origin(scheme: .http, host: ""))
    private var last = -1
    private var links = IdleLinks()
    private var linksOfOrigins = IdleLinks()
    private var expiries = ExpiryQueue()

    /// The number of origins in the table.
    var originCount: Int { indices.count }

    subscript(connection: Int) -> Slot {
        get { slots[connection] }
        _modify { yield &slots[connection] }
    }

    // MARK: - Origins

    /// Returns the index of an origin; adds the origin if necessary.
    mutating func index(of key: PoolKey) -> Int {
        // Most calls use the origin of the previous call.
        if last >= 0, lastKey == key { return last }
        let index: Int
        if let known = indices[key] {
            index = known
        } else {
            index = freeOrigins.popLast() ?? origins.count
            if index == origins.count { origins.append(OriginState()) }
            origins[index].key = key
            indices[key] = index
        }
        lastKey = key
        last = index
        return index
    }

    /// Removes an origin that has neither connections nor waiters.
    ///
    /// Otherwise a crawler's table would grow with every host it has seen.
    mutating func freeIfUnused(_ origin: Int) {
        guard origins[origin].count == 0, origins[origin].waiting.isEmpty,
            let key = origins[origin].key.take()
        else { return }
        indices[key] = nil
        freeOrigins.append(origin)
        if last == origin { last = -1 }
    }

    mutating func addWaiter(_ waiter: PoolState.WaiterID, priority: Int8, to origin: Int) {
        origins[origin].waiting.append(waiter, priority: priority)
    }

    /// Removes and returns the next waiter; nil if there is none.
    mutating func takeWaiter(_ origin: Int) -> PoolState.WaiterID? {
        origins[origin].waiting.removeFirst()
    }

    mutating func removeWaiter(_ waiter: PoolState.WaiterID, from origin: Int) {
        _ = origins[origin].waiting.remove(waiter)
    }

    // MARK: - Connections

    /// Occupies a slot for a connection that is to be opened.
    mutating func occupy(_ origin: Int) -> Int {
        let index = freeSlots.popLast() ?? slots.count
        if index == slots.count { slots.append(Slot()) }
        slots[index].origin = origin
        slots[index].phase = .connecting
        origins[origin].occupied += 1
        total += 1
        return index
    }

    /// Makes the slot of a leased connection that is gone one of a connection that is to be opened.
    mutating func reoccupy(_ connection: Int) {
        slots[connection].phase = .connecting
        slots[connection].uses = 0
        slots[connection].isDraining = false
    }

    /// Begins another exchange on an occupied connection.
    mutating func markLeased(_ connection: Int) {
        slots[connection].phase = .leased
        slots[connection].uses += 1
    }

    /// Begins another exchange on an idle connection, and returns when it expires.
    mutating func markIdleLeased(_ connection: Int) -> Deadline {
        unlink(connection)
        origins[slots[connection].origin].occupied += 1
        markLeased(connection)
        return slots[connection].idleEnd
    }

    /// Makes a connection the newest idle one.
    mutating func makeIdle(_ connection: Int, until end: Deadline) {
        let origin = slots[connection].origin
        slots[connection].phase = .idle
        slots[connection].idleEnd = end
        links.append(connection, to: &idle)
        linksOfOrigins.append(connection, to: &origins[origin].idle)
        origins[origin].occupied -= 1
        origins[origin].idleCount += 1
        if end < slots[connection].checkAt { schedule(connection) }
    }

    /// Frees the slot of a connection in any phase.
    ///
    /// Its origin stays in the table until ``freeIfUnused(_:)``.
    mutating func free(_ connection: Int) {
        if slots[connection].phase == .idle {
            unlink(connection)
        } else {
            origins[slots[connection].origin].occupied -= 1
        }
        // The slot's entry in `expiries` stays there.
        let checkAt = slots[connection].checkAt
        slots[connection] = Slot()
        slots[connection].checkAt = checkAt
        freeSlots.append(connection)
        total -= 1
    }

    private mutating func unlink(_ connection: Int) {
        let origin = slots[connection].origin
        links.remove(connection, from: &idle)
        linksOfOrigins.remove(connection, from: &origins[origin].idle)
        origins[origin].idleCount -= 1
    }

    // MARK: - Expiry

    /// The next time at which ``popExpired(at:)`` has work to do.
    var nextExpiry: Deadline { expiries.earliest }

    /// Returns a connection that has been idle too long; nil if there is none.
    mutating func popExpired(at now: Deadline) -> Int? {
        while let entry = expiries.popPassed(at: now) {
            let connection = entry.connection
            guard slots[connection].checkAt == entry.deadline else { continue }
            slots[connection].checkAt = .never
            guard slots[connection].phase == .idle else { continue }
            if slots[connection].idleEnd <= now { return connection }
            schedule(connection)
        }
        return nil
    }

    private mutating func schedule(_ connection: Int) {
        let end = slots[connection].idleEnd
        guard end != .never else { return }
        slots[connection].checkAt = end
        expiries.add(connection, at: end)
    }
}

/// The links of doubly linked lists in one table, where removing any member takes constant time.
///
/// Several lists may share one table; a member is in at most one of them.
struct IdleLinks {
    /// The ends of a list; -1 means none.
    struct List {
        fileprivate(set) var oldest = -1
        fileprivate(set) var newest = -1

        var isEmpty: Bool { newest < 0 }
    }

    private struct Neighbours {
        var older = -1
        var newer = -1
    }

    private var table: [Neighbours] = []

    /// Appends a member as the newest.
    mutating func append(_ member: Int, to list: inout List) {
        while table.count <= member { table.append(Neighbours()) }
        table[member] = Neighbours(older: list.newest)
        if list.newest < 0 {
            list.oldest = member
        } else {
            table[list.newest].newer = member
        }
        list.newest = member
    }

    /// Removes a member, which must be in the list.
    mutating func remove(_ member: Int, from list: inout List) {
        let around = table[member]
        if around.older < 0 {
            list.oldest = around.newer
        } else {
            table[around.older].newer = around.newer
        }
        if around.newer < 0 {
            list.newest = around.older
        } else {
            table[around.newer].older = around.older
        }
    }

    /// Returns the member after `member`, from oldest to newest; -1 at the end.
    func newer(than member: Int) -> Int { table[member].newer }
}

/// The times at which idle connections must be checked.
///
/// Entries are not moved. If a connection was used in the meantime, it is added again when its
/// entry comes up. So a request costs nothing here, no matter how often its connection is used.
struct ExpiryQueue {
    private var heap = DeadlineHeap()
    private var positions = UnknownPositions()
    /// The earliest time; `.never` if the queue is empty.
    ///
    /// Stored, because each released connection reads it: a call of the other module would first copy the
    /// state of the pool.
    private(set) var earliest = Deadline.never

    mutating func add(_ connection: Int, at deadline: Deadline) {
        heap.add(connection, at: deadline, &positions)
        earliest = min(earliest, deadline)
    }

    /// Removes and returns the earliest entry that has passed; nil if there is none.
    mutating func popPassed(at now: Deadline) -> (deadline: Deadline, connection: Int)? {
        guard earliest <= now, let first = heap.first else { return nil }
        heap.remove(at: 0, &positions)
        earliest = heap.earliest
        return (first.deadline, first.item)
    }
}

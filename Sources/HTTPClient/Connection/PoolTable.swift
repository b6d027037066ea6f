internal import SocketTransport
internal import Wire

/// Keeps the books of the pool: which connections there are, of which origin, and which are idle.
///
/// Connections and origins are named by their places, so that only finding an origin needs to hash.
/// Places are used again.
struct PoolTable {
    /// What the pool knows of one connection.
    struct Slot {
        var origin = 0
        var phase = PoolState.Phase.free
        /// Exchanges it was leased for.
        var uses = 0
        /// When it expires, should it stay idle.
        var idleEnd = Deadline.never
        /// When it is too old to be leased again.
        var retirement = Deadline.never
        /// It is closed as soon as nobody uses it.
        var isDraining = false
        /// When `expiries` will look at it.
        fileprivate var checkAt = Deadline.never
    }

    /// What the pool knows of one origin.
    struct OriginState {
        /// nil while the place is free for another origin.
        fileprivate(set) var key: PoolKey?
        fileprivate(set) var idle = IdleLinks.List()
        fileprivate(set) var idleCount = 0
        /// Leased and connecting.
        fileprivate(set) var occupied = 0
        var waiting = WaitQueue()

        var count: Int { idleCount + occupied }
    }

    private(set) var slots: [Slot] = []
    private(set) var origins: [OriginState] = []
    /// Connections in all, those still connecting included.
    private(set) var total = 0
    /// All that are idle.
    private(set) var idle = IdleLinks.List()

    private var freeSlots: [Int] = []
    private var freeOrigins: [Int] = []
    private var indices: [PoolKey: Int] = [:]
    /// What was looked up last in `indices`, and its place; -1 for none.
    private var lastKey = PoolKey(origin: Origin(scheme: .http, host: ""))
    private var last = -1
    private var links = IdleLinks()
    private var linksOfOrigins = IdleLinks()
    private var expiries = ExpiryQueue()

    /// The number of origins that have a place.
    var originCount: Int { indices.count }

    subscript(connection: Int) -> Slot {
        get { slots[connection] }
        _modify { yield &slots[connection] }
    }

    // MARK: - Origins

    /// Finds the place of an origin, or gives it one.
    mutating func index(of key: PoolKey) -> Int {
        // Most calls go where the one before went.
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

    /// Gives up the place of an origin that nobody uses or waits for: a crawler's table must not
    /// grow with every host it has seen.
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

    /// Takes out who is served next; nil when nobody waits.
    mutating func takeWaiter(_ origin: Int) -> PoolState.WaiterID? {
        origins[origin].waiting.removeFirst()
    }

    mutating func removeWaiter(_ waiter: PoolState.WaiterID, from origin: Int) {
        _ = origins[origin].waiting.remove(waiter)
    }

    // MARK: - Connections

    /// Takes a place for a connection that is to be opened.
    mutating func occupy(_ origin: Int) -> Int {
        let index = freeSlots.popLast() ?? slots.count
        if index == slots.count { slots.append(Slot()) }
        slots[index].origin = origin
        slots[index].phase = .connecting
        origins[origin].occupied += 1
        total += 1
        return index
    }

    /// Begins another exchange on a connection that is occupied.
    mutating func markLeased(_ connection: Int) {
        slots[connection].phase = .leased
        slots[connection].uses += 1
    }

    /// Begins another exchange on an idle connection; tells when it expires.
    mutating func markIdleLeased(_ connection: Int) -> Deadline {
        unlink(connection)
        origins[slots[connection].origin].occupied += 1
        markLeased(connection)
        return slots[connection].idleEnd
    }

    /// Nobody uses the connection any more: it becomes the newest of the idle ones.
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

    /// Gives up the place of a connection, whatever it was doing.
    ///
    /// Its origin keeps its own place until ``freeIfUnused(_:)``.
    mutating func free(_ connection: Int) {
        if slots[connection].phase == .idle {
            unlink(connection)
        } else {
            origins[slots[connection].origin].occupied -= 1
        }
        // What `expiries` holds for the place stays there.
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

    /// When ``popExpired(at:)`` next has something to look at.
    var nextExpiry: Deadline { expiries.earliest }

    /// Finds a connection that has been idle too long; nil when there is none.
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

/// Links the members of a table, so that one can be taken out of the middle of a list at no cost.
///
/// Several lists may run through one table; a member is in one of them at most.
struct IdleLinks {
    /// The ends of a list; -1 stands for none.
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

    /// Adds a member as the newest.
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

    /// Takes a member out, which must be in the list.
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

    /// The next one after a member, from oldest to newest; -1 at the end.
    func newer(than member: Int) -> Int { table[member].newer }
}

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

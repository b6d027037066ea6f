package import SocketTransport
package import Wire

/// Decides which connection serves whom: the whole pool without a socket, a clock or random.
///
/// The driver reports events and carries out the ``Effects`` it gets back. Rules:
/// - An idle connection is reused newest first: the oldest get to expire.
/// - At most ``Limits/perOrigin`` connections per origin and ``Limits/total`` in all, counting
///   those still connecting. At the total limit the longest idle connection of any origin makes room.
/// - Who finds neither waits: higher priority first, then in order of arrival. The next connection
///   that comes back serves them, or the next place that becomes free. Who wants a fresh one gets
///   the place of the one that comes back.
/// - At the total limit an origin without any connection comes before those that have some, if its
///   turn came first: busy origins do not starve quiet ones.
/// - A connection beyond its age or its number of uses is closed when it comes back.
package struct PoolState {
    package struct Limits: Sendable, Hashable {
        /// Connections to one origin.
        package var perOrigin: Int
        /// Connections in all.
        package var total: Int
        /// How long a connection may lie idle.
        package var idle: Duration
        /// How long after its opening a connection is still leased, give or take a tenth.
        package var age: Duration
        /// How many exchanges a connection carries.
        package var uses: Int

        package init(
            perOrigin: Int,
            total: Int,
            idle: Duration,
            age: Duration = .seconds(600),
            uses: Int = .max
        ) {
            self.perOrigin = perOrigin
            self.total = total
            self.idle = idle
            self.age = age
            self.uses = uses
        }
    }

    /// Names a connection by its place in the table; the place is used again when it is gone.
    package typealias ConnectionIndex = Int
    /// Names somebody who waits.
    package typealias WaiterID = UInt64

    package let limits: Limits
    /// The limits of time, cachedHash once.
    private let idleNanoseconds: Int64
    private let ageNanoseconds: Int64

    private var table = PoolTable()
    /// Origins where somebody waits.
    private var waitingOrigins: Set<Int> = []
    private var waiters: [WaiterID: Int] = [:]
    /// Those who make do with no connection that has been used.
    private var freshWaiters: Set<WaiterID> = []
    private var lastWaiter: WaiterID = 0

    package init(limits: Limits) {
        self.limits = limits
        let start = Deadline(nanoseconds: 0)
        idleNanoseconds = start.advanced(by: limits.idle).nanoseconds
        ageNanoseconds = start.advanced(by: limits.age).nanoseconds
    }

    // MARK: - Leasing

    /// Somebody wants an idle connection to `key`, and makes do with nothing else.
    ///
    /// - Returns: the connection, and when it expires, which it may have done by now.
    package mutating func acquireIdle(
        _ key: PoolKey
    ) -> (connection: ConnectionIndex, end: Deadline)? {
        let origin = table.index(of: key)
        let newest = table.origins[origin].idle.newest
        guard newest >= 0 else {
            table.freeIfUnused(origin)
            return nil
        }
        return (newest, table.markIdleLeased(newest))
    }

    /// Somebody wants a connection to `key`, a `fresh` one if it must have carried nothing yet.
    ///
    /// Higher priorities wait less.
    package mutating func acquire(
        _ key: PoolKey,
        fresh: Bool = false,
        priority: Int8 = 0
    ) -> Acquisition {
        let origin = table.index(of: key)
        let newest = table.origins[origin].idle.newest
        if !fresh, newest >= 0 {
            return .reuse(newest, until: table.markIdleLeased(newest))
        }
        let hasRoom = table.origins[origin].count < limits.perOrigin
        if hasRoom, table.total < limits.total { return .open(table.occupy(origin)) }
        let victim = hasRoom ? table.idle.oldest : table.origins[origin].idle.oldest
        if victim >= 0 {
            // In this order, or the origin could lose its place with its last connection.
            let opening = table.occupy(origin)
            close(victim)
            return .evictAndOpen(victim: victim, opening)
        }
        lastWaiter += 1
        table.addWaiter(lastWaiter, priority: priority, to: origin)
        waitingOrigins.insert(origin)
        waiters[lastWaiter] = origin
        if fresh { freshWaiters.insert(lastWaiter) }
        return .wait(lastWaiter)
    }

    /// A waiter gave up before it was served.
    package mutating func stopWaiting(_ waiter: WaiterID) {
        guard let origin = waiters.removeValue(forKey: waiter) else { return }
        freshWaiters.remove(waiter)
        table.removeWaiter(waiter, from: origin)
        updateWaitingOrigin(origin)
        table.freeIfUnused(origin)
    }

    /// Reserves a place for a connection that nobody waits for; nil when there is no room without
    /// closing another.
    package mutating func reserve(_ key: PoolKey) -> ConnectionIndex? {
        let origin = table.index(of: key)
        defer { table.freeIfUnused(origin) }
        guard table.origins[origin].count < limits.perOrigin, table.total < limits.total
        else { return nil }
        return table.occupy(origin)
    }

    // MARK: - A connection's life

    /// A connection was opened at a place that was given out for it.
    ///
    /// The `variation`, from -0.1 to 0.1, spreads the ages of connections that were opened together.
    /// One that was reserved is not leased, and is given back at once.
    package mutating func opened(
        _ connection: ConnectionIndex,
        at now: Deadline,
        variation: Double = 0,
        isLeased: Bool = true
    ) {
        let age = Double(ageNanoseconds) * (1 + variation)
        table[connection].retirement = now.advanced(
            byNanoseconds: age < 0x1p62 ? Int64(age) : .max
        )
        if isLeased { table.markLeased(connection) }
    }

    /// A leased connection is free again and may be reused; `idle` is how long its peer keeps it, in
    /// nanoseconds, if it said so.
    package mutating func release(
        _ connection: ConnectionIndex,
        at now: Deadline,
        idle: Int64? = nil
    ) -> Effects {
        let slot = table[connection]
        guard !slot.isDraining, slot.uses < limits.uses, now < slot.retirement else {
            var effects = closed(connection)
            effects.close.append(connection)
            return effects
        }
        var effects = Effects()
        if !waitingOrigins.isEmpty {
            if let next = starvedOrigin(before: slot.origin) ?? freshOrigin(slot.origin) {
                close(connection)
                effects.close = [connection]
                effects.open = open(for: next)
                return effects
            }
            if let waiter = takeWaiter(slot.origin) {
                effects.lease = Assignment(waiter: waiter, connection: connection)
                table.markLeased(connection)
                return effects
            }
        }
        let end = now.advanced(byNanoseconds: min(idleNanoseconds, idle ?? .max))
        table.makeIdle(connection, until: min(end, slot.retirement))
        // A waiter of another origin may be held up by the total limit: idle makes room for busy.
        if table.total >= limits.total, let origin = nextOriginWithRoom() {
            let victim = table.idle.oldest
            close(victim)
            effects.close = [victim]
            effects.open = open(for: origin)
        }
        return effects
    }

    /// A connection is gone: one that was leased or idle, or one that could not be opened.
    package mutating func closed(_ connection: ConnectionIndex) -> Effects {
        let origin = table[connection].origin
        let wasFull = table.total >= limits.total
        table.free(connection)
        var effects = Effects()
        if !waitingOrigins.isEmpty, table.total < limits.total {
            // Below the total limit only the same origin can have somebody waiting for the place.
            let next = wasFull ? nextOriginWithRoom() : origin
            if let next, table.origins[next].count < limits.perOrigin {
                effects.open = open(for: next)
            }
        }
        table.freeIfUnused(origin)
        return effects
    }

    /// Time has passed: takes out what has been idle too long.
    package mutating func expire(at now: Deadline) -> Effects {
        var effects = Effects()
        while let connection = table.popExpired(at: now) {
            close(connection)
            effects.close.append(connection)
        }
        return effects
    }

    /// When ``expire(at:)`` next has something to look at.
    package var nextExpiry: Deadline { table.nextExpiry }

    // MARK: - Closing on purpose

    /// Closes what is idle, of one origin or of all, and the rest when it comes back.
    ///
    /// - Returns: what to close now, and what will be closed.
    package mutating func drain(
        _ wanted: Origin?
    ) -> (effects: Effects, busy: [ConnectionIndex]) {
        var effects = Effects()
        var busy: [ConnectionIndex] = []
        for connection in table.slots.indices {
            let slot = table[connection]
            guard slot.phase != .free,
                wanted == nil || table.origins[slot.origin].key?.origin == wanted
            else { continue }
            if slot.phase == .idle {
                close(connection)
                effects.close.append(connection)
            } else {
                table[connection].isDraining = true
                busy.append(connection)
            }
        }
        return (effects, busy)
    }

    /// Closes a connection when nobody uses it, which may be at once.
    package mutating func evict(_ connection: ConnectionIndex) -> Effects {
        guard table[connection].phase == .idle else {
            table[connection].isDraining = table[connection].phase != .free
            return Effects()
        }
        var effects = closed(connection)
        effects.close.append(connection)
        return effects
    }

    /// Whether a connection is closed as soon as nobody uses it.
    package func isDraining(_ connection: ConnectionIndex) -> Bool { table[connection].isDraining }

    /// Descriptors are needed: closes the connection that has been idle longest; nil when none is
    /// idle.
    package mutating func evictOldestIdle() -> Effects? {
        let victim = table.idle.oldest
        return victim >= 0 ? evict(victim) : nil
    }

    // MARK: - Looking

    /// The number of origins the pool knows.
    package var originCount: Int { table.originCount }

    /// The number of idle connections, of connections in use or connectOptions, and of waiters.
    package var counts: (idle: Int, occupied: Int, waiting: Int) {
        table.origins.reduce(into: (0, 0, 0)) { sum, origin in
            sum.0 += origin.idleCount
            sum.1 += origin.occupied
            sum.2 += origin.waiting.count
        }
    }

    /// What one origin has.
    package struct View {
        package let key: PoolKey
        package var connections: [(index: ConnectionIndex, phase: Phase, uses: Int)] = []
        package let waiting: Int
    }

    /// Tells what each origin has, in no particular order.
    package var views: [View] {
        var places: [Int: Int] = [:]
        var views: [View] = []
        for (index, origin) in table.origins.enumerated() {
            guard let key = origin.key else { continue }
            places[index] = views.count
            views.append(View(key: key, waiting: origin.waiting.count))
        }
        for (index, slot) in table.slots.enumerated() where slot.phase != .free {
            guard let place = places[slot.origin] else { continue }
            views[place].connections.append((index, slot.phase, slot.uses))
        }
        return views
    }

    // MARK: - Decisions

    /// Finds who waits at an origin without connections, and came before those at `origin`.
    private func starvedOrigin(before origin: Int) -> Int? {
        guard table.total >= limits.total else { return nil }
        var best = table.origins[origin].waiting.first.map { (origin: origin, waiter: $0) }
        for other in waitingOrigins where table.origins[other].count == 0 {
            guard let waiter = table.origins[other].waiting.first else { continue }
            if best.map({ waiter.precedes($0.waiter) }) ?? true { best = (other, waiter) }
        }
        return best?.origin == origin ? nil : best?.origin
    }

    /// The origin itself, when its first waiter wants a connection that has carried nothing yet.
    private func freshOrigin(_ origin: Int) -> Int? {
        let waiter = table.origins[origin].waiting.first
        return waiter.map { freshWaiters.contains($0.id) } == true ? origin : nil
    }

    /// The origin whose first waiter comes first among those that may open a connection.
    private func nextOriginWithRoom() -> Int? {
        var best: (origin: Int, waiter: WaitQueue.Waiter)?
        for origin in waitingOrigins where table.origins[origin].count < limits.perOrigin {
            guard let waiter = table.origins[origin].waiting.first else { continue }
            if best.map({ waiter.precedes($0.waiter) }) ?? true { best = (origin, waiter) }
        }
        return best?.origin
    }

    /// Gives a place to the first waiter of an origin.
    private mutating func open(for origin: Int) -> Assignment? {
        guard let waiter = takeWaiter(origin) else { return nil }
        return Assignment(waiter: waiter, connection: table.occupy(origin))
    }

    private mutating func takeWaiter(_ origin: Int) -> WaiterID? {
        guard let waiter = table.takeWaiter(origin) else { return nil }
        waiters[waiter] = nil
        freshWaiters.remove(waiter)
        updateWaitingOrigin(origin)
        return waiter
    }

    private mutating func updateWaitingOrigin(_ origin: Int) {
        if table.origins[origin].waiting.isEmpty { waitingOrigins.remove(origin) }
    }

    private mutating func close(_ connection: ConnectionIndex) {
        let origin = table[connection].origin
        table.free(connection)
        table.freeIfUnused(origin)
    }
}

extension PoolState {
    /// What a caller who wants a connection does next.
    package enum Acquisition: Equatable {
        /// Use this idle connection, unless it has expired by now.
        case reuse(ConnectionIndex, until: Deadline)
        /// Open a connection at this place, which is counted already.
        case open(ConnectionIndex)
        /// Close this idle connection, then open one.
        case evictAndOpen(victim: ConnectionIndex, ConnectionIndex)
        /// Wait for ``Effects``.
        case wait(WaiterID)
    }

    /// What the driver does after an event: first it closes, then it hands over and opens.
    package struct Effects: Equatable {
        /// Close these connections; their places are free already.
        package var close: [ConnectionIndex] = []
        /// Hand this connection to this waiter.
        package var lease: Assignment?
        /// Tell this waiter to open a connection at this place, which is counted already.
        package var open: Assignment?

        package init() {}
    }

    /// Who gets which connection.
    package struct Assignment: Equatable {
        package let waiter: WaiterID
        package let connection: ConnectionIndex

        package init(waiter: WaiterID, connection: ConnectionIndex) {
            self.waiter = waiter
            self.connection = connection
        }
    }

    /// What a connection is doing.
    package enum Phase {
        /// It is not there: its place may be given away.
        case free
        case connecting
        case leased
        case idle
    }
}

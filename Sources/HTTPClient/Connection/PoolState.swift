package import SocketTransport
package import Wire

// To add a limit of the pool, or to change which connection it takes, change this file; a user sets the limit in
// `HTTPClientConfiguration`. `PoolStateTests` has no clock.

/// The decisions of a connection pool, without sockets, clock or random numbers.
///
/// The driver reports events and executes the returned ``Effects``. Rules:
/// - The newest idle connection is reused first, so that the oldest can expire.
/// - There are at most ``Limits/perOrigin`` connections per origin and ``Limits/total`` in all,
///   counting those still connecting. At the total limit, the longest idle connection of any
///   origin is closed for a new one.
/// - A request that finds neither a connection nor a free slot waits: higher priorities first, then
///   in order of arrival. It gets the next released connection or the next free slot. A request
///   for a fresh connection gets the slot of the next released connection.
/// - At the total limit, an origin without any connection precedes those that have some, if its
///   request came first. So busy origins do not starve quiet ones.
/// - A connection that exceeds its age or its number of uses is closed when released.
package struct PoolState {
    package struct Limits: Sendable, Hashable {
        /// The maximum number of connections to one origin.
        package var perOrigin: Int
        /// The maximum number of connections in all.
        package var total: Int
        /// How long a connection may stay idle.
        package var idle: Duration
        /// The age beyond which a connection is not leased again, varied by up to a tenth.
        package var age: Duration
        /// The maximum number of exchanges per connection.
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

        /// Creates the limits in the configuration of a client.
        init(_ configuration: HTTPClientConfiguration) {
            self.init(
                perOrigin: configuration.maxConnectionsPerOrigin,
                total: configuration.maxConnections,
                idle: configuration.idleTimeout,
                age: configuration.maxConnectionAge,
                uses: configuration.maxConnectionUses
            )
        }
    }

    /// A connection's slot in the table; a slot is reused when its connection is gone.
    package typealias ConnectionIndex = Int
    /// The identifier of a waiting request.
    package typealias WaiterID = UInt64

    package let limits: Limits
    /// The time limits, converted once.
    private let idleNanoseconds: Int64
    private let ageNanoseconds: Int64

    private var table = PoolTable()
    /// The origins with waiting requests.
    private var waitingOrigins: Set<Int> = []
    private var waiters: [WaiterID: Int] = [:]
    /// The waiters that need a connection without earlier uses.
    private var freshWaiters: Set<WaiterID> = []
    private var lastWaiter: WaiterID = 0

    package init(limits: Limits) {
        self.limits = limits
        let start = Deadline(nanoseconds: 0)
        idleNanoseconds = start.advanced(by: limits.idle).nanoseconds
        ageNanoseconds = start.advanced(by: limits.age).nanoseconds
    }

    // MARK: - Acquiring

    /// Leases an idle connection to `key`, if there is one.
    ///
    /// - Returns: the connection and its expiry, which may have passed; nil if none is idle.
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

    /// Acquires a connection to `key`, or a new one if `fresh`.
    ///
    /// Requests with higher priorities wait less.
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
            // Occupy the slot first: closing the origin's last connection would remove the origin's entry.
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

    /// Removes a waiter that gave up.
    package mutating func stopWaiting(_ waiter: WaiterID) {
        guard let origin = waiters.removeValue(forKey: waiter) else { return }
        freshWaiters.remove(waiter)
        table.removeWaiter(waiter, from: origin)
        updateWaitingOrigin(origin)
        table.freeIfUnused(origin)
    }

    /// Reserves a slot for a connection without a waiting request.
    ///
    /// It returns nil if that would require closing another connection.
    package mutating func reserve(_ key: PoolKey) -> ConnectionIndex? {
        let origin = table.index(of: key)
        defer { table.freeIfUnused(origin) }
        guard table.origins[origin].count < limits.perOrigin, table.total < limits.total
        else { return nil }
        return table.occupy(origin)
    }

    // MARK: - Connection lifecycle

    /// Records that a connection was opened in its reserved slot.
    ///
    /// The `variation`, from -0.1 to 0.1, spreads the ages of connections that were opened
    /// together. A connection from ``reserve(_:)`` is not leased, and is released at once.
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

    /// Releases a leased connection that may be reused.
    ///
    /// `idle` is how long its peer keeps it open, in nanoseconds; nil if the peer did not announce it.
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
        // The total limit may block a waiter of another origin: close an idle connection for it.
        if table.total >= limits.total, let origin = nextOriginWithRoom() {
            let victim = table.idle.oldest
            close(victim)
            effects.close = [victim]
            effects.open = open(for: origin)
        }
        return effects
    }

    /// Reserves the slot of a leased connection that is gone for a new connection of the same request.
    ///
    /// So the request keeps its turn. Other waiting requests do not get the slot.
    package mutating func reopen(_ connection: ConnectionIndex) {
        table.reoccupy(connection)
    }

    /// Records that a leased or idle connection is gone, or that one could not be opened.
    package mutating func closed(_ connection: ConnectionIndex) -> Effects {
        let origin = table[connection].origin
        let wasFull = table.total >= limits.total
        table.free(connection)
        var effects = Effects()
        if !waitingOrigins.isEmpty, table.total < limits.total {
            // Below the total limit, only the same origin can have waiters for the slot.
            let next = wasFull ? nextOriginWithRoom() : origin
            if let next, table.origins[next].count < limits.perOrigin {
                effects.open = open(for: next)
            }
        }
        table.freeIfUnused(origin)
        return effects
    }

    /// Removes the connections that have been idle too long.
    package mutating func expire(at now: Deadline) -> Effects {
        var effects = Effects()
        while let connection = table.popExpired(at: now) {
            if isTooOld(connection, at: now) { effects.tooOld.append(connection) }
            close(connection)
            effects.close.append(connection)
        }
        return effects
    }

    /// Returns whether a connection has exceeded the limit on the age.
    func isTooOld(_ connection: ConnectionIndex, at now: Deadline) -> Bool {
        table[connection].retirement <= now
    }

    /// The next time at which ``expire(at:)`` has work to do.
    package var nextExpiry: Deadline { table.nextExpiry }

    // MARK: - Closing

    /// Closes idle connections of one origin or of all, and busy ones when they are released.
    ///
    /// - Returns: the connections to close now, and those that will be closed.
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

    /// Closes a connection: now if it is idle, otherwise when it is released.
    package mutating func evict(_ connection: ConnectionIndex) -> Effects {
        guard table[connection].phase == .idle else {
            table[connection].isDraining = table[connection].phase != .free
            return Effects()
        }
        var effects = closed(connection)
        effects.close.append(connection)
        return effects
    }

    /// Returns whether a connection is closed as soon as it is released.
    func isDraining(_ connection: ConnectionIndex) -> Bool { table[connection].isDraining }

    /// Closes the connection that has been idle longest, to free descriptors; nil if none is idle.
    package mutating func evictOldestIdle() -> Effects? {
        let victim = table.idle.oldest
        return victim >= 0 ? evict(victim) : nil
    }

    // MARK: - Inspection

    /// The number of origins the pool knows.
    package var originCount: Int { table.originCount }

    /// The numbers of idle connections, of connections in use or connecting, and of waiters.
    package var counts: (idle: Int, occupied: Int, waiting: Int) {
        table.origins.reduce(into: (0, 0, 0)) { sum, origin in
            sum.0 += origin.idleCount
            sum.1 += origin.occupied
            sum.2 += origin.waiting.count
        }
    }

    /// The state of one origin.
    struct View {
        let key: PoolKey
        var connections: [(index: ConnectionIndex, phase: Phase, uses: Int)] = []
        let waiting: Int
    }

    /// The state of each origin, in no particular order.
    var views: [View] {
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

    /// Returns an origin without connections whose first waiter precedes those of `origin`.
    private func starvedOrigin(before origin: Int) -> Int? {
        guard table.total >= limits.total else { return nil }
        var best = table.origins[origin].waiting.first.map { (origin: origin, waiter: $0) }
        for other in waitingOrigins where table.origins[other].count == 0 {
            guard let waiter = table.origins[other].waiting.first else { continue }
            if best.map({ waiter.precedes($0.waiter) }) ?? true { best = (other, waiter) }
        }
        return best?.origin == origin ? nil : best?.origin
    }

    /// Returns `origin` if its first waiter needs a fresh connection; otherwise nil.
    private func freshOrigin(_ origin: Int) -> Int? {
        let waiter = table.origins[origin].waiting.first
        return waiter.map { freshWaiters.contains($0.id) } == true ? origin : nil
    }

    /// Returns the origin with the first waiter among those that may open a connection.
    private func nextOriginWithRoom() -> Int? {
        var best: (origin: Int, waiter: WaitQueue.Waiter)?
        for origin in waitingOrigins where table.origins[origin].count < limits.perOrigin {
            guard let waiter = table.origins[origin].waiting.first else { continue }
            if best.map({ waiter.precedes($0.waiter) }) ?? true { best = (origin, waiter) }
        }
        return best?.origin
    }

    /// Assigns a free slot to the first waiter of an origin.
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
    /// The next step of a caller that needs a connection.
    package enum Acquisition: Equatable {
        /// Use this idle connection, unless it has expired by now.
        case reuse(ConnectionIndex, until: Deadline)
        /// Open a connection in this slot, which is already counted.
        case open(ConnectionIndex)
        /// Close this idle connection, then open one.
        case evictAndOpen(victim: ConnectionIndex, ConnectionIndex)
        /// Wait for ``Effects``.
        case wait(WaiterID)
    }

    /// The driver's actions after an event: first close, then assign and open.
    package struct Effects: Equatable {
        /// The connections to close; their slots are already free.
        package var close: [ConnectionIndex] = []
        /// Those of ``close`` that have exceeded the limit on the age.
        package var tooOld: [ConnectionIndex] = []
        /// The connection to pass to a waiter.
        package var lease: Assignment?
        /// The slot in which a waiter must open a connection; it is already counted.
        package var open: Assignment?

        package init() {}
    }

    /// The assignment of a connection to a waiter.
    package struct Assignment: Equatable {
        package let waiter: WaiterID
        package let connection: ConnectionIndex

        package init(waiter: WaiterID, connection: ConnectionIndex) {
            self.waiter = waiter
            self.connection = connection
        }
    }

    /// The phase of a connection.
    package enum Phase {
        /// There is no connection; the slot is available.
        case free
        case connecting
        case leased
        case idle
    }
}

package import SocketTransport

/// Decides which connection serves whom: the whole pool without a socket or a clock.
///
/// The driver reports events and carries out the ``Effects`` it gets back. Rules:
/// - An idle connection is reused newest first: the oldest get to expire.
/// - At most ``Limits/perOrigin`` connections per origin and ``Limits/total`` in all, counting
///   those still connecting. At the total limit the longest idle connection of any origin makes room.
/// - Who finds neither waits in order of arrival, and is served by the next connection that comes
///   back or the next place that becomes free.
package struct PoolState {
    package struct Limits: Sendable, Hashable {
        /// Connections to one origin.
        package var perOrigin: Int
        /// Connections in all.
        package var total: Int
        /// How long a connection may lie idle.
        package var idle: Duration

        package init(perOrigin: Int, total: Int, idle: Duration) {
            self.perOrigin = perOrigin
            self.total = total
            self.idle = idle
        }
    }

    /// Names a connection for the life of the pool.
    package typealias ConnectionID = UInt64
    /// Names somebody who waits.
    package typealias WaiterID = UInt64

    /// Names an origin by its place in the table, so that only leasing needs to hash.
    package struct OriginIndex: Hashable {
        fileprivate let value: Int
    }

    /// What a caller who wants a connection does next.
    package enum Lease: Equatable {
        /// Use this idle connection.
        case reuse(ConnectionID)
        /// Open a connection; its place is counted already.
        case open
        /// Close this idle connection of another origin, then open.
        case evictAndOpen(ConnectionID)
        /// Wait for ``Effects``.
        case wait(WaiterID)
    }

    /// What the driver does after an event; independent of each other.
    package struct Effects: Equatable {
        /// Hand this connection to this waiter.
        package var lease: (waiter: WaiterID, connection: ConnectionID)?
        /// Tell this waiter to open a connection; its place is counted already.
        package var open: (waiter: WaiterID, origin: OriginIndex)?
        /// Close these idle connections; they are forgotten already.
        package var close: [ConnectionID] = []

        package init() {}

        package static func == (left: Effects, right: Effects) -> Bool {
            left.lease?.waiter == right.lease?.waiter
                && left.lease?.connection == right.lease?.connection
                && left.open?.waiter == right.open?.waiter
                && left.close == right.close
        }
    }

    private struct Idle {
        let connection: ConnectionID
        let since: Deadline
    }

    private struct OriginState {
        /// nil while the place is free for another origin.
        var key: PoolKey?
        var idle: [Idle] = []
        /// Leased and connecting.
        var occupied = 0
        var waiting: [WaiterID] = []
        var count: Int { idle.count + occupied }
    }

    package let limits: Limits
    /// The idle limit, reckoned once.
    private let idleNanoseconds: Int64
    private var table: [OriginState] = []
    /// Places in the table that no origin has.
    private var free: [Int] = []
    private var indices: [PoolKey: Int] = [:]
    /// What was looked up last in `indices`.
    private var last: (key: PoolKey, index: Int)?
    private var total = 0
    private var lastWaiter: WaiterID = 0

    package init(limits: Limits) {
        self.limits = limits
        idleNanoseconds = Deadline(nanoseconds: 0).advanced(by: limits.idle).nanoseconds
    }

    // MARK: - Events

    /// Somebody wants an idle connection to `key`, and makes do with nothing else.
    package mutating func leaseIdle(
        _ key: PoolKey
    ) -> (index: OriginIndex, connection: ConnectionID)? {
        let index = place(of: key)
        guard let newest = table[index].idle.popLast() else { return nil }
        table[index].occupied += 1
        return (OriginIndex(value: index), newest.connection)
    }

    /// Somebody wants a connection to `key`.
    package mutating func lease(_ key: PoolKey) -> (index: OriginIndex, lease: Lease) {
        let index = place(of: key)
        if let newest = table[index].idle.popLast() {
            table[index].occupied += 1
            return (OriginIndex(value: index), .reuse(newest.connection))
        }
        if table[index].count < limits.perOrigin {
            if total < limits.total {
                occupy(index)
                return (OriginIndex(value: index), .open)
            }
            if let victim = takeLongestIdle() {
                occupy(index)
                return (OriginIndex(value: index), .evictAndOpen(victim))
            }
        }
        lastWaiter += 1
        table[index].waiting.append(lastWaiter)
        return (OriginIndex(value: index), .wait(lastWaiter))
    }

    /// A leased connection is free again and may be reused.
    package mutating func giveBack(
        _ connection: ConnectionID,
        to origin: OriginIndex,
        at now: Deadline
    ) -> Effects {
        var effects = Effects()
        if !table[origin.value].waiting.isEmpty {
            effects.lease = (table[origin.value].waiting.removeFirst(), connection)
            return effects
        }
        table[origin.value].occupied -= 1
        table[origin.value].idle.append(Idle(connection: connection, since: now))
        // A waiter of another origin may be held up by the total limit: idle makes room for busy.
        if total >= limits.total, let (index, waiter) = takeWaiterWithRoom(),
            let victim = takeLongestIdle()
        {
            effects.close = [victim]
            effects.open = (waiter, OriginIndex(value: index))
            occupy(index)
        }
        return effects
    }

    /// A leased connection was closed, or one that was connecting failed.
    package mutating func leasedClosed(of origin: OriginIndex) -> Effects {
        table[origin.value].occupied -= 1
        total -= 1
        let effects = fillRoom(preferring: origin.value)
        freeIfUnused(origin.value)
        return effects
    }

    /// An idle connection was closed by its peer.
    ///
    /// - Returns: nil when it is not idle any more; then nothing has changed.
    package mutating func idleClosed(_ connection: ConnectionID, of origin: OriginIndex) -> Effects?
    {
        guard
            let position = table[origin.value].idle.firstIndex(where: {
                $0.connection == connection
            })
        else { return nil }
        table[origin.value].idle.remove(at: position)
        total -= 1
        let effects = fillRoom(preferring: origin.value)
        freeIfUnused(origin.value)
        return effects
    }

    /// A waiter gave up before it was served.
    package mutating func stopWaiting(_ waiter: WaiterID, for origin: OriginIndex) {
        table[origin.value].waiting.removeAll { $0 == waiter }
        freeIfUnused(origin.value)
    }

    /// Time has passed: takes out what has been idle too long.
    package mutating func expire(at now: Deadline) -> Effects {
        var effects = Effects()
        for index in table.indices {
            let expired = table[index].idle.prefix { expiry(of: $0) <= now }.count
            guard expired > 0 else { continue }
            effects.close += table[index].idle.prefix(expired).map(\.connection)
            table[index].idle.removeFirst(expired)
            total -= expired
            freeIfUnused(index)
        }
        return effects
    }

    /// When ``expire(at:)`` next has something to do.
    package var nextExpiry: Deadline {
        var earliest = Deadline.never
        for state in table {
            if let oldest = state.idle.first { earliest = min(earliest, expiry(of: oldest)) }
        }
        return earliest
    }

    /// The number of places in the table that an origin has.
    package var originCount: Int { indices.count }

    /// The number of idle connections, of connections in use or connecting, and of waiters.
    package var counts: (idle: Int, occupied: Int, waiting: Int) {
        table.reduce(into: (0, 0, 0)) { sum, state in
            sum.0 += state.idle.count
            sum.1 += state.occupied
            sum.2 += state.waiting.count
        }
    }

    // MARK: - Decisions

    /// When a connection is too old that has been idle since then.
    package func expiry(since start: Deadline) -> Deadline {
        start.advanced(byNanoseconds: idleNanoseconds)
    }

    private func expiry(of idle: Idle) -> Deadline {
        expiry(since: idle.since)
    }

    private mutating func place(of key: PoolKey) -> Int {
        // Most calls go where the one before went.
        if let last, last.key == key { return last.index }
        let index: Int
        if let known = indices[key] {
            index = known
        } else {
            index = free.popLast() ?? table.count
            if index == table.count { table.append(OriginState()) }
            table[index].key = key
            indices[key] = index
        }
        last = (key, index)
        return index
    }

    private mutating func occupy(_ index: Int) {
        table[index].occupied += 1
        total += 1
    }

    /// Gives a place that became free to a waiter: of the same origin first.
    private mutating func fillRoom(preferring index: Int) -> Effects {
        var effects = Effects()
        guard total < limits.total else { return effects }
        if !table[index].waiting.isEmpty, table[index].count < limits.perOrigin {
            effects.open = (table[index].waiting.removeFirst(), OriginIndex(value: index))
            occupy(index)
        } else if let (other, waiter) = takeWaiterWithRoom() {
            effects.open = (waiter, OriginIndex(value: other))
            occupy(other)
        }
        return effects
    }

    private mutating func takeWaiterWithRoom() -> (index: Int, waiter: WaiterID)? {
        for index in table.indices
        where !table[index].waiting.isEmpty && table[index].count < limits.perOrigin {
            return (index, table[index].waiting.removeFirst())
        }
        return nil
    }

    private mutating func takeLongestIdle() -> ConnectionID? {
        var oldest: (index: Int, since: Deadline)?
        for index in table.indices {
            guard let first = table[index].idle.first else { continue }
            if first.since < oldest?.since ?? .never { oldest = (index, first.since) }
        }
        guard let oldest else { return nil }
        total -= 1
        let connection = table[oldest.index].idle.removeFirst().connection
        freeIfUnused(oldest.index)
        return connection
    }

    /// Gives up the place of an origin that nobody uses or waits for: a crawler's table must not
    /// grow with every host it has seen.
    private mutating func freeIfUnused(_ index: Int) {
        guard table[index].count == 0, table[index].waiting.isEmpty,
            let key = table[index].key.take()
        else { return }
        indices[key] = nil
        free.append(index)
        if last?.index == index { last = nil }
    }
}

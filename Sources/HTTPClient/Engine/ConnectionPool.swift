internal import SocketTransport
internal import Wire

/// Drives ``PoolState``: opens, keeps and closes the connections it decides on.
///
/// Loop-confined.
final class ConnectionPool {
    private let loop: EventLoop
    private let dialer: Dialer
    private var state: PoolState
    private var idle: [Connection] = []
    private var waiters: [PoolState.WaiterID: Suspension<Grant>] = [:]
    private var lastID: PoolState.ConnectionID = 0
    private var spareBuffers: [ReceiveBuffer] = []
    private var reaper: LoopTimer?
    private var isClosed = false
    private let bufferLimit: Int
    /// Idle connections that keep their receive buffer.
    private static let idleBuffers = 8

    /// What a waiter gets.
    private enum Grant: Sendable {
        case connection(LoopBound<Connection>)
        case open
    }

    init(loop: EventLoop, configuration: HTTPClient.Configuration) {
        self.loop = loop
        dialer = Dialer(loop: loop, configuration: configuration)
        state = PoolState(
            limits: .init(
                perOrigin: configuration.connectionsPerOrigin,
                total: configuration.connections,
                idle: configuration.idleTimeout
            )
        )
        // A head or trailer section must fit; one octet more shows that it does not.
        let limits = configuration.limits
        bufferLimit = max(64 << 10, min(max(limits.headBytes, limits.trailerBytes), .max - 1) + 1)
    }

    // MARK: - Leasing

    /// Finds an idle connection that can carry the call: the usual case, where nothing is waited for.
    ///
    /// - Returns: nil when there is none; then ``lease(for:fresh:)`` makes one or waits.
    func leaseIdle(for call: Call) -> Connection? {
        guard !isClosed else { return nil }
        while let (place, id) = state.leaseIdle(call.plan.key) {
            let connection = takeIdle(id)
            let now = Deadline.now()
            if isUsable(connection, at: now) {
                call.metrics.leasedMark = now
                return begin(connection)
            }
            connection.close()
            perform(state.leasedClosed(of: place))
        }
        return nil
    }

    /// The reaper of a blocking caller's loop does not run between calls: so age is looked at here.
    private func isUsable(_ connection: Connection, at now: Deadline) -> Bool {
        state.expiry(since: connection.idleSince) > now
            && connection.canBeReused(at: now, passTime: loop.passTime)
    }

    private func takeIdle(_ id: PoolState.ConnectionID) -> Connection {
        guard let connection = forgetIdle(id) else {
            preconditionFailure("the pool's state names idle connections only")
        }
        return connection
    }

    /// Takes a connection out of the idle ones; nil when it is none of them.
    ///
    /// Searched from the end, where those are that are used most.
    private func forgetIdle(_ id: PoolState.ConnectionID) -> Connection? {
        guard let position = idle.lastIndex(where: { $0.id == id }) else { return nil }
        return idle.remove(at: position)
    }

    /// Finds or opens a connection for the plan; notes the marks of what it did.
    ///
    /// - Throws: what the phase that failed throws; `phase` of the call says which.
    nonisolated(nonsending) func lease(
        for call: Call,
        fresh: Bool
    ) async throws(TransportError) -> Connection {
        guard !isClosed else { throw .cancelled }
        var (place, lease) = state.lease(call.plan.key)
        while case .reuse(let id) = lease {
            let connection = takeIdle(id)
            if !fresh, isUsable(connection, at: .now()) {
                return begin(connection)
            }
            connection.close()
            perform(state.leasedClosed(of: place))
            (place, lease) = state.lease(call.plan.key)
        }
        switch lease {
        case .open:
            break
        case .evictAndOpen(let victim):
            closeIdle(victim)
        case .wait(let waiter):
            call.phase = .queue
            if case .connection(let granted) = try await wait(as: waiter, at: place, call) {
                return begin(granted.value)
            }
        case .reuse:
            preconditionFailure("the loop above ends otherwise")
        }
        do {
            return begin(try await open(at: place, call))
        } catch {
            perform(state.leasedClosed(of: place))
            throw error
        }
    }

    private nonisolated(nonsending) func wait(
        as waiter: PoolState.WaiterID,
        at place: PoolState.OriginIndex,
        _ call: Call
    ) async throws(TransportError) -> Grant {
        let suspension = Suspension<Grant>(on: loop, phase: .connect)
        waiters[waiter] = suspension
        do {
            try call.scope.enter(suspension)
            let grant = try await suspension.wait(until: call.deadline(call.plan.bounds.queue))
            call.scope.leave()
            return grant
        } catch {
            // When it is not there any more, a grant came too late and `perform` has passed it on.
            if waiters.removeValue(forKey: waiter) != nil {
                state.stopWaiting(waiter, for: place)
            }
            throw error
        }
    }

    private nonisolated(nonsending) func open(
        at place: PoolState.OriginIndex,
        _ call: Call
    ) async throws(TransportError) -> Connection {
        let dialed = try await dialer.dial(call)
        lastID += 1
        let connection = Connection(
            id: lastID,
            socket: dialed.socket,
            secured: dialed.secured,
            place: place
        )
        // Closing the connection ends the watch, and with it the circle of references; weak ones
        // would make every retain of the connection and the pool slow.
        dialed.socket.watchIdle { self.idleConnectionSpoke(connection) }
        return connection
    }

    private func begin(_ connection: Connection) -> Connection {
        connection.isIdle = false
        if connection.input == nil {
            connection.input = spareBuffers.popLast() ?? ReceiveBuffer(maximum: bufferLimit)
        }
        return connection
    }

    // MARK: - Giving back

    /// Takes back a connection whose exchange ended in order and that may be reused.
    func giveBack(_ connection: Connection, at now: Deadline) {
        // A read that filled its room exactly leaves the signal up: then the kernel is asked.
        guard !isClosed, connection.input?.isEmpty ?? true,
            !connection.hasUnreadSignal || connection.isSilent
        else {
            discard(connection)
            return
        }
        let effects = state.giveBack(connection.id, to: connection.place, at: now)
        if effects.lease == nil {
            // The few that are used all the time keep their buffer, the many that wait do not.
            if idle.count >= Self.idleBuffers, let buffer = connection.input.take(),
                spareBuffers.count < 64
            {
                spareBuffers.append(buffer)
            }
            connection.isIdle = true
            connection.idleSince = now
            idle.append(connection)
            armReaper()
        }
        perform(effects, leased: connection)
    }

    /// Closes a leased connection and gives its place to somebody who waits.
    func discard(_ connection: Connection) {
        connection.close()
        if let buffer = connection.input.take(), buffer.isEmpty, spareBuffers.count < 64 {
            spareBuffers.append(buffer)
        }
        perform(state.leasedClosed(of: connection.place))
    }

    /// Closes everything idle and serves nobody any more: the client is gone.
    func close() {
        isClosed = true
        reaper?.cancel()
        reaper = nil
        for connection in idle { connection.close() }
        idle.removeAll()
    }

    /// The peer of an idle connection closed it or sent what nobody asked for: either way it is
    /// of no use, and what came must not be taken for the next answer.
    private func idleConnectionSpoke(_ connection: Connection) {
        guard connection.isIdle, !(connection.secured?.absorb() ?? false),
            forgetIdle(connection.id) != nil
        else { return }
        connection.close()
        if let effects = state.idleClosed(connection.id, of: connection.place) {
            perform(effects)
        }
    }

    private func perform(_ effects: PoolState.Effects, leased: Connection? = nil) {
        for id in effects.close { closeIdle(id) }
        if let lease = effects.lease, let leased {
            let grant = Grant.connection(LoopBound(leased, on: loop))
            let isTaken = waiters.removeValue(forKey: lease.waiter)?.resume(returning: grant)
            if isTaken != true { giveBack(leased, at: .now()) }
        }
        if let open = effects.open {
            let isTaken = waiters.removeValue(forKey: open.waiter)?.resume(returning: .open)
            if isTaken != true { perform(state.leasedClosed(of: open.origin)) }
        }
    }

    private func closeIdle(_ id: PoolState.ConnectionID) {
        forgetIdle(id)?.close()
    }

    // MARK: - Idle time-out

    private func armReaper() {
        guard reaper == nil else { return }
        let next = state.nextExpiry
        guard next != .never else { return }
        reaper = LoopTimer(on: loop, at: next) { self.reap() }
    }

    private func reap() {
        reaper = nil
        perform(state.expire(at: .now()))
        armReaper()
    }
}

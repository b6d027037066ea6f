internal import SocketTransport
internal import Wire

/// Drives ``PoolState``: opens, keeps and closes the connections it decides on.
///
/// Loop-confined.
///
/// What each request touches is exempt from the search for overlapping accesses: one thread alone
/// comes here, and neither the state nor an array calls back while it is being changed.
final class ConnectionPool {
    let loop: EventLoop
    let dialer: Dialer
    let observer: HTTPPoolEvent.Observer?
    @safe @exclusivity(unchecked) var state: PoolState
    /// Every connection that is open, at the place that the state gave it.
    @safe @exclusivity(unchecked) private(set) var connections: [Connection?] = []
    private var waiters: [PoolState.WaiterID: Suspension<Grant>] = [:]
    /// Who waits until connections are gone, for those.
    var drains: [Drain] = []
    var lastID: UInt64 = 0
    /// The other ends of connections that lead nowhere, by the numbers of those.
    var stubbedPeers: [UInt64: StubbedPeer] = [:]
    @safe @exclusivity(unchecked) private var spareBuffers: [ReceiveBuffer] = []
    @safe @exclusivity(unchecked) private var reaper: LoopTimer?
    @safe @exclusivity(unchecked) private var reaperDeadline = Deadline.never
    @safe @exclusivity(unchecked) private(set) var isClosed = false
    /// Connections whose body is being thrown away.
    private var unread: [BodyDrain] = []
    let unreadBodyPolicy: HTTPClientConfiguration.UnreadBodyPolicy
    private let bufferLimit: Int
    /// Idle connections that keep their receive buffer.
    private static let idleBuffers = 8
    @safe @exclusivity(unchecked) private var idleCount = 0
    private var random: SplitMix64
    /// Idle connections closed when no descriptor is left: one new connection may need several.
    private static let maxEvictionsPerExhaustion = 8

    /// What a waiter gets.
    private enum Grant: Sendable {
        case connection(LoopBound<Connection>)
        case open(PoolState.ConnectionIndex)
    }

    /// Waits until these connections are gone.
    struct Drain {
        var connections: Set<PoolState.ConnectionIndex>
        let ended: Suspension<Void>
    }

    init(
        loop: EventLoop,
        configuration: HTTPClientConfiguration,
        _ hostResolver: HostResolver,
        random: SplitMix64
    ) {
        self.loop = loop
        self.random = random
        dialer = Dialer(loop: loop, configuration: configuration, hostResolver)
        observer = configuration.poolObserver
        unreadBodyPolicy = configuration.unreadBodyPolicy
        state = PoolState(
            limits: .init(
                perOrigin: configuration.maxConnectionsPerOrigin,
                total: configuration.maxConnections,
                idle: configuration.idleTimeout,
                age: configuration.maxConnectionAge,
                uses: configuration.maxConnectionUses
            )
        )
        // A head or trailer section must fit; one byte more shows that it does not.
        let limits = configuration.limits
        bufferLimit = max(64 << 10, min(max(limits.headBytes, limits.trailerBytes), .max - 1) + 1)
    }

    // MARK: - Leasing

    /// Finds an idle connection that can carry the call: the usual case, where nothing is waited for.
    ///
    /// - Returns: nil when there is none, or the call's time is up; then ``acquire(for:fresh:)`` makes one,
    ///   waits or throws.
    func acquireIdle(for call: Attempt) -> Connection? {
        guard !isClosed, call.lease == nil else { return nil }
        let now = Deadline.now()
        guard call.maySend(at: now) else { return nil }
        while let (index, end) = state.acquireIdle(call.plan.key) {
            if let connection = takeUsable(index, until: end, at: now) {
                call.metrics.leasedMark = now
                return connection
            }
        }
        return nil
    }

    /// Takes an idle connection that the state has leased; closes it when it is of no use.
    ///
    /// The reaper of a blocking caller's loop does not run between calls: so age is looked at here.
    private func takeUsable(_ index: Int, until end: Deadline, at now: Deadline) -> Connection? {
        guard let connection = connections[index] else {
            preconditionFailure("the pool's state names open connections only")
        }
        idleCount -= 1
        connection.isIdle = false
        if now < end, connection.canBeReused(at: now, on: loop) {
            return begin(connection)
        }
        close(connection, now < end ? .closedByPeer : .idleTimeout)
        perform(state.closed(index))
        return nil
    }

    /// Finds or opens a connection for the plan; notes the marks of what it did.
    ///
    /// - Throws: what the phase that failed throws; `phase` of the call says which.
    nonisolated(nonsending) func acquire(
        for call: Attempt,
        fresh: Bool
    ) async throws(ExchangeError) -> Connection {
        if let lease = call.lease { return try await lease.value.take(for: call) }
        if let stub = call.plan.stub { return begin(try await open(stub, call)) }
        let poolIndex: PoolState.ConnectionIndex
        let grant: Grant
        do {
            grant = try await find(call, fresh: fresh)
        } catch {
            throw .transport(error)
        }
        switch grant {
        case .connection(let granted): return granted.value
        case .open(let index): poolIndex = index
        }
        do {
            return begin(try await open(at: poolIndex, call))
        } catch {
            recordRemoval(poolIndex)
            perform(state.closed(poolIndex))
            throw error
        }
    }

    /// Finds an idle connection or a place for a new one; waits until there is one of them.
    private nonisolated(nonsending) func find(
        _ call: Attempt,
        fresh: Bool
    ) async throws(TransportError) -> Grant {
        var queueEnd: Deadline?
        while !isClosed {
            switch state.acquire(call.plan.key, fresh: fresh, priority: call.plan.priority) {
            case .reuse(let index, let end):
                guard let connection = takeUsable(index, until: end, at: .now()) else { continue }
                return .connection(LoopBound(connection, on: loop))
            case .open(let index):
                return .open(index)
            case .evictAndOpen(let victim, let index):
                closeIdle(victim, .evictedForCapacity)
                return .open(index)
            case .wait(let waiter):
                call.phase = .queue
                let end = queueEnd ?? call.deadline(call.plan.timeouts.queue)
                queueEnd = end
                let grant = try await wait(as: waiter, until: end, call)
                guard case .connection(let granted) = grant else { return grant }
                // The peer may have closed it, or sent something, since it was released.
                guard granted.value.canBeReused(at: .now(), on: loop) else {
                    discard(granted.value, .closedByPeer)
                    continue
                }
                _ = begin(granted.value)
                return grant
            }
        }
        throw .cancelled
    }

    private nonisolated(nonsending) func wait(
        as waiter: PoolState.WaiterID,
        until end: Deadline,
        _ call: Attempt
    ) async throws(TransportError) -> Grant {
        let suspension = Suspension<Grant>(on: loop, phase: .connect)
        waiters[waiter] = suspension
        do {
            try call.scope.enter(suspension)
            let grant = try await suspension.wait(until: end)
            call.scope.leave()
            call.metrics.dequeuedMark = .now()
            return grant
        } catch {
            // When it is not there any more, a grant came too late and `perform` has passed it on.
            if waiters.removeValue(forKey: waiter) != nil { state.stopWaiting(waiter) }
            throw error
        }
    }

    /// Opens a connection at a place that the state has given out; `isLeased` is false when nobody
    /// uses it yet.
    nonisolated(nonsending) func open(
        at poolIndex: PoolState.ConnectionIndex,
        _ call: Attempt,
        isLeased: Bool = true
    ) async throws(ExchangeError) -> Connection {
        let dialed = try await dial(call)
        lastID += 1
        let connection = Connection(
            id: lastID,
            socket: dialed.socket,
            secured: dialed.secured,
            poolIndex: poolIndex
        )
        let variation = Double.random(in: -0.1...0.1, using: &random)
        state.opened(poolIndex, at: .now(), variation: variation, isLeased: isLeased)
        while connections.count <= poolIndex { connections.append(nil) }
        connections[poolIndex] = connection
        report(.opened, connection)
        // Closing the connection ends the watch, and with it the circle of references; weak ones
        // would make every retain of the connection and the pool slow.
        dialed.socket.setIdleHandler { self.idleConnectionBecameReadable(connection) }
        return connection
    }

    /// Dials; when no descriptor is left, once more with those of idle connections.
    private nonisolated(nonsending) func dial(
        _ call: Attempt
    ) async throws(ExchangeError) -> Dialer.Dialed {
        do {
            return try await dialer.dial(call)
        } catch {
            guard case .transport(.descriptorsExhausted) = error else { throw error }
            guard idleCount > 0 else { throw error }
            for _ in 0..<Self.maxEvictionsPerExhaustion {
                guard let effects = state.evictOldestIdle() else { break }
                perform(effects)
            }
            return try await dialer.dial(call)
        }
    }

    func begin(_ connection: Connection) -> Connection {
        if connection.input == nil {
            connection.input = spareBuffers.popLast() ?? ReceiveBuffer(maximum: bufferLimit)
        }
        return connection
    }

    // MARK: - Giving back

    /// Takes back a connection whose exchange ended in order and that may be reused.
    func release(_ connection: Connection, at now: Deadline) {
        guard !isClosed else {
            discard(connection, .clientClosed)
            return
        }
        guard connection.input?.isEmpty ?? true else {
            discard(connection, .unsolicitedData)
            return
        }
        // A read that filled its room exactly leaves the signal up: then the kernel is asked.
        guard !connection.mayHaveUnreadInput || connection.hasNoPendingInput else {
            discard(connection, .closedByPeer)
            return
        }
        if let lease = connection.lease, keeps(connection, lease, at: now) { return }
        let effects = state.release(connection.poolIndex, at: now, idle: connection.keepAlive)
        if effects.lease == nil, effects.close.first != connection.poolIndex {
            // The few that are used all the time keep their buffer, the many that wait do not.
            if idleCount >= Self.idleBuffers { keepBuffer(of: connection) }
            connection.isIdle = true
            connection.idleSince = now
            idleCount += 1
            armReaper()
        }
        perform(effects, leased: connection)
    }

    /// Closes a leased connection and gives its place to somebody who waits.
    func discard(_ connection: Connection, _ reason: HTTPPoolEvent.CloseReason) {
        guard connection.poolIndex != Self.nowhere else { return end(connection) }
        close(connection, reason)
        perform(state.closed(connection.poolIndex))
    }

    /// Takes back a connection whose body nobody wants: reads the rest in the background if that is
    /// likely to be cheap, else closes.
    func drainAndRelease(_ connection: Connection, _ call: Attempt) {
        guard !isClosed, !call.scope.isCancelled,
            connection.canDrain(atMost: unreadBodyPolicy.bytes, call)
        else {
            discard(connection, .notReusable)
            return
        }
        let body = BodyDrain(connection, call, budget: unreadBodyPolicy.bytes) {
            body,
            canBeReused in
            self.unread.removeAll { $0 === body }
            if canBeReused {
                connection.recordKeepAlive(call)
                self.release(connection, at: .now())
            } else {
                self.discard(connection, .notReusable)
            }
        }
        unread.append(body)
        body.begin(on: loop, within: unreadBodyPolicy.time)
    }

    /// Gives a leased connection away for good: it is not HTTP's any more.
    ///
    /// - Returns: what was received behind the last response.
    func detach(_ connection: Connection) -> [UInt8] {
        connection.socket.setIdleHandler {}
        var bytes: [UInt8] = []
        if let input = connection.input { input.append(0..<input.count, to: &bytes) }
        connection.input = nil
        connections[connection.poolIndex] = nil
        connection.lease?.end(.upgraded)
        report(.closed(.upgraded), connection)
        recordRemoval(connection.poolIndex)
        perform(state.closed(connection.poolIndex))
        return bytes
    }

    /// Closes everything idle and serves nobody any more: the client is gone.
    func close() {
        isClosed = true
        reaper?.cancel()
        reaper = nil
        for case let connection? in connections where connection.isIdle {
            close(connection, .clientClosed)
        }
        for body in unread { body.end(false) }
    }

    /// The peer of an idle connection closed it or sent what nobody asked for: either way it is
    /// of no use, and what came must not be taken for the next answer.
    private func idleConnectionBecameReadable(_ connection: Connection) {
        if let unread = connection.unread {
            unread.advance()
            return
        }
        if closeDedicated(connection, .closedByPeer, unless: .noPendingInput) { return }
        // Asked, for who has read all meanwhile, as a visitor of the loop, has not seen this signal.
        guard connection.isIdle, !connection.hasNoPendingInput else { return }
        idleCount -= 1
        connection.isIdle = false
        close(connection, .closedByPeer)
        perform(state.closed(connection.poolIndex))
    }

    /// Carries out what the state has decided when `leased` was given back, or something else
    /// happened.
    func perform(_ effects: PoolState.Effects, leased: Connection? = nil) {
        for index in effects.close {
            if let leased, leased.poolIndex == index, !leased.isIdle {
                close(leased, .retired)
            } else {
                closeIdle(index, .evictedForCapacity)
            }
        }
        if let lease = effects.lease, let leased {
            let grant = Grant.connection(LoopBound(leased, on: loop))
            let isTaken = waiters.removeValue(forKey: lease.waiter)?.resume(returning: grant)
            if isTaken != true { release(leased, at: .now()) }
        }
        if let open = effects.open {
            let grant = Grant.open(open.connection)
            let isTaken = waiters.removeValue(forKey: open.waiter)?.resume(returning: grant)
            if isTaken != true {
                recordRemoval(open.connection)
                perform(state.closed(open.connection))
            }
        }
    }

    func closeIdle(_ index: PoolState.ConnectionIndex, _ reason: HTTPPoolEvent.CloseReason) {
        guard let connection = connections[index] else {
            preconditionFailure("the pool's state names open connections only")
        }
        idleCount -= 1
        connection.isIdle = false
        close(connection, reason)
    }

    /// Closes a connection, forgets it and keeps its buffer.
    private func close(_ connection: Connection, _ reason: HTTPPoolEvent.CloseReason) {
        connections[connection.poolIndex] = nil
        connection.close()
        connection.lease?.end(reason)
        keepBuffer(of: connection)
        report(.closed(reason), connection)
        recordRemoval(connection.poolIndex)
    }

    private func keepBuffer(of connection: Connection) {
        guard let buffer = connection.input.take(), buffer.isEmpty, spareBuffers.count < 64
        else { return }
        spareBuffers.append(buffer)
    }

    // MARK: - Idle time-out

    private func armReaper() {
        let next = state.nextExpiry
        guard next < reaperDeadline else { return }
        reaper?.cancel()
        reaperDeadline = next
        reaper = LoopTimer(on: loop, at: next) { self.reap() }
    }

    private func reap() {
        reaper = nil
        reaperDeadline = .never
        for index in state.expire(at: .now()).close { closeIdle(index, .idleTimeout) }
        armReaper()
    }
}

/// Connections that belong to somebody for a while.
extension ConnectionPool {
    /// What keeps a private connection from being closed.
    enum CloseCondition {
        case always
        /// It is open, and its peer has said nothing that concerns us.
        case noPendingInput
    }

    /// Opens a tunnel that belongs to the caller from the start.
    nonisolated(nonsending) func proxyTunnel(
        through route: ProxyRoute,
        _ call: Attempt
    ) async throws(ExchangeError) -> ProxyTunnel {
        guard !isClosed else { throw .transport(.cancelled) }
        return try await dialer.proxyTunnel(to: call.plan.key.origin, through: route, call)
    }

    /// A private connection's exchange has ended, or its owner gives it back.
    ///
    /// - Returns: false when it is the pool's again.
    func keeps(_ connection: Connection, _ lease: ConnectionLease, at now: Deadline) -> Bool {
        if lease.intent == .close || state.isDraining(connection.poolIndex) {
            discard(connection, .retired)
            return true
        }
        connection.idleSince = now
        if lease.endExchange() { return true }
        connection.lease = nil
        lease.end(.retired)
        return false
    }

    /// Closes a private connection that carries nothing at the moment.
    ///
    /// - Returns: false when it is not private, or is busy.
    func closeDedicated(
        _ connection: Connection,
        _ reason: HTTPPoolEvent.CloseReason,
        unless condition: CloseCondition = .always
    ) -> Bool {
        guard let lease = connection.lease, !lease.isBusy else { return false }
        if condition == .noPendingInput, connection.hasNoPendingInput { return true }
        discard(connection, reason)
        return true
    }
}

extension Engine {
    /// Leases a connection that belongs to its owner until it is given back; on the loop.
    nonisolated(nonsending) func acquireDedicated(
        _ call: Attempt
    ) async -> Result<LoopBound<ConnectionLease>, HTTPError> {
        do throws(ExchangeError) {
            let fresh = !call.plan.keepsConnection
            let connection = try await acquire(for: call, fresh: fresh)
            call.metrics.endMark = call.metrics.leasedMark
            call.metrics.record(connection)
            let lease = ConnectionLease(connection, call.plan.key, of: pool.value)
            return .success(LoopBound(lease, on: loop))
        } catch {
            return .failure(HTTPError(error, call))
        }
    }
}

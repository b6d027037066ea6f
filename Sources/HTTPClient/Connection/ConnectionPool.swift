internal import SocketTransport
internal import Wire

/// A pool that opens, keeps and closes the connections that its ``PoolState`` decides on.
///
/// Loop-confined.
///
/// The properties that every request uses skip the runtime's exclusivity checks. This is safe
/// because only one thread uses the pool, and neither the state nor an array calls back during a
/// change.
final class ConnectionPool {
    let loop: EventLoop
    let dialer: Dialer
    let observer: HTTPPoolEvent.Observer?
    @safe @exclusivity(unchecked) var state: PoolState
    /// Every open connection, at the index that the state assigned.
    @safe @exclusivity(unchecked) private(set) var connections: [ClientConnection?] = []
    private var waiters: [PoolState.WaiterID: Suspension<Grant>] = [:]
    /// The callers that wait until certain connections are gone.
    var drains: [Drain] = []
    var lastID: UInt64 = 0
    /// The streams of the client's dialer, and their other ends, by connection number.
    var dialedStreams: [UInt64: (DialedStream, PeerEnd)] = [:]
    @safe @exclusivity(unchecked) private var spareBuffers: [ReceiveBuffer] = []
    @safe @exclusivity(unchecked) private var reaper: LoopTimer?
    @safe @exclusivity(unchecked) private var reaperDeadline = Deadline.never
    @safe @exclusivity(unchecked) private(set) var isClosed = false
    /// The connections whose unread bodies are being discarded.
    private var unread: [BodyDrain] = []
    let unreadBodyPolicy: HTTPClientConfiguration.UnreadBodyPolicy
    private let bufferLimit: Int
    /// The number of idle connections that keep their receive buffers.
    private static let idleBuffers = 8
    @safe @exclusivity(unchecked) private var idleCount = 0
    /// The time of `CLOCK_BOOTTIME` minus that of `CLOCK_MONOTONIC`, in nanoseconds.
    ///
    /// It grows while the machine sleeps, and is measured again whenever an idle connection is acquired.
    @safe @exclusivity(unchecked) private var timeAsleep: Int64
    private var random: SplitMix64
    /// Idle connections to close when no descriptor is left; one new connection may need several.
    private static let maxEvictionsPerExhaustion = 8

    /// The result of a wait: a connection, or a slot in which to open one.
    private enum Grant: Sendable {
        case connection(LoopBound<ClientConnection>)
        case open(PoolState.ConnectionIndex)
    }

    /// A wait until these connections are gone.
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
        timeAsleep = Deadline.nowCountingSleep().nanoseconds - Deadline.now().nanoseconds
        dialer = Dialer(loop: loop, configuration: configuration, hostResolver)
        observer = configuration.poolObserver
        unreadBodyPolicy = configuration.unreadBodyPolicy
        state = PoolState(limits: .init(configuration))
        // A head or trailer section must fit; one more byte shows that it is too large.
        let limits = configuration.limits
        bufferLimit = max(64 << 10, min(max(limits.headBytes, limits.trailerBytes), .max - 1) + 1)
    }

    // MARK: - Acquiring

    /// Returns an idle connection for the attempt; the usual case, which never waits.
    ///
    /// - Returns: nil if there is none, or a timeout has passed; then ``acquire(for:fresh:)``
    ///   opens one, waits or throws.
    func acquireIdle(for attempt: RequestAttempt) -> ClientConnection? {
        guard !isClosed, attempt.lease == nil else { return nil }
        let now = Deadline.now()
        guard attempt.maySend(at: now) else { return nil }
        while let (index, end) = state.acquireIdle(attempt.plan.key) {
            if let connection = takeUsable(index, until: end, at: now) {
                attempt.trace.metrics.leasedMark = now
                return connection
            }
        }
        return nil
    }

    /// Returns an idle connection that the state has leased, or closes it if it is unusable.
    ///
    /// The reaper of a blocking caller's loop does not run between calls, so this checks the age.
    private func takeUsable(
        _ index: Int,
        until end: Deadline,
        at now: Deadline
    ) -> ClientConnection? {
        guard let connection = connections[index] else {
            preconditionFailure("the pool's state names open connections only")
        }
        idleCount -= 1
        connection.usage.isIdle = false
        let time = updatePoolTime(now)
        if time < end, connection.canBeReused(at: now, on: loop) {
            return begin(connection)
        }
        let isTooOld = state.isTooOld(index, at: time)
        close(connection, time < end ? .closedByPeer : isTooOld ? .retired : .idleTimeout)
        perform(state.closed(index))
        return nil
    }

    /// Finds or opens a connection for the plan, and records the times in the attempt's metrics.
    ///
    /// - Throws: the error of the phase that failed, which is the attempt's `phase`.
    nonisolated(nonsending) func acquire(
        for attempt: RequestAttempt,
        fresh: Bool
    ) async throws(ExchangeError) -> ClientConnection {
        if let lease = attempt.lease { return try await lease.value.take(for: attempt) }
        if let dialed = attempt.plan.dialed { return begin(try await open(dialed, attempt)) }
        let poolIndex: PoolState.ConnectionIndex
        let grant: Grant
        do {
            grant = try await find(attempt, fresh: fresh)
        } catch {
            throw .transport(error)
        }
        switch grant {
        case .connection(let granted): return granted.value
        case .open(let index): poolIndex = index
        }
        do {
            return begin(try await open(at: poolIndex, attempt))
        } catch {
            recordRemoval(poolIndex)
            perform(state.closed(poolIndex))
            throw error
        }
    }

    /// Finds an idle connection or a free slot for a new one; waits until there is either.
    private nonisolated(nonsending) func find(
        _ attempt: RequestAttempt,
        fresh: Bool
    ) async throws(TransportError) -> Grant {
        var queueEnd: Deadline?
        while !isClosed {
            switch state.acquire(attempt.plan.key, fresh: fresh, priority: attempt.plan.priority) {
            case .reuse(let index, let end):
                guard let connection = takeUsable(index, until: end, at: .now()) else { continue }
                return .connection(LoopBound(connection, on: loop))
            case .open(let index):
                return .open(index)
            case .evictAndOpen(let victim, let index):
                closeIdle(victim, .evictedForCapacity)
                return .open(index)
            case .wait(let waiter):
                attempt.phase = .queue
                let end = queueEnd ?? attempt.deadline(attempt.plan.timeouts.queue)
                queueEnd = end
                let grant = try await wait(as: waiter, until: end, attempt)
                guard case .connection(let granted) = grant else { return grant }
                // The peer may have closed it, or sent something, since it was released.
                let connection = granted.value
                guard connection.canBeReused(at: .now(), on: loop) else {
                    guard !isClosed else {
                        discard(connection, .closedByPeer)
                        continue
                    }
                    close(connection, .closedByPeer)
                    state.reopen(connection.opening.poolIndex)
                    return .open(connection.opening.poolIndex)
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
        _ attempt: RequestAttempt
    ) async throws(TransportError) -> Grant {
        let suspension = Suspension<Grant>(on: loop, phase: .connect)
        waiters[waiter] = suspension
        do {
            try attempt.scope.enter(suspension)
            let grant = try await suspension.wait(until: end)
            attempt.scope.leave()
            attempt.trace.metrics.dequeuedMark = .now()
            return grant
        } catch {
            // If the waiter was already removed, its grant arrived too late and `perform` has passed it on.
            if waiters.removeValue(forKey: waiter) != nil { state.stopWaiting(waiter) }
            throw error
        }
    }

    /// Opens a connection at an index that the state has reserved.
    ///
    /// `isLeased` is false if no attempt uses the connection yet.
    nonisolated(nonsending) func open(
        at poolIndex: PoolState.ConnectionIndex,
        _ attempt: RequestAttempt,
        isLeased: Bool = true
    ) async throws(ExchangeError) -> ClientConnection {
        let dialed = try await dial(attempt)
        lastID += 1
        let connection = ClientConnection(
            id: lastID,
            socket: dialed.socket,
            secured: dialed.secured,
            poolIndex: poolIndex
        )
        let variation = Double.random(in: -0.1...0.1, using: &random)
        state.opened(poolIndex, at: poolTime(.now()), variation: variation, isLeased: isLeased)
        while connections.count <= poolIndex { connections.append(nil) }
        connections[poolIndex] = connection
        report(.opened, connection)
        // The certificates were replaced during the handshake.
        if dialed.secured?.isOutdated == true { retire(connection) }
        // Closing the connection removes the handler and so breaks the reference cycle. Weak
        // references would make every retain of the connection and the pool slow.
        dialed.socket.setIdleHandler { self.idleConnectionBecameReadable(connection) }
        return connection
    }

    /// Dials; if no descriptor is left, closes idle connections and dials once more.
    private nonisolated(nonsending) func dial(
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> Dialer.Dialed {
        defer { handleSecurityEvents() }
        do {
            return try await dialer.dial(attempt)
        } catch {
            guard case .transport(.descriptorsExhausted) = error else { throw error }
            guard idleCount > 0 else { throw error }
            for _ in 0..<Self.maxEvictionsPerExhaustion {
                guard let effects = state.evictOldestIdle() else { break }
                perform(effects)
            }
            return try await dialer.dial(attempt)
        }
    }

    func begin(_ connection: ClientConnection) -> ClientConnection {
        if connection.input == nil {
            connection.input = spareBuffers.popLast() ?? ReceiveBuffer(maximum: bufferLimit)
        }
        return connection
    }

    // MARK: - Releasing

    /// Takes back a connection whose exchange ended normally and that may be reused.
    func release(_ connection: ClientConnection, at now: Deadline) {
        guard !isClosed else {
            discard(connection, .clientClosed)
            return
        }
        guard connection.input?.isEmpty ?? true else {
            discard(connection, .unsolicitedData)
            return
        }
        // A read that filled its buffer exactly leaves `mayHaveUnreadInput` set, so ask the kernel.
        guard (try? connection.socket.endOneShotEvents()) != nil,
            !connection.mayHaveUnreadInput || connection.hasNoPendingInput
        else {
            discard(connection, .closedByPeer)
            return
        }
        if let lease = connection.lease, keeps(connection, lease, at: now) { return }
        let effects = state.release(
            connection.opening.poolIndex,
            at: poolTime(now),
            idle: connection.usage.keepAlive
        )
        if effects.lease == nil, effects.close.first != connection.opening.poolIndex {
            // A few idle connections keep their buffers for the next request; the others do not.
            if idleCount >= Self.idleBuffers {
                keepBuffer(of: connection)
                connection.secured?.releaseEmptyBuffers()
            }
            connection.usage.isIdle = true
            connection.usage.idleSince = now
            idleCount += 1
            armReaper()
        }
        perform(effects, leased: connection)
    }

    /// Closes a leased connection and gives its slot to a waiter.
    func discard(_ connection: ClientConnection, _ reason: HTTPPoolEvent.CloseReason) {
        guard connection.opening.poolIndex != Self.nowhere else { return end(connection) }
        close(connection, reason)
        perform(state.closed(connection.opening.poolIndex))
    }

    /// Takes back a connection with an unread body.
    ///
    /// If reading the rest is likely to be cheap, that happens in the background; otherwise the
    /// connection is closed.
    func drainAndRelease(_ connection: ClientConnection, _ attempt: RequestAttempt) {
        guard !isClosed, !attempt.scope.isCancelled,
            connection.canDrain(atMost: unreadBodyPolicy.bytes, attempt)
        else {
            discard(connection, .notReusable)
            return
        }
        let body = BodyDrain(connection, attempt, budget: unreadBodyPolicy.bytes) {
            body,
            canBeReused in
            self.unread.removeAll { $0 === body }
            if canBeReused {
                connection.recordKeepAlive(attempt)
                self.release(connection, at: .now())
            } else {
                self.discard(connection, .notReusable)
            }
        }
        unread.append(body)
        body.begin(on: loop, within: unreadBodyPolicy.time)
    }

    /// Removes a leased connection from the pool for another protocol.
    ///
    /// - Returns: the bytes received after the last response.
    func detach(_ connection: ClientConnection) -> [UInt8] {
        connection.socket.setIdleHandler {}
        var bytes: [UInt8] = []
        if let input = connection.input { input.append(0..<input.count, to: &bytes) }
        connection.input = nil
        connections[connection.opening.poolIndex] = nil
        connection.lease?.end(.upgraded)
        report(.closed(.upgraded), connection)
        recordRemoval(connection.opening.poolIndex)
        perform(state.closed(connection.opening.poolIndex))
        return bytes
    }

    /// Closes all idle connections and serves no more attempts, because the client is gone.
    func close() {
        isClosed = true
        reaper?.cancel()
        reaper = nil
        for case let connection? in connections where connection.usage.isIdle {
            close(connection, .clientClosed)
        }
        for body in unread { body.end(false) }
    }

    /// Closes an idle connection that its peer has closed, or on which unrequested bytes arrived.
    ///
    /// Such bytes must not be taken for the next response.
    private func idleConnectionBecameReadable(_ connection: ClientConnection) {
        if let unread = connection.unread {
            unread.advance()
            return
        }
        if closeDedicated(connection, .closedByPeer, unless: .noPendingInput) { return }
        // Check again: a caller that ran on the loop's behalf may have read the input already.
        guard connection.usage.isIdle else { return }
        if connection.hasNoPendingInput {
            // It may have read a session ticket.
            connection.secured?.releaseEmptyBuffers()
            return
        }
        idleCount -= 1
        connection.usage.isIdle = false
        close(connection, .closedByPeer)
        perform(state.closed(connection.opening.poolIndex))
    }

    /// Executes the state's decisions.
    ///
    /// `leased` is the connection whose release caused them; nil after any other event.
    func perform(_ effects: PoolState.Effects, leased: ClientConnection? = nil) {
        for index in effects.close {
            if let leased, leased.opening.poolIndex == index, !leased.usage.isIdle {
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
        connection.usage.isIdle = false
        close(connection, reason)
    }

    /// Closes a connection, removes it and keeps its buffer.
    private func close(_ connection: ClientConnection, _ reason: HTTPPoolEvent.CloseReason) {
        connections[connection.opening.poolIndex] = nil
        connection.close()
        connection.lease?.end(reason)
        keepBuffer(of: connection)
        report(.closed(reason), connection)
        recordRemoval(connection.opening.poolIndex)
    }

    private func keepBuffer(of connection: ClientConnection) {
        guard let buffer = connection.input.take(), buffer.isEmpty, spareBuffers.count < 64
        else { return }
        spareBuffers.append(buffer)
    }

    // MARK: - Idle timeout

    /// Converts a time of the monotonic clock to `CLOCK_BOOTTIME`, in which ``PoolState`` counts.
    ///
    /// If the machine has slept since ``updatePoolTime(_:)``, the result lacks that sleep, and a connection that
    /// is released with it expires too early.
    private func poolTime(_ now: Deadline) -> Deadline {
        Deadline(nanoseconds: now.nanoseconds + timeAsleep)
    }

    /// Reads `CLOCK_BOOTTIME`, and measures ``timeAsleep`` again.
    ///
    /// - Parameter now: the current time of the monotonic clock.
    /// - Returns: the current time of `CLOCK_BOOTTIME`.
    private func updatePoolTime(_ now: Deadline) -> Deadline {
        let time = Deadline.nowCountingSleep()
        timeAsleep = time.nanoseconds - now.nanoseconds
        return time
    }

    private func armReaper() {
        let next = state.nextExpiry
        guard next < reaperDeadline else { return }
        reaper?.cancel()
        reaperDeadline = next
        let time = Deadline(nanoseconds: next.nanoseconds - timeAsleep)
        reaper = LoopTimer(on: loop, at: next == .never ? .never : time) { self.reap() }
    }

    private func reap() {
        reaper = nil
        reaperDeadline = .never
        let expired = state.expire(at: updatePoolTime(.now()))
        for index in expired.close {
            closeIdle(index, expired.tooOld.contains(index) ? .retired : .idleTimeout)
        }
        armReaper()
    }
}

/// Dedicated connections.
extension ConnectionPool {
    /// A condition for closing a dedicated connection.
    enum CloseCondition {
        case always
        /// Close it unless it is open and has no pending input.
        case noPendingInput
    }

    /// Opens a proxy tunnel, which never belongs to the pool.
    nonisolated(nonsending) func proxyTunnel(
        through route: ProxyRoute,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> ProxyTunnel {
        guard !isClosed else { throw .transport(.cancelled) }
        return try await dialer.proxyTunnel(to: attempt.plan.key.origin, through: route, attempt)
    }

    /// Handles the end of an exchange on a dedicated connection, or its release by the owner.
    ///
    /// - Returns: false if the connection belongs to the pool again.
    func keeps(_ connection: ClientConnection, _ lease: ConnectionLease, at now: Deadline) -> Bool {
        if lease.intent == .close || state.isDraining(connection.opening.poolIndex) {
            discard(connection, .retired)
            return true
        }
        connection.usage.idleSince = now
        if lease.endExchange() { return true }
        connection.lease = nil
        lease.end(.retired)
        guard connection.secured?.isOutdated != true else {
            discard(connection, .retired)
            return true
        }
        return false
    }

    /// Closes a dedicated connection that is not busy.
    ///
    /// - Returns: false if it is not dedicated, or is busy.
    func closeDedicated(
        _ connection: ClientConnection,
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
    /// Acquires a connection that belongs to its owner until released; call on the loop.
    nonisolated(nonsending) func acquireDedicated(
        _ attempt: RequestAttempt
    ) async -> Result<LoopBound<ConnectionLease>, HTTPError> {
        do throws(ExchangeError) {
            let fresh = !attempt.plan.keepsConnection
            let connection = try await acquire(for: attempt, fresh: fresh)
            attempt.trace.metrics.endMark = attempt.trace.metrics.leasedMark
            attempt.trace.metrics.record(connection)
            let lease = ConnectionLease(connection, attempt.plan.key, of: pool.value)
            return .success(LoopBound(lease, on: loop))
        } catch {
            return .failure(HTTPError(error, attempt))
        }
    }
}

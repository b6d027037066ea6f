internal import SocketTransport
internal import Wire

extension ConnectionPool {
    /// Returns the current state of the pool.
    func snapshot() -> HTTPPoolSnapshot {
        let now = Deadline.now()
        let origins = state.views.map { view in
            var origin = HTTPPoolSnapshot.OriginState(
                origin: view.key.origin,
                waiting: view.waiting
            )
            for entry in view.connections {
                guard let connection = connections[safely: entry.index] else {
                    origin.connecting += 1
                    continue
                }
                if entry.phase == .idle { origin.idle += 1 } else { origin.busy += 1 }
                origin.connections.append(
                    HTTPPoolSnapshot.Connection(connection, at: now, isIdle: entry.phase == .idle)
                )
            }
            return origin
        }
        return HTTPPoolSnapshot(origins: origins)
    }

    /// Reports an event of a connection to the observer.
    func report(_ kind: HTTPPoolEvent.Kind, _ connection: ClientConnection) {
        observer?(
            HTTPPoolEvent(
                kind: kind,
                connectionID: connection.opening.id,
                uses: connection.usage.exchanges
            )
        )
    }

    // MARK: - Changing

    /// Opens idle connections for later requests, as far as the limits allow.
    ///
    /// - Returns: the number of connections opened.
    nonisolated(nonsending) func prewarm(
        _ count: Int,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> Int {
        guard !isClosed else { throw .transport(.cancelled) }
        var opened = 0
        for _ in 0..<max(count, 0) {
            guard let poolIndex = state.reserve(attempt.plan.key) else { break }
            do {
                let connection = try await open(at: poolIndex, attempt, isLeased: false)
                release(connection, at: .now())
                opened += 1
            } catch {
                recordRemoval(poolIndex)
                perform(state.closed(poolIndex))
                throw error
            }
        }
        return opened
    }

    /// Closes the connection with this number, now or when its exchange ends.
    ///
    /// - Returns: false if there is none.
    func evict(_ id: UInt64) -> Bool {
        for case let connection? in connections where connection.opening.id == id {
            if !closeDedicated(connection, .evicted) {
                closeAll(state.evict(connection.opening.poolIndex), .evicted)
            }
            return true
        }
        return false
    }

    /// Reports changes of certificates, and retires the connections that were opened with older ones.
    func handleSecurityEvents() {
        for event in dialer.takeSecurityEvents() {
            switch event {
            case .replaced:
                observer?(HTTPPoolEvent(kind: .securityReloaded, connectionID: 0, uses: 0))
                for case let connection? in connections
                where connection.secured?.isOutdated == true {
                    retire(connection)
                }
            case .kept(.failed(let reason)):
                observer?(HTTPPoolEvent(kind: .securityKept(reason), connectionID: 0, uses: 0))
            case .kept(.internalError(let text)):
                let reason = TLSFailureReason.settings(reason: text)
                observer?(HTTPPoolEvent(kind: .securityKept(reason), connectionID: 0, uses: 0))
            }
        }
    }

    /// Closes a connection that is idle, or when its exchange ends; a dedicated one stays with its caller.
    func retire(_ connection: ClientConnection) {
        guard connection.lease == nil else { return }
        closeAll(state.evict(connection.opening.poolIndex), .retired)
    }

    /// Closes idle connections now and busy ones when their exchanges end, and waits until all are closed.
    nonisolated(nonsending) func drain(
        _ origin: Origin?,
        in scope: CancellationScope
    ) async throws(TransportError) {
        let (effects, occupied) = state.drain(origin)
        for index in effects.close { closeIdle(index, .drained) }
        let busy = occupied.filter { index in
            connections[safely: index].map { !closeDedicated($0, .drained) } ?? true
        }
        guard !busy.isEmpty else { return }
        let ended = Suspension<Void>(on: loop, phase: .read)
        try scope.enter(ended)
        drains.append(Drain(connections: Set(busy), ended: ended))
        defer {
            scope.leave()
            drains.removeAll { $0.ended === ended }
        }
        try await ended.wait(until: .never)
    }

    /// Records that a connection is gone, and resumes drains that waited for it.
    func recordRemoval(_ poolIndex: PoolState.ConnectionIndex) {
        guard !drains.isEmpty else { return }
        for index in drains.indices {
            drains[index].connections.remove(poolIndex)
            if drains[index].connections.isEmpty { drains[index].ended.resume(returning: ()) }
        }
    }

    private func closeAll(_ effects: PoolState.Effects, _ reason: HTTPPoolEvent.CloseReason) {
        for index in effects.close { closeIdle(index, reason) }
        var rest = effects
        rest.close = []
        perform(rest)
    }
}

extension HTTPPoolSnapshot.Connection {
    init(_ connection: ClientConnection, at now: Deadline, isIdle: Bool) {
        self.init(
            id: connection.opening.id,
            uses: connection.usage.exchanges,
            age: .nanoseconds(now.nanoseconds - connection.opening.time.nanoseconds),
            idleFor: isIdle
                ? .nanoseconds(now.nanoseconds - connection.usage.idleSince.nanoseconds) : nil,
            remoteAddress: connection.socket.peerAddress?.description ?? "unix",
            isDedicated: connection.lease != nil
        )
    }
}

extension [ClientConnection?] {
    fileprivate subscript(safely index: Int) -> ClientConnection? {
        index < count ? self[index] : nil
    }
}

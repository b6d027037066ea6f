internal import SocketTransport

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

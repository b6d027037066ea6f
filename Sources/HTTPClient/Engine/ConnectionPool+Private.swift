internal import SocketTransport

/// Connections that belong to somebody for a while.
extension ConnectionPool {
    /// What keeps a private connection from being closed.
    enum Reprieve {
        case nothing
        /// It is open, and its peer has said nothing that concerns us.
        case silent
    }

    /// Opens a tunnel that belongs to the caller from the start.
    nonisolated(nonsending) func passage(
        through route: ProxyRoute,
        _ call: Call
    ) async throws(ExchangeFailure) -> Passage {
        guard !isClosed else { throw .transport(.cancelled) }
        return try await dialer.passage(to: call.plan.key.origin, through: route, call)
    }

    /// A private connection's exchange has ended, or its owner gives it back.
    ///
    /// - Returns: false when it is the pool's again.
    func keeps(_ connection: Connection, _ lease: PrivateLease, at now: Deadline) -> Bool {
        if lease.wish == .close || state.isDraining(connection.place) {
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
    func closePrivate(
        _ connection: Connection,
        _ reason: HTTPPoolEvent.CloseReason,
        unless reprieve: Reprieve = .nothing
    ) -> Bool {
        guard let lease = connection.lease, !lease.isBusy else { return false }
        if reprieve == .silent, connection.isSilent { return true }
        discard(connection, reason)
        return true
    }
}

extension Engine {
    /// Leases a connection that belongs to its owner until it is given back; on the loop.
    nonisolated(nonsending) func leasedPrivately(
        _ call: Call
    ) async -> Result<LoopBound<PrivateLease>, HTTPError> {
        do throws(ExchangeFailure) {
            let fresh = !call.plan.keepsConnection
            let connection = try await lease(for: call, fresh: fresh)
            call.metrics.endMark = call.metrics.leasedMark
            call.metrics.note(connection)
            let lease = PrivateLease(connection, call.plan.key, of: pool.value)
            return .success(LoopBound(lease, on: loop))
        } catch {
            return .failure(HTTPError(error, call))
        }
    }
}

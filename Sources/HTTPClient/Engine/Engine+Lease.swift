internal import SocketTransport

extension Engine {
    /// Finds or opens a connection for the call, and notes when.
    ///
    /// - Throws: a timeout when the call's time is up before or behind it; then a connection that was
    ///   found or opened goes back to the pool unused.
    nonisolated(nonsending) func lease(
        for call: Call,
        fresh: Bool
    ) async throws(ExchangeFailure) -> Connection {
        try call.checkMaySend(at: .now())
        let connection = try await pool.value.lease(for: call, fresh: fresh)
        let now = Deadline.now()
        call.metrics.leasedMark = now
        do {
            try call.checkMaySend(at: now)
        } catch {
            if call.plan.keepsConnection, connection.place != ConnectionPool.nowhere {
                pool.value.giveBack(connection, at: now)
            } else {
                pool.value.discard(connection, .notReusable)
            }
            throw error
        }
        return connection
    }
}

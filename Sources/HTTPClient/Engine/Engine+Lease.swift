internal import SocketTransport

extension Engine {
    /// Finds or opens a connection for the call, and notes when.
    ///
    /// - Throws: a timeout when the call's time is up before or behind it; then a connection that was
    ///   found or opened goes back to the pool unused.
    nonisolated(nonsending) func acquire(
        for call: Attempt,
        fresh: Bool
    ) async throws(ExchangeError) -> Connection {
        try call.checkMaySend(at: .now())
        let connection = try await pool.value.acquire(for: call, fresh: fresh)
        let now = Deadline.now()
        call.metrics.leasedMark = now
        do {
            try call.checkMaySend(at: now)
        } catch {
            if call.plan.keepsConnection, connection.poolIndex != ConnectionPool.nowhere {
                pool.value.release(connection, at: now)
            } else {
                pool.value.discard(connection, .notReusable)
            }
            throw error
        }
        return connection
    }
}

internal import SocketTransport
internal import Wire

extension Engine {
    /// Tells what the pool holds; on the loop.
    func snapshot() -> HTTPPoolSnapshot { pool.value.snapshot() }

    /// Opens connections that wait for requests like the call's; on the loop.
    nonisolated(nonsending) func prewarm(
        _ count: Int,
        _ call: Attempt
    ) async -> Result<Int, HTTPError> {
        do throws(ExchangeError) {
            return .success(try await pool.value.prewarm(count, call))
        } catch {
            return .failure(HTTPError(error, call))
        }
    }

    /// Closes the connections to an origin, or all; on the loop.
    nonisolated(nonsending) func drain(_ origin: Origin?, in scope: CancellationScope) async {
        // Only a cancellation ends it early, and then nobody is left to be told.
        try? await pool.value.drain(origin, in: scope)
    }

    /// Closes one connection; on the loop.
    func evict(_ id: UInt64) -> Bool { pool.value.evict(id) }
}

internal import SocketTransport

/// A pool of idle engines for blocking calls.
///
/// One lock guards the whole pool, so that there are never more engines than concurrent calls.
final class BlockingEnginePool: Sendable {
    private let engines = Locked<[Engine]>([])

    /// Removes and returns the engine that was used last; nil if all are in use.
    func take() -> Engine? {
        engines.withLock { $0.popLast() }
    }

    /// Returns an engine to the pool.
    func put(_ engine: Engine) {
        engines.withLock { $0.append(engine) }
    }
}

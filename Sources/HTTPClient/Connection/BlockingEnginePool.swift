internal import SocketTransport

/// Keeps the engines of blocking calls that none uses at the moment.
///
/// All behind one lock, so that there are never more engines than calls at the same time: who finds
/// none here really is one more.
final class BlockingEnginePool: Sendable {
    private let engines = Locked<[Engine]>([])

    /// Takes the engine out that was used last; nil when all are in use.
    func take() -> Engine? {
        engines.withLock { $0.popLast() }
    }

    /// Puts an engine back.
    func put(_ engine: Engine) {
        engines.withLock { $0.append(engine) }
    }
}

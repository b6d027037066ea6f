internal import SocketTransport

/// Keeps the engines of blocking calls that none uses at the moment.
///
/// One has a place of its own that nobody waits for, as most programs block in one thread.
final class SpareEngines: Sendable {
    private let first = Locked<Engine?>(nil)
    private let others = Locked<[Engine]>([])

    /// Takes an engine out; nil when all are in use.
    func take() -> Engine? {
        let engine = first.withLockIfAvailable { $0.take() } ?? nil
        return engine ?? others.withLock { $0.popLast() }
    }

    /// Puts an engine back.
    func put(_ engine: Engine) {
        let isPut = first.withLockIfAvailable { first in
            guard first == nil else { return false }
            first = engine
            return true
        }
        if isPut != true { others.withLock { $0.append(engine) } }
    }
}

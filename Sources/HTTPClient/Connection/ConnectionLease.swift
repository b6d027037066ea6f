internal import SocketTransport

/// Keeps a connection for one owner, who sends requests on it one after the other.
///
/// Loop-confined. For the pool's state the connection is in use until the owner gives it back.
final class ConnectionLease {
    /// Why a call cannot be made on the connection.
    enum Rejection: Sendable {
        case connectionMismatch
        case released
        case closed(HTTPPoolEvent.CloseReason)
    }

    /// What the owner wants to become of the connection.
    enum Intent {
        case keep
        /// Give it back when those who wait had their turn.
        case release
        case close
    }

    private enum State {
        case open(Connection)
        /// Gone, or the pool's again.
        case ended(HTTPPoolEvent.CloseReason)
    }

    private let key: PoolKey
    private let loop: EventLoop
    private unowned let pool: ConnectionPool
    private var state: State
    /// An exchange is under way, or its unread body.
    private(set) var isBusy = false
    private(set) var intent = Intent.keep
    /// Those whose turn comes, in order.
    private var waiting: [Suspension<Void>] = []

    /// Takes over a connection that was leased for `key`.
    init(_ connection: Connection, _ key: PoolKey, of pool: ConnectionPool) {
        self.key = key
        self.pool = pool
        loop = pool.loop
        state = .open(connection)
        connection.lease = self
        connection.idleSince = .now()
    }

    /// Whether the owner can still send on it.
    var isOpen: Bool {
        if case .open = state { intent == .keep } else { false }
    }

    // MARK: - For calls

    /// Waits for the call's turn on the connection.
    ///
    /// - Throws: `.rejectedByLease`; what waiting throws, bounded by the time for queueing.
    nonisolated(nonsending) func take(
        for call: Attempt
    ) async throws(ExchangeError) -> Connection {
        guard intent == .keep else { throw .rejectedByLease(.released) }
        guard call.plan.key == key else { throw .rejectedByLease(.connectionMismatch) }
        if isBusy {
            do throws(TransportError) {
                try await waitForTurn(call)
            } catch {
                throw .transport(error)
            }
        }
        switch state {
        case .ended(let reason):
            throw .rejectedByLease(intent == .keep ? .closed(reason) : .released)
        case .open(let connection):
            isBusy = true
            guard connection.canBeReused(at: .now(), on: loop) else {
                pool.discard(connection, .closedByPeer)
                throw .rejectedByLease(.closed(.closedByPeer))
            }
            return connection
        }
    }

    private nonisolated(nonsending) func waitForTurn(_ call: Attempt) async throws(TransportError) {
        call.phase = .queue
        let turn = Suspension<Void>(on: loop, phase: .connect)
        try call.scope.enter(turn)
        waiting.append(turn)
        defer { call.scope.leave() }
        do {
            try await turn.wait(until: call.deadline(call.plan.timeouts.queue))
        } catch {
            waiting.removeAll { $0 === turn }
            throw error
        }
        call.metrics.dequeuedMark = .now()
    }

    // MARK: - For the owner

    /// The owner is done: the pool gets the connection, at once or when its exchange ends.
    func release() {
        guard intent == .keep else { return }
        intent = .release
        guard case .open(let connection) = state, !isBusy else { return }
        pool.release(connection, at: .now())
    }

    /// The owner wants it closed: at once, or when its exchange ends.
    func close() {
        intent = .close
        guard case .open(let connection) = state, !isBusy else { return }
        pool.discard(connection, .retired)
    }

    // MARK: - For the pool

    /// An exchange has ended and the connection can carry another one: somebody else has their turn.
    ///
    /// - Returns: whether the lease goes on: not when it was given back and nobody waits.
    func endExchange() -> Bool {
        while !waiting.isEmpty {
            // The turn is passed on with the connection still busy, so that nobody comes between.
            if waiting.removeFirst().resume(returning: ()) { return true }
        }
        isBusy = false
        return intent == .keep
    }

    /// The connection is gone, or the pool's again.
    func end(_ reason: HTTPPoolEvent.CloseReason) {
        if case .open = state { state = .ended(reason) }
        isBusy = false
        let turns = waiting
        waiting = []
        for turn in turns { turn.resume(returning: ()) }
    }
}

extension HTTPError.Kind {
    /// Says publicly why a private connection carries nothing.
    init(_ refusal: ConnectionLease.Rejection) {
        switch refusal {
        case .connectionMismatch: self = .invalidRequest(.connectionMismatch)
        case .released: self = .invalidRequest(.connectionReleased)
        case .closed(let reason): self = .connectionClosed(reason)
        }
    }
}

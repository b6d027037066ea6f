internal import SocketTransport

/// A lease of a connection by one owner, which sends requests on it one after the other.
///
/// Loop-confined. In the pool's state the connection is in use until the owner releases it.
final class ConnectionLease {
    /// The reason why a request cannot use the connection.
    enum Rejection: Sendable {
        case connectionMismatch
        case released
        case closed(HTTPPoolEvent.CloseReason)
    }

    /// The owner's decision about the connection.
    enum Intent {
        case keep
        /// Release it after the waiting attempts.
        case release
        case close
    }

    private enum State {
        case open(ClientConnection)
        /// The connection is closed, or belongs to the pool again.
        case ended(HTTPPoolEvent.CloseReason)
    }

    private let key: PoolKey
    private let loop: EventLoop
    private unowned let pool: ConnectionPool
    private var state: State
    /// Whether an exchange or its unread body occupies the connection.
    private(set) var isBusy = false
    private(set) var intent = Intent.keep
    /// The waiting attempts, in order.
    private var waiting: [Suspension<Void>] = []

    /// Takes over a connection that was leased for `key`.
    init(_ connection: ClientConnection, _ key: PoolKey, of pool: ConnectionPool) {
        self.key = key
        self.pool = pool
        loop = pool.loop
        state = .open(connection)
        connection.lease = self
        connection.usage.idleSince = .now()
    }

    /// Whether the owner can still send on the connection.
    var isOpen: Bool {
        if case .open = state { intent == .keep } else { false }
    }

    // MARK: - Calls

    /// Waits for the attempt's turn on the connection.
    ///
    /// - Throws: `.rejectedByLease`; a timeout of the queue or a cancellation while waiting.
    nonisolated(nonsending) func take(
        for attempt: RequestAttempt
    ) async throws(ExchangeError) -> ClientConnection {
        guard intent == .keep else { throw .rejectedByLease(.released) }
        guard attempt.plan.key == key else { throw .rejectedByLease(.connectionMismatch) }
        if isBusy {
            do throws(TransportError) {
                try await waitForTurn(attempt)
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

    private nonisolated(nonsending) func waitForTurn(
        _ attempt: RequestAttempt
    ) async throws(TransportError) {
        attempt.phase = .queue
        let turn = Suspension<Void>(on: loop, phase: .connect)
        try attempt.scope.enter(turn)
        waiting.append(turn)
        defer { attempt.scope.leave() }
        do {
            try await turn.wait(until: attempt.deadline(attempt.plan.timeouts.queue))
        } catch {
            waiting.removeAll { $0 === turn }
            throw error
        }
        attempt.trace.metrics.dequeuedMark = .now()
    }

    // MARK: - Owner

    /// Releases the connection to the pool, now or when its exchange ends.
    func release() {
        guard intent == .keep else { return }
        intent = .release
        guard case .open(let connection) = state, !isBusy else { return }
        pool.release(connection, at: .now())
    }

    /// Closes the connection, now or when its exchange ends.
    func close() {
        intent = .close
        guard case .open(let connection) = state, !isBusy else { return }
        pool.discard(connection, .retired)
    }

    // MARK: - Pool

    /// Ends an exchange after which the connection is reusable, and resumes the next waiting attempt.
    ///
    /// - Returns: false if the owner has released the connection and no attempt waits.
    func endExchange() -> Bool {
        while !waiting.isEmpty {
            // The connection stays busy, so that no other attempt can use it first.
            if waiting.removeFirst().resume(returning: ()) { return true }
        }
        isBusy = false
        return intent == .keep
    }

    /// Ends the lease: the connection is closed, or belongs to the pool again.
    func end(_ reason: HTTPPoolEvent.CloseReason) {
        if case .open = state { state = .ended(reason) }
        isBusy = false
        let turns = waiting
        waiting = []
        for turn in turns { turn.resume(returning: ()) }
    }
}

extension HTTPError.Kind {
    /// Creates the public error for a dedicated connection that rejects a request.
    init(_ refusal: ConnectionLease.Rejection) {
        switch refusal {
        case .connectionMismatch: self = .invalidRequest(.connectionMismatch)
        case .released: self = .invalidRequest(.connectionReleased)
        case .closed(let reason): self = .connectionClosed(reason)
        }
    }
}

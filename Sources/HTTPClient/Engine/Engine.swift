internal import SocketTransport
internal import Wire

/// Owns one event loop and the pool of connections that live on it.
///
/// A client has one with a thread of its own, and one for each thread that makes a blocking call
/// at the same time. When the last reference goes, idle connections are closed and the thread ends;
/// calls under way hold a reference, so they are never cut off.
final class Engine: Sendable {
    let loop: EventLoop
    private let pool: LoopBound<ConnectionPool>

    init(loop: EventLoop, configuration: HTTPClient.Configuration) {
        self.loop = loop
        pool = LoopBound(ConnectionPool(loop: loop, configuration: configuration), on: loop)
    }

    deinit {
        loop.stop { [pool] in pool.value.close() }
    }

    /// Runs the call and collects its body. On the loop.
    nonisolated(nonsending) func collect(
        _ plan: Plan,
        _ call: Call
    ) async throws(HTTPError) -> HTTPResponse {
        let (connection, head) = try await begin(plan, call)
        do {
            try await connection.collectBody(plan, call)
        } catch {
            call.scope.leave()
            pool.value.discard(connection)
            throw HTTPError(error, plan, call)
        }
        finish(connection, plan, call)
        return HTTPResponse(
            head: head,
            body: call.body,
            url: plan.url,
            informational: call.informational,
            trailers: call.trailers,
            metrics: call.metrics
        )
    }

    /// Runs the call up to the head of the final response; the body is read through the result.
    /// On the loop.
    nonisolated(nonsending) func open(
        _ plan: Plan,
        _ call: Call
    ) async throws(HTTPError) -> OpenBody {
        let (connection, head) = try await begin(plan, call)
        return OpenBody(engine: self, connection: connection, plan: plan, call: call, head: head)
    }

    /// Leases, sends and receives the head; replays once what a stale connection swallowed.
    private nonisolated(nonsending) func begin(
        _ plan: Plan,
        _ call: Call
    ) async throws(HTTPError) -> (Connection, ResponseHead) {
        var fresh = !plan.keepsConnection
        while true {
            let connection: Connection
            do {
                connection = try await pool.value.lease(plan, for: call, fresh: fresh)
            } catch {
                throw call.error(error, plan)
            }
            note(connection, call)
            do {
                return (connection, try await exchangeHeads(plan, call, on: connection))
            } catch {
                call.scope.leave()
                pool.value.discard(connection)
                guard canReplay(error, plan, call, on: connection) else {
                    throw HTTPError(error, plan, call)
                }
                fresh = true
                call.metrics.replays += 1
                call.metrics.bytesSent = 0
            }
        }
    }

    private nonisolated(nonsending) func exchangeHeads(
        _ plan: Plan,
        _ call: Call,
        on connection: Connection
    ) async throws(ExchangeFailure) -> ResponseHead {
        do {
            try call.scope.enter(connection.stream)
        } catch {
            throw .transport(error)
        }
        call.phase = .sending
        if let early = try await connection.send(plan, call) {
            call.phase = .body
            connection.beginBody(early, plan)
            return early
        }
        connection.exchange?.requestSent()
        call.metrics.sentMark = .now()
        call.phase = .responseHead
        let deadline = call.deadline(call.timeouts.responseHead)
        let head = try await connection.receiveHead(until: deadline, call)
        call.phase = .body
        connection.beginBody(head, plan)
        return head
    }

    private func note(_ connection: Connection, _ call: Call) {
        call.metrics.leasedMark = .now()
        call.metrics.connectionID = connection.id
        call.metrics.priorUses = connection.uses
        call.metrics.peer = connection.socket.peerAddress
        call.metrics.local = connection.local
        connection.uses += 1
    }

    /// A reused connection may have been closed by its peer just as we wrote to it. The request may
    /// go out again, once, when no octet of an answer came and doing it twice does no more than
    /// doing it once (RFC 9110 §9.2.2, RFC 9112 §9.3.1).
    private func canReplay(
        _ failure: ExchangeFailure,
        _ plan: Plan,
        _ call: Call,
        on connection: Connection
    ) -> Bool {
        guard call.metrics.isReused, call.metrics.replays == 0, plan.head.method.isIdempotent,
            call.metrics.firstByteMark == .never, call.informational.isEmpty
        else { return false }
        switch failure {
        case .transport(.closedByPeer), .transport(.writeFailed), .transport(.readFailed): return true
        case .wire(.closedBeforeResponse): return true
        default: return false
        }
    }

    /// Ends a complete exchange: the connection goes back, or is closed when it may not be reused.
    func finish(_ connection: Connection, _ plan: Plan, _ call: Call) {
        call.scope.leave()
        call.metrics.endMark = .now()
        let mayBeReused = connection.exchange?.closeReason == nil && !connection.isReceivingEnded
        if mayBeReused, plan.keepsConnection {
            pool.value.giveBack(connection)
        } else {
            pool.value.discard(connection)
        }
    }

    /// Closes the connection of a body that nobody will read to its end.
    func abandon(_ connection: Connection, _ call: Call) {
        call.scope.leave()
        pool.value.discard(connection)
    }
}

extension HTTPError {
    /// Makes the public error of what ended an exchange early.
    init(_ failure: ExchangeFailure, _ plan: Plan, _ call: Call) {
        switch failure {
        case .transport(let error): self = call.error(error, plan)
        case .wire(let error): self = call.error(error, plan)
        case .collectLimit(let limit): self = call.error(.bodyTooLarge(limit: limit), plan)
        }
    }
}

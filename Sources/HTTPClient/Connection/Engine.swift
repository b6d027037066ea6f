internal import SocketTransport
internal import Wire

/// An event loop with its pool of connections.
///
/// A client has one engine with its own thread, and one for each concurrent blocking call, which
/// runs on the caller's thread. When the last reference is released, idle connections are closed
/// and the thread ends. Running calls hold a reference, so they are never cut off.
final class Engine: Sendable {
    let loop: EventLoop
    let pool: LoopBound<ConnectionPool>
    /// The loop that writes files: a thread that may block on a disk, started by the first
    /// download.
    let files = EventLoop.blocking()

    init(
        loop: EventLoop,
        configuration: HTTPClientConfiguration,
        _ hostResolver: HostResolver,
        random: SplitMix64 = SplitMix64()
    ) {
        self.loop = loop
        pool = LoopBound(
            ConnectionPool(loop: loop, configuration: configuration, hostResolver, random: random),
            on: loop
        )
    }

    deinit {
        loop.stop { [pool] in pool.value.close() }
        files.stop()
    }

    /// Runs the call and collects its body into the call; call on the loop.
    nonisolated(nonsending) func collected(_ call: Attempt) async -> Result<Void, HTTPError> {
        if call.scope.isCancelled { return .failure(call.error(HTTPError.Kind.cancelled)) }
        let connection: Connection
        do throws(HTTPError) {
            var start = Start.nothing
            if let (sent, deadline) = sendAtOnce(call, otherwise: &start) {
                do throws(TransportError) {
                    // Concrete types, and inline: each function that might wait costs a frame.
                    if let secured = sent.secured {
                        try await secured.wait(for: .readable, until: deadline)
                    } else {
                        try await sent.socket.wait(for: .readable, until: deadline)
                    }
                    switch sent.receiveAtOnce(call) {
                    case .success(.all):
                        call.notifyHead()
                        finish(sent, call)
                        return .success(())
                    case .success(.head): start = .answered(sent)
                    case .success(.nothing): start = .sent(sent, until: deadline)
                    case .failure(let failure): start = .failed(sent, failure)
                    }
                } catch {
                    start = .failed(sent, .transport(error))
                }
            }
            connection = try await begin(call, from: start)
        } catch {
            return .failure(error)
        }
        do throws(ExchangeError) {
            try await connection.collectBody(call)
            if connection.upload != nil { try await connection.finishUpload(call) }
        } catch {
            abandon(connection, call)
            return .failure(HTTPError(error, call))
        }
        finish(connection, call)
        return .success(())
    }

    /// Runs the call up to the head of the final response; call on the loop.
    ///
    /// The body is read through the result.
    nonisolated(nonsending) func opened(_ call: Attempt) async -> Result<StreamingBody, HTTPError> {
        if call.scope.isCancelled { return .failure(call.error(HTTPError.Kind.cancelled)) }
        do throws(HTTPError) {
            let connection = try await begin(call)
            guard let head = call.head else {
                preconditionFailure("a started call has a response head")
            }
            return .success(
                StreamingBody(engine: self, connection: connection, call: call, head: head)
            )
        } catch {
            return .failure(error)
        }
    }

    /// The progress that a call has already made.
    private enum Start {
        case nothing
        /// Sending has begun on an idle connection.
        case sending(Connection, Connection.Sending)
        case sent(Connection, until: Deadline)
        /// The head is in the call.
        case answered(Connection)
        case failed(Connection, ExchangeError)

        var connection: Connection? {
            switch self {
            case .nothing: nil
            case .sending(let connection, _), .sent(let connection, _), .answered(let connection),
                .failed(let connection, _):
                connection
            }
        }
    }

    /// Sends the whole request without waiting, if an idle connection exists and accepts all of it.
    ///
    /// This is the usual case. Most requests then wait in one place only, for the response.
    ///
    /// - Parameters:
    ///   - call: a call that has sent nothing yet.
    ///   - start: set to the progress made if the request was not sent completely.
    /// - Returns: the connection, and the deadline for the head of the response.
    private func sendAtOnce(
        _ call: Attempt,
        otherwise start: inout Start
    ) -> (connection: Connection, deadline: Deadline)? {
        assert(loop.isCurrent, "a call is carried out on its loop")
        let plan = call.plan
        guard plan.keepsConnection, plan.key.proxy == nil, plan.timeouts.throughput == nil,
            let connection = pool.value.acquireIdle(for: call)
        else { return nil }
        record(connection, call)
        do {
            let sending = try startSending(call, on: connection)
            if case .complete = sending { return (connection, recordSent(call, on: connection)) }
            start = .sending(connection, sending)
        } catch {
            start = .failed(connection, error)
        }
        return nil
    }

    /// Acquires a connection, sends and receives the head; retries once after a stale connection.
    private nonisolated(nonsending) func begin(
        _ call: Attempt,
        from start: Start = .nothing
    ) async throws(HTTPError) -> Connection {
        assert(loop.isCurrent, "a call is carried out on its loop")
        if case .answered(let connection) = start {
            call.notifyHead()
            return connection
        }
        var start = start
        var fresh = !call.plan.keepsConnection
        if call.plan.key.proxy != nil { call.forwarded = ForwardedRequest(call.plan) }
        while true {
            let connection: Connection
            do {
                if let leased = start.connection {
                    connection = leased
                } else if !fresh, let idle = pool.value.acquireIdle(for: call) {
                    connection = idle
                    record(connection, call)
                } else {
                    connection = try await acquire(for: call, fresh: fresh)
                    record(connection, call)
                }
            } catch {
                throw HTTPError(error, call)
            }
            do {
                try await exchangeHeads(call, on: connection, from: start)
                guard call.plan.key.proxy != nil, answersProxyChallenge(call) else {
                    call.notifyHead()
                    return connection
                }
                try checkBodyCanBeMade(call, again: .proxyChallenge)
                await discardRejection(connection, call)
            } catch {
                call.scope.leave()
                call.endUpload()
                pool.value.discard(connection, .failed)
                let failure = HTTPError(error, call)
                guard canReplay(error, call, on: connection) else { throw failure }
                do {
                    try checkBodyCanBeMade(call, again: .lostConnection)
                } catch {
                    throw HTTPError(error, call)
                }
                start = .nothing
                fresh = true
                call.restart(.lostConnection)
            }
        }
    }

    /// Sends the request and receives the head of the final response into the call.
    private nonisolated(nonsending) func exchangeHeads(
        _ call: Attempt,
        on connection: Connection,
        from start: Start
    ) async throws(ExchangeError) {
        var deadline: Deadline?
        switch start {
        case .nothing:
            let sending = try startSending(call, on: connection)
            deadline = try await send(sending, call, on: connection)
        case .sending(_, let sending):
            deadline = try await send(sending, call, on: connection)
        case .sent(_, let end): deadline = end
        case .answered: preconditionFailure("the head is there")
        case .failed(_, let failure): throw failure
        }
        if let deadline {
            while try !connection.receiveHeadAtOnce(call) {
                try await connection.fillInputWaiting(until: deadline, call)
            }
        }
        call.phase = .body
        connection.beginBody(call)
    }

    /// Sends as much of the request as the connection accepts without waiting.
    private func startSending(
        _ call: Attempt,
        on connection: Connection
    ) throws(ExchangeError) -> Connection.Sending {
        do {
            try call.scope.enter(connection.stream)
        } catch {
            throw .transport(error)
        }
        call.phase = .sending
        if call.plan.timeouts.throughput != nil { call.startThroughputMonitor(at: .now()) }
        return try connection.sendAtOnce(call)
    }

    /// Sends the rest of the request.
    ///
    /// - Returns: the deadline for the head of the final response; nil if it has already arrived.
    private nonisolated(nonsending) func send(
        _ sending: Connection.Sending,
        _ call: Attempt,
        on connection: Connection
    ) async throws(ExchangeError) -> Deadline? {
        switch sending {
        case .complete: break
        case .stalled(let sent):
            if try await connection.sendRest(behind: sent, call) { return nil }
        case .closedByPeer(let error):
            try await connection.receiveLastAnswer(call, behind: error)
            return nil
        }
        return recordSent(call, on: connection)
    }

    /// Records that the whole request was sent, and returns the deadline for the response head.
    private func recordSent(_ call: Attempt, on connection: Connection) -> Deadline {
        connection.exchange.requestSent()
        let now = Deadline.now()
        call.metrics.sentMark = now
        call.phase = .responseHead
        return call.deadline(call.plan.timeouts.responseHead, from: now)
    }

    private func answersProxyChallenge(_ call: Attempt) -> Bool {
        guard let head = call.head else { return false }
        return call.forwarded?.answer(head) ?? false
    }

    /// Reads a proxy's 407 to its end, so that the same connection can carry the request again.
    ///
    /// If that fails, another connection carries it.
    private nonisolated(nonsending) func discardRejection(
        _ connection: Connection,
        _ call: Attempt
    ) async {
        let deadline = call.deadline(call.plan.timeouts.readIdle)
        // An error in a discarded body costs only the connection. A cancellation or a passed
        // deadline ends the next attempt.
        let isRead = try? await connection.drainBody(
            atMost: Self.maxRejectionBytes,
            until: deadline,
            call
        )
        if isRead == true {
            finish(connection, call)
        } else {
            abandon(connection, call)
        }
        if let head = call.head { call.proxyHeads.append(head) }
        call.restart(.proxyChallenge)
        call.head = nil
        call.informational = []
    }

    /// The longest body of a 407 worth reading; beyond this, a new connection is cheaper.
    private static let maxRejectionBytes = 64 << 10

    private func record(_ connection: Connection, _ call: Attempt) {
        call.metrics.record(connection)
        connection.uses += 1
    }

    /// Returns whether the request may be sent again after a reused connection failed.
    ///
    /// The peer may have closed the connection just as the client wrote to it. The request is sent
    /// again only once, and only if no byte of a response came. It must also be idempotent, or
    /// nothing of it may have been sent (RFC 9110 §9.2.2, RFC 9112 §9.3.1).
    private func canReplay(
        _ failure: ExchangeError,
        _ call: Attempt,
        on connection: Connection
    ) -> Bool {
        var lost = RetryRules.LostAttempt()
        lost.isReused = call.metrics.isReused
        lost.isDedicated = call.lease != nil
        lost.replays = call.replays
        lost.isIdempotent = call.plan.head.method.isIdempotent
        lost.bytesSent = call.metrics.bytesSent
        lost.hasResponseBegun =
            call.metrics.firstByteMark != .never || !call.informational.isEmpty
        guard RetryRules.replays(lost) else { return false }
        switch failure {
        case .transport(.closedByPeer), .transport(.writeFailed), .transport(.readFailed):
            return true
        case .wire(.closedBeforeResponse): return true
        default: return false
        }
    }

    /// Throws if the request must be sent again, but its streamed body cannot be produced again.
    private func checkBodyCanBeMade(
        _ call: Attempt,
        again reason: HTTPMetrics.Attempt.Reason
    ) throws(ExchangeError) {
        guard let body = call.plan.streamedBody, !body.isReadyToSend else { return }
        throw .body(BodyError(.notReplayable(reason)))
    }

    /// Ends a complete exchange; releases the connection, or closes it if it cannot be reused.
    func finish(_ connection: Connection, _ call: Attempt) {
        call.scope.leave()
        call.endUpload()
        let now = Deadline.now()
        call.metrics.endMark = now
        call.metrics.ending = .complete
        // A cancellation together with the last byte has permanently ended all waits of the stream.
        let mayBeReused =
            connection.exchange.closeReason == nil && !connection.isReceivingEnded
            && !call.scope.isCancelled
        if mayBeReused, call.plan.keepsConnection {
            connection.recordKeepAlive(call)
            pool.value.release(connection, at: now)
        } else {
            pool.value.discard(connection, .notReusable)
        }
    }

    /// Removes a connection that no longer carries HTTP from the pool.
    ///
    /// - Returns: the bytes received after the response.
    func detach(_ connection: Connection, _ call: Attempt) -> [UInt8] {
        call.scope.leave()
        call.endUpload()
        call.metrics.endMark = .now()
        call.metrics.ending = .upgraded
        return pool.value.detach(connection)
    }

    /// Opens a tunnel for a plan that has a proxy.
    nonisolated(nonsending) func openProxyTunnel(
        _ call: Attempt
    ) async throws(ExchangeError) -> ProxyTunnel {
        guard let route = call.plan.key.proxy else { preconditionFailure("the plan has a proxy") }
        return try await pool.value.proxyTunnel(through: route, call)
    }

    /// Takes back the connection of a body that will not be read to its end.
    func drainInBackground(_ connection: Connection, _ call: Attempt) {
        call.scope.leave()
        call.endUpload()
        pool.value.drainAndRelease(connection, call)
    }

    /// Closes the connection of a call that failed.
    func abandon(_ connection: Connection, _ call: Attempt) {
        call.scope.leave()
        call.endUpload()
        pool.value.discard(connection, .failed)
    }
}

extension Engine {
    /// Finds or opens a connection for the call, and records the time.
    ///
    /// - Throws: a timeout if the call's time is up before or after this. In the second case the
    ///   connection goes back to the pool unused.
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

extension Engine {
    /// Returns the current state of the pool; call on the loop.
    func snapshot() -> HTTPPoolSnapshot { pool.value.snapshot() }

    /// Opens idle connections for requests like the call's; call on the loop.
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

    /// Closes the connections to an origin, or all; call on the loop.
    nonisolated(nonsending) func drain(_ origin: Origin?, in scope: CancellationScope) async {
        // Only a cancellation ends it early, and then no caller needs the error.
        try? await pool.value.drain(origin, in: scope)
    }

    /// Closes one connection; call on the loop.
    func evict(_ id: UInt64) -> Bool { pool.value.evict(id) }
}

internal import SocketTransport
internal import Wire

/// An event loop with its pool of connections.
///
/// A client has one engine with its own thread, and one for each concurrent blocking call, which
/// runs on the caller's thread. When the last reference is released, idle connections are closed
/// and the thread ends. Running calls hold a reference, so they are never interrupted.
final class Engine: Sendable {
    let loop: EventLoop
    let pool: LoopBound<ConnectionPool>
    /// The threads that write files, started by the first download.
    let files = FileThreads()
    /// The bodies that are being written to files or descriptors.
    let fileTransfers = FileTransferGroup()
    /// Loops for threads that wait for this loop.
    let waitingLoops: SpareStack<EventLoop>

    init(
        loop: EventLoop,
        configuration: HTTPClientConfiguration,
        _ hostResolver: HostResolver,
        random: SplitMix64 = SplitMix64()
    ) {
        self.loop = loop
        waitingLoops = SpareStack(lifetime: configuration.idleTimeout)
        pool = LoopBound(
            ConnectionPool(loop: loop, configuration: configuration, hostResolver, random: random),
            on: loop
        )
    }

    deinit {
        loop.stop { [pool] in pool.value.close() }
        files.stop()
    }

    /// Runs the attempt and collects the response body into it; call on the loop.
    nonisolated(nonsending) func collected(
        _ attempt: RequestAttempt
    ) async -> Result<Void, HTTPError> {
        if attempt.scope.isCancelled { return .failure(attempt.error(HTTPError.Kind.cancelled)) }
        let connection: ClientConnection
        do throws(HTTPError) {
            var start = Start.nothing
            if let (sent, deadline) = sendAtOnce(attempt, otherwise: &start) {
                do throws(TransportError) {
                    // Concrete types, and inline: each function that might wait costs a frame.
                    if let secured = sent.secured {
                        try await secured.wait(for: .readable, until: deadline)
                    } else {
                        try await sent.socket.wait(for: .readable, until: deadline)
                    }
                    switch sent.receiveAtOnce(attempt) {
                    case .success(.all):
                        attempt.notifyHead()
                        finish(sent, attempt)
                        return .success(())
                    case .success(.head): start = .answered(sent)
                    case .success(.nothing): start = .sent(sent, until: deadline)
                    case .failure(let failure): start = .failed(sent, failure)
                    }
                } catch {
                    start = .failed(sent, .transport(error))
                }
            }
            connection = try await begin(attempt, from: start)
        } catch {
            return .failure(error)
        }
        do throws(ExchangeError) {
            try await connection.collectBody(attempt)
            if connection.upload != nil { try await connection.finishUpload(attempt) }
        } catch {
            abandon(connection, attempt)
            return .failure(HTTPError(error, attempt))
        }
        finish(connection, attempt)
        return .success(())
    }

    /// The progress that an attempt has already made.
    enum Start {
        case nothing
        /// Sending has begun on an idle connection.
        case sending(ClientConnection, ClientConnection.Sending)
        case sent(ClientConnection, until: Deadline)
        /// The head is in the attempt.
        case answered(ClientConnection)
        case failed(ClientConnection, ExchangeError)
        /// Nothing: the request is sent again, because the first connection was lost.
        case replay

        var isReplay: Bool {
            if case .replay = self { true } else { false }
        }

        var connection: ClientConnection? {
            switch self {
            case .nothing, .replay: nil
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
    ///   - attempt: an attempt that has sent nothing yet.
    ///   - start: set to the progress made if the request was not sent completely.
    /// - Returns: the connection, and the deadline for the head of the response.
    private func sendAtOnce(
        _ attempt: RequestAttempt,
        otherwise start: inout Start
    ) -> (connection: ClientConnection, deadline: Deadline)? {
        assert(loop.isCurrent, "an attempt runs on its loop")
        let plan = attempt.plan
        guard plan.keepsConnection, plan.key.proxy == nil, plan.timeouts.throughput == nil,
            plan.limiters == nil, attempt.limits.pacing == nil,
            let connection = pool.value.acquireIdle(for: attempt)
        else { return nil }
        record(connection, attempt)
        do {
            let sending = try startSending(attempt, on: connection)
            if case .complete = sending { return (connection, recordSent(attempt, on: connection)) }
            start = .sending(connection, sending)
        } catch {
            start = .failed(connection, error)
        }
        return nil
    }

    /// Acquires a connection, sends the request and receives the head; replays it once on a new connection.
    ///
    /// `CallState` decides about all other repetitions of a request, but not about this replay. The pool
    /// cannot know whether an idle connection is still open. A replay corrects its choice if no byte of a
    /// response arrived. Upgrades have no `CallState`, and most calls end without one.
    nonisolated(nonsending) func begin(
        _ attempt: RequestAttempt,
        from start: Start = .nothing
    ) async throws(HTTPError) -> ClientConnection {
        assert(loop.isCurrent, "an attempt runs on its loop")
        if case .answered(let connection) = start {
            attempt.notifyHead()
            return connection
        }
        if attempt.plan.key.proxy != nil, attempt.forwarded == nil {
            attempt.forwarded = ForwardedRequest(attempt.plan)
        }
        let connection: ClientConnection
        do {
            let fresh = start.isReplay || !attempt.plan.keepsConnection
            if let leased = start.connection {
                connection = leased
            } else if !fresh, let idle = pool.value.acquireIdle(for: attempt) {
                connection = idle
                record(connection, attempt)
            } else {
                connection = try await acquire(for: attempt, fresh: fresh)
                record(connection, attempt)
            }
        } catch {
            throw HTTPError(error, attempt)
        }
        do {
            try await exchangeHeads(attempt, on: connection, from: start)
        } catch {
            attempt.scope.leave()
            attempt.endUpload()
            pool.value.discard(connection, .failed)
            let failure = HTTPError(error, attempt)
            guard canReplay(error, attempt, on: connection) else { throw failure }
            if let body = attempt.plan.streamedBody, !body.isReadyToSend {
                let error = BodyError(.notReplayable(.lostConnection))
                throw HTTPError(.body(error), attempt)
            }
            attempt.restart()
            return try await begin(attempt, from: .replay)
        }
        attempt.notifyHead()
        return connection
    }

    /// Sends the request and receives the head of the final response into the attempt.
    private nonisolated(nonsending) func exchangeHeads(
        _ attempt: RequestAttempt,
        on connection: ClientConnection,
        from start: Start
    ) async throws(ExchangeError) {
        var deadline: Deadline?
        switch start {
        case .nothing, .replay:
            let sending = try startSending(attempt, on: connection)
            deadline = try await send(sending, attempt, on: connection)
        case .sending(_, let sending):
            deadline = try await send(sending, attempt, on: connection)
        case .sent(_, let end): deadline = end
        case .answered: preconditionFailure("the head is there")
        case .failed(_, let failure): throw failure
        }
        if let deadline {
            while try !connection.receiveHeadAtOnce(attempt) {
                try await connection.fillInputWaiting(until: deadline, attempt)
            }
        }
        attempt.phase = .body
        connection.beginBody(attempt)
    }

    /// Sends as much of the request as the connection accepts without waiting.
    private func startSending(
        _ attempt: RequestAttempt,
        on connection: ClientConnection
    ) throws(ExchangeError) -> ClientConnection.Sending {
        do {
            try attempt.scope.enter(connection.stream)
        } catch {
            throw .transport(error)
        }
        attempt.phase = .sending
        if attempt.plan.limiters != nil || attempt.limits.pacing != nil {
            attempt.beginPacing(on: connection.socket)
        }
        if attempt.plan.timeouts.throughput != nil { attempt.startThroughputMonitor(at: .now()) }
        return try connection.sendAtOnce(attempt)
    }

    /// Sends the rest of the request.
    ///
    /// - Returns: the deadline for the head of the final response; nil if it has already arrived.
    private nonisolated(nonsending) func send(
        _ sending: ClientConnection.Sending,
        _ attempt: RequestAttempt,
        on connection: ClientConnection
    ) async throws(ExchangeError) -> Deadline? {
        switch sending {
        case .complete: break
        case .stalled(let sent):
            if try await connection.sendRest(behind: sent, attempt) { return nil }
        case .closedByPeer(let error):
            try await connection.receiveLastAnswer(attempt, behind: error)
            return nil
        }
        return recordSent(attempt, on: connection)
    }

    /// Records that the whole request was sent, and returns the deadline for the response head.
    private func recordSent(_ attempt: RequestAttempt, on connection: ClientConnection) -> Deadline
    {
        connection.exchange.requestSent()
        let now = Deadline.now()
        attempt.trace.metrics.sentMark = now
        attempt.phase = .responseHead
        return attempt.deadline(attempt.plan.timeouts.responseHead, from: now)
    }

    private func record(_ connection: ClientConnection, _ attempt: RequestAttempt) {
        attempt.trace.metrics.record(connection)
        connection.usage.exchanges += 1
    }

    /// Returns whether the request may be sent again after a reused connection failed.
    ///
    /// The peer may have closed the connection just as the client wrote to it. The request is sent
    /// again only once, and only if no byte of a response arrived. It must also be idempotent, or
    /// none of it may have been sent (RFC 9110 §9.2.2, RFC 9112 §9.3.1).
    private func canReplay(
        _ failure: ExchangeError,
        _ attempt: RequestAttempt,
        on connection: ClientConnection
    ) -> Bool {
        var lost = RetryRules.LostAttempt()
        lost.isReused = attempt.trace.metrics.isReused
        lost.isDedicated = attempt.lease != nil
        lost.replays = attempt.trace.replays
        lost.isIdempotent = attempt.plan.head.method.isIdempotent
        lost.bytesSent = attempt.trace.metrics.bytesSent
        lost.hasResponseBegun =
            attempt.trace.metrics.firstByteMark != .never || !attempt.received.informational.isEmpty
        guard RetryRules.replays(lost) else { return false }
        switch failure {
        case .transport(.closedByPeer), .transport(.writeFailed), .transport(.readFailed):
            return true
        case .wire(.closedBeforeResponse): return true
        default: return false
        }
    }

    /// Ends a complete exchange; releases the connection, or closes it if it cannot be reused.
    func finish(_ connection: ClientConnection, _ attempt: RequestAttempt) {
        attempt.scope.leave()
        attempt.endUpload()
        let now = Deadline.now()
        attempt.trace.metrics.endMark = now
        attempt.trace.metrics.ending = .complete
        // A cancellation that arrives with the last byte has permanently ended all waits of the stream.
        let mayBeReused =
            connection.exchange.readCloseReason() == nil && !connection.isReceivingEnded
            && !attempt.scope.isCancelled
        if mayBeReused, attempt.plan.keepsConnection {
            connection.recordKeepAlive(attempt)
            pool.value.release(connection, at: now)
        } else {
            pool.value.discard(connection, .notReusable)
        }
    }

    /// Removes a connection that no longer carries HTTP from the pool.
    ///
    /// - Returns: the bytes received after the response.
    func detach(_ connection: ClientConnection, _ attempt: RequestAttempt) -> [UInt8] {
        attempt.scope.leave()
        attempt.endUpload()
        attempt.trace.metrics.endMark = .now()
        attempt.trace.metrics.ending = .upgraded
        return pool.value.detach(connection)
    }

    /// Opens a tunnel for a plan that has a proxy.
    nonisolated(nonsending) func openProxyTunnel(
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> ProxyTunnel {
        guard let route = attempt.plan.key.proxy else {
            preconditionFailure("the plan has a proxy")
        }
        return try await pool.value.proxyTunnel(through: route, attempt)
    }

    /// Takes back the connection of a body that will not be read to its end.
    func drainInBackground(_ connection: ClientConnection, _ attempt: RequestAttempt) {
        attempt.scope.leave()
        attempt.endUpload()
        pool.value.drainAndRelease(connection, attempt)
    }

    /// Closes the connection of an attempt that failed.
    func abandon(_ connection: ClientConnection, _ attempt: RequestAttempt) {
        attempt.scope.leave()
        attempt.endUpload()
        pool.value.discard(connection, .failed)
    }
}

extension Engine {
    /// Finds or opens a connection for the attempt, and records the time.
    ///
    /// - Throws: a timeout if a deadline leaves no time to send. If it has passed while acquiring, the
    ///   connection goes back to the pool unused.
    nonisolated(nonsending) func acquire(
        for attempt: RequestAttempt,
        fresh: Bool
    ) async throws(ExchangeError) -> ClientConnection {
        try attempt.checkMaySend(at: .now())
        let connection = try await pool.value.acquire(for: attempt, fresh: fresh)
        let now = Deadline.now()
        attempt.trace.metrics.leasedMark = now
        do {
            try attempt.checkMaySend(at: now)
        } catch {
            if attempt.plan.keepsConnection, connection.opening.poolIndex != ConnectionPool.nowhere
            {
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

    /// Opens idle connections for requests like the attempt's; call on the loop.
    nonisolated(nonsending) func prewarm(
        _ count: Int,
        _ attempt: RequestAttempt
    ) async -> Result<Int, HTTPError> {
        do throws(ExchangeError) {
            return .success(try await pool.value.prewarm(count, attempt))
        } catch {
            return .failure(HTTPError(error, attempt))
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

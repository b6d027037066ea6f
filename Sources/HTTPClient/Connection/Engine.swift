internal import SocketTransport
internal import Wire

/// Owns one event loop and the pool of connections that live on it.
///
/// A client has one with a thread of its own, and one for each thread that makes a blocking call
/// at the same time. When the last reference goes, idle connections are closed and the thread ends;
/// calls under way hold a reference, so they are never cut off.
final class Engine: Sendable {
    let loop: EventLoop
    let pool: LoopBound<ConnectionPool>
    /// Where files are written: a thread that may wait for a disk, started by the first download.
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

    /// Runs the call and collects its body, on the loop; the response lies in the call then.
    nonisolated(nonsending) func collected(_ call: Attempt) async -> Result<Void, HTTPError> {
        let connection: Connection
        do throws(HTTPError) {
            var start = Start.nothing
            if let (sent, deadline) = sendAtOnce(call, otherwise: &start) {
                do throws(TransportError) {
                    // Named types, and here: each function that might wait costs a frame.
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

    /// Runs the call, on the loop, up to the head of the final response.
    ///
    /// The body is read through the result.
    nonisolated(nonsending) func opened(_ call: Attempt) async -> Result<StreamingBody, HTTPError> {
        do throws(HTTPError) {
            let connection = try await begin(call)
            guard let head = call.head else {
                preconditionFailure("a call has begun with its head")
            }
            return .success(
                StreamingBody(engine: self, connection: connection, call: call, head: head)
            )
        } catch {
            return .failure(error)
        }
    }

    /// How far a call has come already.
    private enum Start {
        case nothing
        /// On an idle connection.
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

    /// Does without waiting what can be done so in the usual case: there is an idle connection, and
    /// it takes the whole request.
    ///
    /// Most requests wait in one place alone, for the answer.
    ///
    /// - Parameters:
    ///   - call: with nothing sent so far.
    ///   - start: says where to go on when it came less far.
    /// - Returns: the connection, and when the head of the response must be there.
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

    /// Leases, sends and receives the head; replays once what a stale connection swallowed.
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

    /// Sends as much of the request as the connection takes at once.
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
    /// - Returns: when the head of the final response must be there; nil when it came meanwhile.
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

    /// Notes that the whole request is on its way; tells when the head of the response must be there.
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

    /// Reads a proxy's 407 to its end, so that the request can follow on the same connection; if it
    /// cannot, it follows on another one.
    private nonisolated(nonsending) func discardRejection(
        _ connection: Connection,
        _ call: Attempt
    ) async {
        let deadline = call.deadline(call.plan.timeouts.readIdle)
        // What is wrong with a page that nobody reads costs the connection and nothing else; a
        // cancellation or a passed deadline meets the next attempt.
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

    /// A longer page is dearer to read than a new connection.
    private static let maxRejectionBytes = 64 << 10

    private func record(_ connection: Connection, _ call: Attempt) {
        call.metrics.record(connection)
        connection.uses += 1
    }

    /// A reused connection may have been closed by its peer just as we wrote to it.
    ///
    /// The request may go out again, once, when no byte of an answer came, and it never left this
    /// machine or doing it twice does no more than doing it once (RFC 9110 §9.2.2, RFC 9112 §9.3.1).
    private func canReplay(
        _ failure: ExchangeError,
        _ call: Attempt,
        on connection: Connection
    ) -> Bool {
        guard call.metrics.isReused, call.replays == 0, call.lease == nil,
            call.plan.head.method.isIdempotent || call.metrics.bytesSent == 0,
            call.metrics.firstByteMark == .never, call.informational.isEmpty
        else { return false }
        switch failure {
        case .transport(.closedByPeer), .transport(.writeFailed), .transport(.readFailed):
            return true
        case .wire(.closedBeforeResponse): return true
        default: return false
        }
    }

    /// Throws when the request is to be sent again, and its body was made and cannot be made again.
    private func checkBodyCanBeMade(
        _ call: Attempt,
        again reason: HTTPMetrics.Attempt.Reason
    ) throws(ExchangeError) {
        guard let body = call.plan.streamedBody, !body.isReadyToSend else { return }
        throw .body(BodyError(.notReplayable(reason)))
    }

    /// Ends a complete exchange: the connection goes back, or is closed when it may not be reused.
    func finish(_ connection: Connection, _ call: Attempt) {
        call.scope.leave()
        call.endUpload()
        let now = Deadline.now()
        call.metrics.endMark = now
        call.metrics.ending = .complete
        // A cancellation that came with the last byte has ended all waits of the stream for good.
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

    /// Takes a connection that HTTP has left out of the pool.
    ///
    /// - Returns: what was received behind the response.
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

    /// Takes back the connection of a body that nobody will read to its end.
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

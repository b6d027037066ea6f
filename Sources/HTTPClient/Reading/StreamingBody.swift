internal import SocketTransport
internal import Wire

/// The body of a response that is still being received, with its connection.
///
/// When it is dropped, the rest is discarded in the background if it is short; otherwise the
/// connection is closed.
final class StreamingBody: Sendable {
    /// The part that is confined to the loop.
    final class Source {
        let connection: ClientConnection
        let attempt: RequestAttempt
        var isFinished = false
        var isReading = false
        /// The number of bytes that the last read returned.
        var lastCount = 0
        /// The error that the next read throws.
        var failure: HTTPError?
        /// The bytes that were read ahead of the caller.
        var ahead: ArraySlice<UInt8> = []

        init(connection: ClientConnection, attempt: RequestAttempt) {
            self.connection = connection
            self.attempt = attempt
        }
    }

    let engine: Engine
    let head: ResponseHead
    let informational: [ResponseHead]
    let proxyHeads: [ResponseHead]
    let source: LoopBound<Source>
    let attempt: RequestAttempt
    /// The results of the last read, for callers on other threads.
    private let outcome = Locked<Outcome>(Outcome())

    struct Outcome: Sendable {
        var trailers: HTTPHeaders?
        var metrics: HTTPMetrics
        /// The callbacks for the end of reading.
        var handlers: [@Sendable (HTTPMetrics, HTTPError?) -> Void] = []
        /// The end of reading and its error; the inner nil means the end of the body.
        var end: HTTPError??
        /// Whether the caller has canceled the body.
        var isCancelled = false
        init() { metrics = HTTPMetrics() }
    }

    init(engine: Engine, connection: ClientConnection, attempt: RequestAttempt, head: ResponseHead)
    {
        self.engine = engine
        self.head = head
        informational = attempt.received.informational
        proxyHeads = attempt.received.proxyHeads
        let source = Source(connection: connection, attempt: attempt)
        attempt.limits.throughput?.pause(at: .now())
        self.source = LoopBound(source, on: engine.loop)
        self.attempt = attempt
        outcome.withLock { $0.metrics = attempt.timeline }
    }

    deinit {
        attempt.queuePermit?.release()
        notifyEnd(nil)
        engine.loop.post { [source, engine] in
            let source = source.value
            guard !source.isFinished else { return }
            source.isFinished = true
            engine.drainInBackground(source.connection, source.attempt)
        }
    }

    var metrics: HTTPMetrics { outcome.withLock(\.metrics) }

    /// Adds a closure to call once when the body was read to its end, failed or was abandoned.
    func onBodyEnd(_ handler: @escaping @Sendable (HTTPMetrics, HTTPError?) -> Void) {
        let end = outcome.withLock { outcome in
            if outcome.end == nil { outcome.handlers.append(handler) }
            return outcome.end
        }
        if case .some(let error) = end { handler(metrics, error) }
    }

    /// Adds a closure to call once when reading has ended, for whatever reason.
    func onEnd(_ handler: @escaping @Sendable () -> Void) {
        onBodyEnd { _, _ in handler() }
    }

    private func notifyEnd(_ error: HTTPError?) {
        let handlers = outcome.withLock { outcome in
            outcome.end = .some(error)
            defer { outcome.handlers = [] }
            return outcome.handlers
        }
        guard !handlers.isEmpty else { return }
        let metrics = metrics
        for handler in handlers { handler(metrics, error) }
    }

    /// Whether the caller has canceled the body, also after its end.
    var isCancelled: Bool { outcome.withLock(\.isCancelled) }

    /// The trailer section; nil until the body has ended.
    var trailers: HTTPHeaders? { outcome.withLock(\.trailers) }

    /// Reads the next bytes: at least one, at most `limit`; none at the end.
    ///
    /// Call it on the loop, with an empty target.
    nonisolated(nonsending) func read<Target: BodyTarget>(
        into target: inout Target,
        atMost limit: Int
    ) async throws(HTTPError) {
        let source = source.value
        try checkIsNotReading(source)
        if !source.ahead.isEmpty {
            let piece = Array(source.ahead.prefix(limit))
            source.ahead.removeFirst(piece.count)
            return target.set(piece)
        }
        if let failure = source.failure.take() { throw failure }
        guard !source.isFinished else { return }
        source.isReading = true
        source.attempt.limits.throughput?.resume(at: .now())
        defer {
            source.isReading = false
            source.lastCount = target.count
            source.attempt.limits.throughput?.pause(at: .now())
        }
        target.prepare(for: limit, after: source.lastCount)
        do {
            let connection = source.connection
            while target.count == 0 {
                let step = try await target.read(connection, atMost: limit, source.attempt)
                if case .end(let trailers) = step {
                    return try await finish(source, trailers, decoded: target.count)
                }
            }
            source.attempt.trace.metrics.bodyBytesDecoded += target.count
        } catch {
            // Without a failure, the caller waits for the rest when it reads the body.
            guard let failure = failure(of: source, error, decoded: target.count) else { return }
            guard target.count > 0 else { throw failure }
            // Bytes that arrived before the error are delivered before it.
            source.failure = failure
        }
    }

    /// Reads bytes that have arrived, at most `limit`, without waiting.
    ///
    /// Call it on the loop, with an empty target.
    ///
    /// - Returns: whether there are some. If not, ``read(into:atMost:)`` must be called.
    func readArrived<Target: BodyTarget>(into target: inout Target, atMost limit: Int) -> Bool {
        let source = source.value
        guard !source.isReading, !source.isFinished, source.ahead.isEmpty, source.failure == nil,
            source.connection.mayHaveUnreadInput
        else { return false }
        target.prepare(for: limit, after: source.lastCount)
        do {
            try target.readArrived(source.connection, atMost: limit, source.attempt)
            source.attempt.trace.metrics.bodyBytesDecoded += target.count
        } catch {
            // The next read throws it.
            source.failure = failure(of: source, error, decoded: target.count)
        }
        guard target.count > 0 else { return false }
        source.lastCount = target.count
        return true
    }

    private func checkIsNotReading(_ source: Source) throws(HTTPError) {
        guard source.isReading else { return }
        let plan = source.attempt.plan
        throw HTTPError(.invalidRequest(.overlappingRead), phase: .body)
            .naming(plan.head.method, plan.publicURL)
    }

    /// Sends the rest of the request, and releases the connection of a complete body.
    private nonisolated(nonsending) func finish(
        _ source: Source,
        _ trailers: HTTPHeaders,
        decoded count: Int
    ) async throws(ExchangeError) {
        source.attempt.recordBytes()
        if source.connection.upload != nil {
            try await source.connection.finishUpload(source.attempt)
        }
        source.isFinished = true
        source.attempt.trace.metrics.bodyBytesDecoded += count
        engine.finish(source.connection, source.attempt)
        attempt.queuePermit?.release()
        outcome.withLock {
            $0.trailers = trailers
            $0.metrics = source.attempt.timeline
        }
        notifyEnd(nil)
    }

    /// Closes the connection of a body that failed, and returns its error.
    ///
    /// Returns nil if only the time for reading ahead has passed.
    private func failure(
        of source: Source,
        _ error: ExchangeError,
        decoded count: Int
    ) -> HTTPError? {
        let now = Deadline.now()
        if case .transport(.timedOut) = error, source.attempt.limits.drainDeadline <= now,
            now < source.attempt.limits.totalDeadline
        {
            return nil
        }
        source.attempt.recordBytes()
        if !source.isFinished {
            source.isFinished = true
            engine.abandon(source.connection, source.attempt)
            attempt.queuePermit?.release()
        }
        source.attempt.trace.metrics.bodyBytesDecoded += count
        let failure = HTTPError(error, source.attempt)
        outcome.withLock { $0.metrics = failure.metrics }
        notifyEnd(failure)
        return failure
    }

    /// Ends the body early: a read in progress throws `.cancelled`, or else the next one does.
    func cancel() {
        outcome.withLock { $0.isCancelled = true }
        engine.loop.post { [self] in
            attempt.scope.cancel()
            let source = source.value
            // A read in progress ends the body itself.
            guard !source.isReading, !source.isFinished else { return }
            source.isFinished = true
            source.ahead = []
            engine.abandon(source.connection, source.attempt)
            attempt.queuePermit?.release()
            let failure = source.attempt.error(HTTPError.Kind.cancelled)
            source.failure = failure
            outcome.withLock { $0.metrics = failure.metrics }
            notifyEnd(failure)
        }
    }

    /// Reads the rest of the body now, if it is short, and keeps it for the caller.
    ///
    /// Then the connection is free for the next attempt, and the queue's permit is released. A body
    /// that is longer, or takes longer, than ``HTTPClientConfiguration/UnreadBodyPolicy`` allows
    /// keeps its connection, but not its permit.
    ///
    /// Call it on the loop, before the caller reads.
    ///
    /// - Returns: whether the body has ended, completely or with an error; false if it still has its connection.
    nonisolated(nonsending) func bufferRemainder() async -> Bool {
        let source = source.value
        let policy = engine.pool.value.unreadBodyPolicy
        var ahead: [UInt8] = []
        source.attempt.limits.drainDeadline = Deadline.now().advanced(by: policy.time)
        do throws(HTTPError) {
            while ahead.count <= policy.bytes {
                var piece: [UInt8] = []
                let limit = min(policy.bytes - ahead.count, 64 << 10) + 1
                try await read(into: &piece, atMost: limit)
                if piece.isEmpty { break }
                ahead += piece
            }
        } catch {
            // The caller gets the error after the bytes before it.
            source.failure = error
        }
        source.attempt.limits.drainDeadline = .never
        source.ahead = ahead[...]
        attempt.queuePermit?.release()
        return source.isFinished || source.failure != nil
    }
}

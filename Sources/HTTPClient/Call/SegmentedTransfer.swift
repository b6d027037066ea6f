internal import SocketTransport
internal import Wire

/// The transfer of the parts of one file over several connections.
///
/// ``SegmentPlan`` decides which worker downloads what. Each worker is a task that requests one part after
/// the other. The requests are a ``CallDriver`` each, so the retry rules of the call apply to each part.
/// All workers write through one ``DownloadWriter``.
final class SegmentedTransfer: @unchecked Sendable {
    // Sendable because a task uses the variables only while it holds `lock`.

    /// The outcome of the transfer.
    enum Outcome: Sendable {
        /// The file has all bytes.
        case complete
        /// Some parts do not belong together: the file has to be downloaded as a whole.
        case startOver
        case failure(HTTPError)
    }

    /// A body of a part that is being received, and the driver that requests the rest if it is lost.
    private struct Exchange: Sendable {
        let driver: CallDriver
        /// The range that the driver requests; see ``FileDownload/PlannedRange``.
        let planned: FileDownload.PlannedRange
        var opened: CallDriver.OpenResponse
        /// The part that the response contains.
        var part: Range<Int>
    }

    /// The end of reading one body.
    private enum BodyEnd: Sendable {
        /// The part is complete.
        case complete
        /// The transfer has ended.
        case stopped
        case lost(HTTPError)
    }

    /// How far parts run ahead of the digest, in bytes; see ``SegmentPlan/window``.
    ///
    /// 128 MiB: the digest reads the bytes after a gap again, and a small machine still has twice as many in its page
    /// cache.
    private static let digestWindow = 128 << 20

    /// The pause after a rejected part without Retry-After.
    ///
    /// Half a second: a server that limits the rate of requests would reject the next one at once, and the connection
    /// that is left is often busy for longer than that.
    private static let rejectionPause = Duration.milliseconds(500)

    private let download: FileDownload
    private let main: CallDriver
    private let request: HTTPRequest
    private let requestPlan: Plan
    private let source: FileDownload.Part
    private let workers: Int
    private let start: Int
    private let inspectsBytes: Bool
    private let beginsAlone: Bool
    private let lock = TaskLock()
    /// The writer of the file; the owner reads it when ``run(_:_:)`` has returned.
    private(set) var writer: DownloadWriter
    private var plan: SegmentPlan
    /// The time before which no part is requested, because the server has rejected a request; nil for none.
    private var requestsFrom: Deadline?
    /// The outcome; nil while the transfer runs.
    private var outcome: Outcome?
    /// The workers that wait for a part.
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// The responses whose bodies the workers read.
    private var responses: [Int: HTTPStreamedResponse] = [:]
    /// Whether the file has refused splice(2), so that no other body tries it.
    private var isPipeRefused = false
    /// The metrics of the first driver.
    private var metrics = HTTPMetrics()
    /// The attempts of the other drivers.
    private var attempts: [HTTPMetrics.Attempt] = []

    /// Creates a transfer whose first response has arrived.
    ///
    /// - Parameters:
    ///   - download: the download.
    ///   - request: its request.
    ///   - requestPlan: the plan of the request.
    ///   - main: the driver of its first request.
    ///   - writer: the writer, after it has received the head of the first part.
    ///   - limit: the maximum number of connections.
    ///   - minSize: the minimum size of a part.
    init(
        _ download: FileDownload,
        _ request: HTTPRequest,
        _ requestPlan: Plan,
        _ main: CallDriver,
        _ writer: DownloadWriter,
        limit: Int,
        minSize: Int
    ) {
        self.download = download
        self.request = request
        self.requestPlan = requestPlan
        self.main = main
        self.writer = writer
        source = FileDownload.Part(writer.state)
        workers = limit
        start = writer.state.completed
        inspectsBytes = writer.inspectsBytes
        let missing = writer.state.ranges.gaps(below: writer.state.total ?? 0)
        plan = SegmentPlan(
            missing: missing,
            limit: limit,
            minSize: minSize,
            window: inspectsBytes ? Self.digestWindow : .max
        )
        beginsAlone = plan.beginsAlone
    }

    /// The metrics of all attempts, when ``run(_:_:)`` has returned.
    var allMetrics: HTTPMetrics { metrics.merging(attempts) }

    /// Downloads all parts; call on a file thread.
    ///
    /// - Parameters:
    ///   - opened: the response with the first part.
    ///   - planned: the range that `main` requests.
    /// - Returns: the outcome; the file is not finished yet.
    nonisolated(nonsending) func run(
        _ opened: CallDriver.OpenResponse,
        _ planned: FileDownload.PlannedRange
    ) async -> Outcome {
        let part = writer.state.nextPart ?? 0..<0
        plan.assign(part, to: 0)
        metrics = opened.streamed.metrics
        let first = Exchange(driver: main, planned: planned, opened: opened, part: part)
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<workers {
                group.addTask { await self.work(worker, worker == 0 ? first : nil) }
            }
            group.addTask { await self.replaceSlowParts() }
            for await _ in group {
                await lock.acquire()
                let isOver = outcome != nil
                lock.release()
                // Others may wait for bytes that are of no more use.
                if isOver { group.cancelAll() }
            }
        }
        download.record?.progress.recordSegments { [] }
        // Without an outcome, no worker would have ended.
        return outcome ?? .startOver
    }

    // MARK: - Workers

    /// Downloads parts until there are none.
    private nonisolated(nonsending) func work(_ worker: Int, _ first: Exchange?) async {
        if let first {
            await receive(first, worker)
        } else if beginsAlone {
            await waitAlone(worker)
        }
        while let part = await nextPart(for: worker) { await fetch(part, worker) }
    }

    /// Lets the first worker work alone for a moment.
    private nonisolated(nonsending) func waitAlone(_ worker: Int) async {
        let (alone, measured) = (SegmentPlan.alonePeriod, SegmentPlan.aloneMeasured)
        // When the task is canceled, there is nothing to wait for.
        try? await Task.sleep(for: .nanoseconds(alone - measured))
        if worker == 1 { await measureAlone { $0.measureAlone($1, at: .now()) } }
        try? await Task.sleep(for: .nanoseconds(measured))
        if worker == 1 { await measureAlone { $0.endAlone($1, at: .now()) } }
    }

    /// Calls a function of the plan with the number of bytes written so far.
    private nonisolated(nonsending) func measureAlone(
        _ body: (inout SegmentPlan, Int) -> Void
    ) async {
        await lock.acquire()
        body(&plan, writer.state.completed - start)
        lock.release()
    }

    /// Waits for the next part of a worker; nil when the transfer has ended.
    private nonisolated(nonsending) func nextPart(for worker: Int) async -> Range<Int>? {
        var mayPause = true
        while true {
            await lock.acquire()
            guard outcome == nil else {
                lock.release()
                return nil
            }
            if mayPause, let rest = pauseAfterRejection() {
                lock.release()
                // The request of a canceled task fails with the reason.
                do { try await Task.sleep(for: rest) } catch { mayPause = false }
                continue
            }
            switch plan.next(for: worker) {
            case .part(let part):
                recordSegments()
                lock.release()
                return part
            case .end:
                stop(.complete)
                lock.release()
                return nil
            case .wait:
                await withCheckedContinuation { continuation in
                    waiting.append(continuation)
                    lock.release()
                }
            }
        }
    }

    /// The time for which no part may be requested; nil if one may.
    ///
    /// Call it with the lock.
    private func pauseAfterRejection() -> Duration? {
        guard let requestsFrom else { return nil }
        // A request after the total deadline fails with the reason.
        let end = min(requestsFrom, main.shared.withLock { $0.state.deadline })
        let rest = end.nanoseconds - Deadline.now().nanoseconds
        return rest > 0 ? .nanoseconds(rest) : nil
    }

    /// Once a second, takes the rests of parts from connections that are too slow.
    private nonisolated(nonsending) func replaceSlowParts() async {
        while true {
            do {
                try await Task.sleep(for: .seconds(1))
            } catch {
                return
            }
            await lock.acquire()
            defer { lock.release() }
            guard outcome == nil else { return }
            if download.record?.gate.isPaused ?? false {
                plan.ignoreRates()
                continue
            }
            let slow = plan.replaceSlow(writer.state.completed - start, at: .now())
            for worker in slow { responses[worker]?.cancel() }
            if !slow.isEmpty { wakeAll() }
        }
    }

    /// Requests a part and writes it to the file.
    private nonisolated(nonsending) func fetch(_ part: Range<Int>, _ worker: Int) async {
        let planned = FileDownload.PlannedRange(source.with(part))
        let client = download.client
        let transfer = Transfer(
            isStreamed: true,
            on: client.engine,
            observer: download.record.map { PartAttempts($0, on: client.engine.loop) }
        ) { request throws(HTTPError) in
            try client.planUndecoded(planned.part.applied(to: request))
        }
        do throws(HTTPError) {
            let driver = try CallDriver(
                request,
                client,
                transfer,
                continuing: CallDriver.Continuation(main, .part)
            )
            await lock.acquire()
            let isAlone = plan.isAlone(worker)
            lock.release()
            // As long as another connection works, it takes the part that this one does not get.
            let opened = try await driver.openContinuation(maxRetries: isAlone ? nil : 0)
            guard await accepts(opened.streamed, part, worker) else {
                return await record(opened.streamed.metrics, of: driver)
            }
            await receive(
                Exchange(driver: driver, planned: planned, opened: opened, part: part),
                worker
            )
        } catch {
            await record(error.metrics, of: nil)
            await fail(worker, error)
        }
    }

    /// Writes the body of a part to the file, and requests its rest if it is lost.
    private nonisolated(nonsending) func receive(_ begun: Exchange, _ worker: Int) async {
        var exchange = begun
        while true {
            let end = await readBody(exchange, worker)
            let error: HTTPError
            switch end {
            case .complete, .stopped:
                await record(exchange.opened.streamed.metrics, of: exchange.driver)
                return
            case .lost(let lost): error = lost
            }
            // The body contradicts its head.
            let isCorrupt = DownloadState.BodyFailure(error.kind) == .corruption
            if isCorrupt { await stopAll(.startOver) }
            guard let rest = await rest(of: worker) else {
                return await record(error.metrics, of: exchange.driver)
            }
            // The body was lost after its last byte, for example before the end of its chunks.
            guard !rest.isEmpty else {
                await finish(worker)
                return await record(error.metrics, of: exchange.driver)
            }
            if rest.lowerBound > exchange.part.lowerBound { exchange.driver.recordProgress() }
            exchange.planned.part = source.with(rest)
            exchange.part = rest
            do throws(HTTPError) {
                exchange.opened = try await exchange.driver.reopen(after: error)
            } catch {
                await record(error.metrics, of: exchange.driver)
                return await fail(worker, error)
            }
            guard await accepts(exchange.opened.streamed, rest, worker) else {
                return await record(exchange.opened.streamed.metrics, of: exchange.driver)
            }
        }
    }

    /// Reads a body to the end of the part, or to the part that another worker has taken.
    private nonisolated(nonsending) func readBody(
        _ exchange: Exchange,
        _ worker: Int
    ) async -> BodyEnd {
        let (response, part) = (exchange.opened.streamed, exchange.part)
        let transfer = FileTransfer(isInspected: await begin(response, worker))
        var (position, end) = (part.lowerBound, part.upperBound)
        while true {
            // The rest of the body, if it has one, belongs to another worker.
            if position >= end, end < part.upperBound {
                await finish(worker)
                return .complete
            }
            do throws(HTTPError) {
                let batch = try await response.next(
                    into: transfer,
                    atMost: max(end - position, 1)
                )
                guard case .bytes = batch else {
                    // Only a body that no server sent can be too short without an error.
                    guard position == part.upperBound else {
                        await stopAll(.startOver)
                        return .stopped
                    }
                    await finish(worker)
                    return .complete
                }
            } catch {
                return .lost(error)
            }
            let count = transfer.count
            guard count <= part.upperBound - position else {
                await stopAll(.startOver)
                return .stopped
            }
            guard let rest = await write(transfer, at: position, response, worker) else {
                return .stopped
            }
            position += count
            end = rest.upperBound
        }
    }

    /// Records the response that a worker reads.
    ///
    /// - Returns: whether its bytes have to go through memory.
    private nonisolated(nonsending) func begin(
        _ response: HTTPStreamedResponse,
        _ worker: Int
    ) async -> Bool {
        await lock.acquire()
        defer { lock.release() }
        responses[worker] = response
        return inspectsBytes || isPipeRefused
    }

    /// Writes the bytes of one step.
    ///
    /// - Returns: the bytes that the worker still has to write; nil if the transfer has ended.
    private nonisolated(nonsending) func write(
        _ transfer: FileTransfer,
        at position: Int,
        _ response: HTTPStreamedResponse,
        _ worker: Int
    ) async -> Range<Int>? {
        let count = transfer.count
        await lock.acquire()
        defer { lock.release() }
        guard outcome == nil else { return nil }
        do throws(DownloadWriter.WriteError) {
            try transfer.write { pipe throws(DownloadWriter.WriteError) in
                try writer.write(pipe, at: position)
            } orBytes: { bytes throws(DownloadWriter.WriteError) in
                try writer.write(bytes, at: position)
            }
        } catch {
            stop(.failure(download.error(error.kind, response, requestPlan)))
            return nil
        }
        if transfer.isPipeRefused { isPipeRefused = true }
        plan.advance(worker, to: position + count)
        if plan.measure(writer.state.completed - start, at: .now()) { wakeAll() }
        download.reportWritten(writer.state) { plan.segments }
        return plan.rest(of: worker)
    }

    // MARK: - Responses and failures

    /// Returns whether a response contains the part; otherwise the worker is done with it.
    private nonisolated(nonsending) func accepts(
        _ response: HTTPStreamedResponse,
        _ part: Range<Int>,
        _ worker: Int
    ) async -> Bool {
        guard response.url.origin.map({ "\($0)" }) == source.origin else {
            // Another mirror may have other bytes, so its response is of no use.
            await lock.acquire()
            if outcome == nil, plan.fail(worker) { wakeAll() } else { stop(.startOver) }
            lock.release()
            return false
        }
        let asked = source.with(part).request
        switch DownloadDecision.decide(response.status, response.headers, asked) {
        case .partialBody where response.isVerbatim: return true
        case .unsuccessful: await fail(worker, await response.statusError(bodyLimit: 64 << 10))
        case .fullBody, .partialBody, .complete, .wholeRequired, .mismatch:
            await stopAll(.startOver)
        }
        return false
    }

    /// Ends the part of a worker, which others take if they can, or else the transfer.
    private nonisolated(nonsending) func fail(_ worker: Int, _ error: HTTPError) async {
        await lock.acquire()
        defer { lock.release() }
        responses[worker] = nil
        guard outcome == nil else { return }
        // Another range than requested: the server cannot be trusted with ranges.
        if case .rangeMismatch = error.kind { return stop(.startOver) }
        if error.blame == .caller || error.kind == .timedOut(.total) {
            return stop(.failure(error))
        }
        if plan.fail(worker), pauseRequests(after: error) {
            wakeAll()
        } else {
            stop(.failure(error))
        }
        recordSegments()
    }

    /// Lets no worker request a part for as long as a server asks that has rejected one; call with the lock.
    ///
    /// - Parameter error: the failure of a part. Only 429 and 503 ask for a pause.
    /// - Returns: false if Retry-After is longer than the call may wait.
    private func pauseRequests(after error: HTTPError) -> Bool {
        guard
            error.kind == .rejectedStatus(.tooManyRequests)
                || error.kind == .rejectedStatus(.serviceUnavailable)
        else { return true }
        let policies = main.policies
        let now = HTTPDate(secondsSince1970: policies.shared.clock.secondsSince1970())
        let retryAfter = CallState.Outcome.failure(error).retryAfter(at: now)
        let delay = retryAfter ?? Self.rejectionPause
        guard delay <= (request.retries ?? policies.retries).maxRetryAfter else { return false }
        requestsFrom = max(requestsFrom ?? .now(), Deadline.now().advanced(by: delay))
        return true
    }

    /// Records the parts for the progress; call with the lock.
    private func recordSegments() {
        download.record?.progress.recordSegments { plan.segments }
    }

    private nonisolated(nonsending) func rest(of worker: Int) async -> Range<Int>? {
        await lock.acquire()
        defer { lock.release() }
        return outcome == nil ? plan.rest(of: worker) : nil
    }

    private nonisolated(nonsending) func finish(_ worker: Int) async {
        await lock.acquire()
        defer { lock.release() }
        plan.finish(worker)
        responses[worker] = nil
        recordSegments()
        if plan.isComplete {
            stop(.complete)
        } else {
            // The window of the parts may have moved.
            wakeAll()
        }
    }

    /// Records the metrics of the requests of one driver when it has ended.
    private nonisolated(nonsending) func record(
        _ metrics: HTTPMetrics,
        of driver: CallDriver?
    ) async {
        await lock.acquire()
        defer { lock.release() }
        if driver === main { self.metrics = metrics } else { attempts += metrics.attempts }
    }

    private nonisolated(nonsending) func stopAll(_ outcome: Outcome) async {
        await lock.acquire()
        defer { lock.release() }
        stop(outcome)
    }

    /// Ends the transfer, unless it has ended; call with the lock.
    private func stop(_ outcome: Outcome) {
        if self.outcome == nil { self.outcome = outcome }
        wakeAll()
    }

    /// Lets the waiting workers ask for parts again; call with the lock.
    private func wakeAll() {
        let all = waiting
        waiting = []
        for continuation in all { continuation.resume() }
    }
}

/// An observer of the attempts at a part: they can be paused, but only the writer reports their progress.
private struct PartAttempts: AttemptObserver {
    let progress: ProgressReporter?
    let gate: PauseGate?

    init(_ record: CallRecord<HTTPDownloadedFile>, on loop: EventLoop) {
        let reporter = ProgressReporter(on: loop, [.download])
        reporter.count(downloadsBy: .writer)
        progress = reporter
        gate = record.gate
    }

    func attemptWillRun(_ attempt: RequestAttempt, on engine: Engine) {}
}

internal import HTTPClient
internal import Synchronization

/// A run: sends the requests of a plan and counts what happens.
///
/// Each of the plan's threads has a client, on whose event loop its share of the connections run, each as one task.
/// A task takes the next request, of an open load when it is due, sends it, and records its latency.
final class LoadRunner: Sendable {
    let plan: LoadPlan
    private let lanes: [Lane]
    /// The number of the next request of a closed load.
    private let next = Atomic(0)
    private let isStopped = Atomic(false)
    private let group = Mutex<Task<Void, Never>?>(nil)
    private let pacer = Mutex<Pacer?>(nil)

    /// A client and what happened to its requests.
    private final class Lane: Sendable {
        let client: HTTPClient
        let tally = Mutex(Tally())

        init(_ client: HTTPClient) {
            self.client = client
        }
    }

    /// The times of a run on the monotonic clock, in nanoseconds.
    private struct Times: Sendable {
        let start: Int64
        /// When counting begins, after the warm-up.
        let counted: Int64
        /// When no further request is due.
        let end: Int64
        /// When requests that are late are given up.
        let last: Int64
    }

    init(_ plan: LoadPlan) {
        self.plan = plan
        lanes = (0..<plan.threads).map { number in
            var configuration = plan.configuration
            configuration.maxConnectionsPerOrigin = plan.connections(of: number)
            configuration.maxConnections = max(configuration.maxConnections, plan.connections)
            return Lane(HTTPClient(configuration))
        }
    }

    /// Sends the load.
    ///
    /// - Throws: if the first request, which is not counted, has no right response.
    func run() async throws(LoadError) -> LoadResult {
        try await probe()
        let (began, cpu, start) = (timeOfDay(), processTime(), monotonic())
        let counted = start + plan.warmUp.inNanoseconds
        let end = plan.duration.map { counted + $0.inNanoseconds } ?? .max
        let times = Times(
            start: start,
            counted: counted,
            end: end,
            last: end == .max ? .max : end + plan.grace.inNanoseconds
        )
        let pacer = plan.schedule.map { schedule in
            Pacer(schedule, from: start, to: end, limit: plan.maxRequests ?? .max)
        }
        self.pacer.withLock { $0 = pacer }
        let task = Task { [self] in
            await withTaskGroup { group in
                for index in 0..<plan.connections {
                    let lane = lanes[index % lanes.count]
                    group.addTask(executorPreference: lane.client.executor) { [self] in
                        await work(index, lane, times, pacer)
                    }
                }
            }
        }
        group.withLock { $0 = task }
        if isStopped.load(ordering: .relaxed) { stop() }
        await task.value
        let elapsed = monotonic() - counted
        return LoadResult(
            url: plan.request.urlDescription(),
            connections: plan.connections,
            rate: plan.schedule?.rate,
            began: began + plan.warmUp.inNanoseconds,
            ended: began + plan.warmUp.inNanoseconds + max(1, elapsed),
            cpu: processTime() - cpu,
            tally: tally()
        )
    }

    /// Ends the run; requests in flight are cancelled and not counted.
    func stop() {
        isStopped.store(true, ordering: .relaxed)
        group.withLock { $0?.cancel() }
        pacer.withLock { $0?.stop() }
    }

    /// What happened until now.
    func tally() -> Tally {
        lanes.reduce(into: Tally()) { sum, lane in sum.add(lane.tally.withLock { $0 }) }
    }

    private func probe() async throws(LoadError) {
        do {
            let response = try await lanes[0].client.send(plan.request)
            guard let reason = plan.reason(toReject: response) else { return }
            throw LoadError("the first response is wrong: \(reason)")
        } catch let error as LoadError {
            throw error
        } catch {
            throw LoadError("the first request failed: \(error)")
        }
    }

    // MARK: - Connections

    private nonisolated(nonsending) func work(
        _ number: Int,
        _ lane: Lane,
        _ times: Times,
        _ pacer: Pacer?
    ) async {
        var failures = 0
        if pacer == nil {
            let share = plan.closedRamp.inNanoseconds / Int64(plan.connections)
            guard await sleep(until: times.start + share * Int64(number)) else { return }
        }
        while let due = if let pacer { await pacer.next() } else { nextRequest(times) } {
            let now = monotonic()
            if now > times.last {
                // The server has not kept up with the rate.
                lane.tally.withLock { $0.fail("not sent in time") }
                continue
            }
            let start = pacer == nil ? now : due
            let result = await send(lane.client)
            let end = monotonic()
            if isStopped.load(ordering: .relaxed), case .failure = result { return }
            if start >= times.counted {
                lane.tally.withLock { tally in
                    switch result {
                    case .success(let bytes): tally.record(end - start, bytes: bytes)
                    case .failure(let failure): tally.fail(failure.reason)
                    }
                }
            }
            guard case .failure(let failure) = result, !failure.isAnswered else {
                failures = 0
                continue
            }
            // A server that refuses connections is not asked a hundred thousand times a second.
            failures += 1
            let pause = min(1_000_000_000, 1_000_000 << min(failures, 10))
            if pacer == nil {
                guard await sleep(until: end + Int64(pause)) else { return }
            }
        }
    }

    /// Returns the time of the next request of a closed load, which is now; nil if there is none.
    private func nextRequest(_ times: Times) -> Int64? {
        guard !isStopped.load(ordering: .relaxed) else { return nil }
        let index = next.add(1, ordering: .relaxed).oldValue
        if let limit = plan.maxRequests, index >= limit { return nil }
        let now = monotonic()
        return now < times.end ? now : nil
    }

    /// - Returns: false if the run was stopped.
    private nonisolated(nonsending) func sleep(until time: Int64) async -> Bool {
        let rest = time - monotonic()
        guard rest > 0 else { return true }
        do {
            try await Task.sleep(for: .nanoseconds(rest), tolerance: .zero)
            return true
        } catch {
            return false
        }
    }

    private struct Failure: Error {
        let reason: String
        /// Whether a response arrived, which was not a right one.
        let isAnswered: Bool
    }

    private nonisolated(nonsending) func send(_ client: HTTPClient) async -> Result<Int, Failure> {
        do throws(HTTPError) {
            let response = try await client.send(plan.request)
            if let reason = plan.reason(toReject: response) {
                return .failure(Failure(reason: reason, isAnswered: true))
            }
            return .success(response.body.count)
        } catch {
            return .failure(Failure(reason: "\(error.kind)", isAnswered: false))
        }
    }
}

extension LoadPlan {
    /// The number of connections of a thread.
    fileprivate func connections(of thread: Int) -> Int {
        connections / threads + (thread < connections % threads ? 1 : 0)
    }
}

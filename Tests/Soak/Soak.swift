import Glibc
import HTTPClient
import Support

/// A load test: many requests to a faulty origin, with a check of every outcome.
///
/// The origin closes, resets, stalls, sends garbage, and responds twice or too early. Some requests are canceled, time
/// out or are dropped. The run checks that:
///
/// - each response belongs to its request
/// - each error is one that ``Fault/outcomes`` lists for its fault
/// - no POST arrives twice
/// - descriptors, threads and memory return to their initial values
///
/// Six of the callers are threads that make blocking calls. Two of these have their own client and wait between two
/// calls until a fault has reached their idle connection (``Fault/betweenCalls``). The fault must not affect the next
/// call, and the client must not send that call twice. The run fails if one of these faults never occurred.
///
/// A new kind of fault is a case of ``Fault``, a line of its table, and its implementation in `ResponseScript`.
///
///     Soak [REQUESTS | SECONDSs]
///
/// SOAK_SECONDS or SOAK_REQUESTS sets the length too. SOAK_SEED repeats the decisions of a run.
/// After some requests the callers pause, and the memory in use is measured, as at the end: both times no request is
/// in progress and no connection open. Resident memory says less, because the allocator returns little of it.
@main struct Soak {
    private let length: Length
    private let seed: UInt64
    private static let tasks = 60
    private static let threads = 4
    /// The number of threads that have their own client and wait for faults between their calls.
    private static let exclusiveThreads = 2
    /// The time without a finished request after which the run counts as hung.
    private static let maxCallDuration = Duration.seconds(60)

    /// The number of requests before memory is first measured; all that the program keeps once is then allocated.
    private static let settling = 5000
    /// The bytes that memory may grow afterwards. Caches of the allocator take 350 KiB in runs of all lengths.
    private static let maxGrowth = 1 << 20

    private enum Length {
        case requests(Int)
        case seconds(Int)
    }

    static func main() async {
        let soak: Soak
        do {
            soak = try Soak()
        } catch {
            printLine("soak: \(error.text)")
            exit(2)
        }
        do {
            try await soak.run()
        } catch {
            printLine("soak: FAILED: \(error.text)")
            printLine("soak: repeat with SOAK_SEED=\(soak.seed)")
            exit(1)
        }
    }

    private init() throws(ViolationError) {
        let arguments = CommandLine.arguments.dropFirst()
        var length = Length.requests(1_000_000)
        if let seconds = try Self.number("SOAK_SECONDS") { length = .seconds(seconds) }
        if let requests = try Self.number("SOAK_REQUESTS") { length = .requests(requests) }
        if let argument = arguments.first {
            let digits = argument.hasSuffix("s") ? argument.dropLast() : argument[...]
            guard arguments.count == 1, let number = Int(digits), number > 0 else {
                throw ViolationError("usage: Soak [REQUESTS | SECONDSs]")
            }
            length = argument.hasSuffix("s") ? .seconds(number) : .requests(number)
        }
        self.length = length
        let given = try Self.number("SOAK_SEED")
        seed = given.map { UInt64($0) } ?? UInt64.random(in: 0..<1 << 40)
    }

    private static func number(_ name: String) throws(ViolationError) -> Int? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        guard let number = Int(text), number >= 0 else {
            throw ViolationError("\(name) is \(text.debugDescription), not a number")
        }
        return number
    }

    private var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.proxy = .direct
        configuration.collectLimit = Scenario.collectLimit
        // Fewer connections than callers, so that some wait; the total is less than two origins' limits.
        configuration.maxConnectionsPerOrigin = 36
        configuration.maxConnections = 52
        configuration.maxConnectionUses = 400
        configuration.maxConnectionAge = .seconds(15)
        configuration.idleTimeout = .seconds(1)
        return configuration
    }

    private var maxRequests: Int {
        switch length {
        case .requests(let count): count
        // More requests than any machine can make, but few enough to count the arrivals of each.
        case .seconds(let seconds): seconds * 100_000
        }
    }

    // MARK: - Run

    private func run() async throws(ViolationError) {
        let threads = Self.threads + Self.exclusiveThreads
        printLine("soak: seed \(seed), \(Self.tasks) tasks and \(threads) threads")
        let log = RunLog(maxRequests: maxRequests, pause: min(Self.settling, maxRequests / 2))
        let origin = try SoakOrigin(seed: seed, log: log)
        let thread = try start { origin.run() }
        await warmRuntime()
        let before = ProcessState.current
        let began = ContinuousClock.now
        // The threads have their own client, so their connections are not in this client's pool.
        try await callAll(origin, log, began)
        // A thread or descriptor leaked by each client would show up below.
        for _ in 0..<50 { _ = await HTTPClient(configuration).pool.snapshot() }
        let after = await ProcessState.settled(below: before, seconds: 30)
        guard after.isWithin(before) else {
            throw ViolationError("\(after) after the clients were released, \(before) at first")
        }
        origin.end()
        thread.join()
        if let violation = log.violation { throw ViolationError(violation) }
        try requireActivity(log.state)
        report(log.state, ContinuousClock.now - began, after)
    }

    /// Throws if too little happened to count as a test.
    private func requireActivity(_ state: RunLog.Entry) throws(ViolationError) {
        guard maxRequests >= 1000 else { return }
        let faulty = state.faults.filter { $0.key != .none }.values.reduce(0, +)
        guard state.finished >= 100, faulty > 0, state.reused > 0 else {
            throw ViolationError(
                "only \(state.finished) requests ended, \(faulty) of them with a fault and "
                    + "\(state.reused) on used connections"
            )
        }
        guard state.blocking >= 10 else {
            throw ViolationError("only \(state.blocking) blocking calls were made")
        }
        for fault in Fault.betweenCalls where state.faultsBetweenCalls[fault] == nil {
            throw ViolationError("no \(fault) occurred between two blocking calls")
        }
    }

    /// Creates the clients, makes all calls, and releases the clients.
    private func callAll(
        _ origin: SoakOrigin,
        _ log: RunLog,
        _ began: ContinuousClock.Instant
    ) async throws(ViolationError) {
        let client = HTTPClient(configuration)
        guard await client.pool.snapshot().origins.isEmpty else {
            throw ViolationError("a new client has connections")
        }
        let warmed = ProcessState.current
        let caller = LoadCaller(client: client, origin: origin, log: log)
        try await callAll(caller, began)
        let early = try await quietMemory(client, warmed)
        log.resume()
        try await callAll(caller, began)
        let late = try await quietMemory(client, warmed)
        guard let early, let late else { return }
        printLine(
            "soak: \(early >> 10) KiB in use after the first requests, \(late >> 10) at the end"
        )
        if late - early > Self.maxGrowth {
            throw ViolationError(
                "memory grew by \((late - early) >> 10) KiB after the first requests"
            )
        }
    }

    /// Closes all connections, and returns the bytes that are allocated then; nil under a sanitizer.
    private func quietMemory(
        _ client: HTTPClient,
        _ warmed: ProcessState
    ) async throws(ViolationError) -> Int? {
        await client.pool.drain()
        let snapshot = await client.pool.snapshot()
        if snapshot.idle + snapshot.busy + snapshot.connecting + snapshot.waiting > 0 {
            throw ViolationError("the pool is not empty in the end: \(snapshot)")
        }
        let after = await ProcessState.settled(below: warmed, seconds: 30)
        guard after.isWithin(warmed) else {
            throw ViolationError("\(after) after the pool was drained, \(warmed) at first")
        }
        return ProcessState.allocatedBytes
    }

    private func callAll(
        _ caller: LoadCaller,
        _ began: ContinuousClock.Instant
    ) async throws(ViolationError) {
        let watcher = Task { await watch(caller.log, began) }
        let blocking = LoadCaller(
            client: HTTPClient(configuration),
            origin: caller.origin,
            log: caller.log
        )
        var threads: [WorkerThread] = []
        for _ in 0..<Self.threads { threads.append(try start { blocking.callAllBlocking() }) }
        for _ in 0..<Self.exclusiveThreads {
            let alone = LoadCaller(
                client: HTTPClient(configuration),
                origin: caller.origin,
                log: caller.log
            )
            threads.append(try start { alone.callAllExclusively() })
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<Self.tasks {
                // A third of the tasks run on the loop itself, where calls do not change the thread.
                if number.isMultiple(of: 3) {
                    group.addTask(executorPreference: caller.client.executor) {
                        await caller.callAll()
                    }
                } else {
                    group.addTask { await caller.callAll() }
                }
            }
        }
        for thread in threads { thread.join() }
        watcher.cancel()
        await watcher.value
        if let violation = caller.log.violation { throw ViolationError(violation) }
    }

    /// Starts all threads of the runtime and opens everything that it opens once.
    private func warmRuntime() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    let end = ContinuousClock.now + .milliseconds(5)
                    while ContinuousClock.now < end {}
                    try? await Task.sleep(for: .milliseconds(1))
                }
            }
        }
    }

    private func start(
        _ body: @escaping @Sendable () -> Void
    ) throws(ViolationError) -> WorkerThread {
        do {
            return try WorkerThread(body)
        } catch {
            throw ViolationError("\(error)")
        }
    }

    // MARK: - Monitoring

    /// Prints the progress, ends the run when its time is over, and exits if the run hangs.
    private func watch(_ log: RunLog, _ began: ContinuousClock.Instant) async {
        var reported = ContinuousClock.now
        var finished = (count: 0, at: reported)
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(50))
            let now = ContinuousClock.now
            let count = log.finished
            if count > finished.count { finished = (count, now) }
            if now - finished.at > Self.maxCallDuration {
                printLine(
                    "soak: FAILED: no request has ended for \(Self.maxCallDuration): \(log.unfinished)"
                )
                printLine("soak: repeat with SOAK_SEED=\(seed)")
                exit(1)
            }
            if case .seconds(let all) = length, now - began >= .seconds(all) { log.endSoon() }
            if now - reported >= .seconds(10) {
                reported = now
                let rate = Int(Double(count) / ((now - began) / .seconds(1)))
                let memory = ProcessState.residentBytes >> 20
                let held = ProcessState.current
                printLine(
                    "soak: \(Int((now - began) / .seconds(1))) s, \(count) requests, \(rate)/s, "
                        + "\(memory) MiB, \(held.descriptors) descriptors, \(held.threads) threads"
                )
            }
        }
    }

    private func report(_ state: RunLog.Entry, _ time: Duration, _ after: ProcessState) {
        let outcomes = state.outcomes.sorted { $0.value > $1.value }
            .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        let faulty = state.faults.filter { $0.key != .none }.values.reduce(0, +)
        let between = state.faultsBetweenCalls.values.reduce(0, +)
        printLine(
            "soak: \(state.finished) requests in \(Int(time / .seconds(1))) s, "
                + "\(faulty) with a fault: \(outcomes); \(state.blocking) blocking, with \(between) faults "
                + "between them; \(state.reused) on used connections, \(state.replays) replays; "
                + "\(after.descriptors) descriptors, \(after.threads) threads, "
                + "\(ProcessState.residentBytes >> 20) MiB; seed \(seed)"
        )
    }
}

/// Prints a line without buffering, also if the output is a file.
private func printLine(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = unsafe line.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
}

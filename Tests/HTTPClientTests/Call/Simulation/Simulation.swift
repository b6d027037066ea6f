import ClientSupport
import Glibc
import HTTPClient
import SocketTransport
import Support
import Synchronization

/// A client with several callers and a faulty peer, on one thread and a simulated clock, all derived
/// from a seed.
///
/// The client is complete: pool, retries, timers, loop and sockets are the production code. The
/// clock stops while the client or the peer can act. Then it moves to the next timer or action of
/// the peer.
final class Simulation: @unchecked Sendable {
    // `@unchecked Sendable`: everything runs on the thread that calls `run`.
    private static let number = Atomic<Int>(0)

    let seed: UInt64
    private(set) var violations: [String] = []
    let log: SimulationLog
    private(set) var tally: [String: Int] = [:]
    private var random: SeededGenerator
    private let loop: EventLoop
    private let client: HTTPClient
    private var peer: SimulatedPeer!
    private let plan: SimulationPlan
    private var running: [Int: Task<SimulatedOutcome, Never>] = [:]
    private var hangs = 0

    /// Creates a simulation.
    ///
    /// - Parameters:
    ///   - seed: The source of all random choices.
    ///   - keepsLog: Whether the lines of ``log`` are kept.
    init(seed: UInt64, keepsLog: Bool = false) throws {
        self.seed = seed
        let log = SimulationLog(keepsLines: keepsLog)
        self.log = log
        random = SeededGenerator(seed: seed)
        SimulatedTime.now = Deadline(nanoseconds: 1_000_000_000)
        let number = Self.number.add(1, ordering: .relaxed).newValue
        let name = "httpclient-simulation-\(getpid())-\(number)"
        plan = SimulationPlan(&random, socket: name)
        loop = .callerDriven()
        var configuration = plan.configuration
        configuration.poolObserver = { log.note("pool: \($0.connectionID) \($0.kind)") }
        client = HTTPClient(configuration, simulatedOn: loop, seed: seed)
        peer = try SimulatedPeer(
            name: name,
            answers: SimulatedAnswers(delays: plan.delays, idle: plan.idle),
            limits: (plan.configuration.maxConnectionsPerOrigin, plan.configuration.maxConnections),
            seed: seed &* 31,
            log: log,
            violated: { [unowned self] in violated($0) }
        )
        loop.simulation = { [unowned self] in moveOn($0) }
    }

    /// Runs until all calls have ended and all connections are closed.
    func run() throws {
        defer {
            SimulatedTime.now = nil
            peer.stop()
        }
        try loop.drive { await self.makeCalls() }
    }

    func violated(_ what: String) {
        log.note("VIOLATED: \(what)")
        violations.append("seed \(seed), at \(Deadline.now().nanoseconds) ns: \(what)")
    }

    // MARK: - Time

    /// Lets the peer act, or advances the time; called when the client can do nothing.
    private func moveOn(_ earliest: Deadline) {
        guard !peer.pump() else { return }
        let next = min(earliest, peer.nextTime)
        guard next != .never else {
            hangs += 1
            violated("a call waits, although no timer or action is left")
            for task in running.values { task.cancel() }
            precondition(hangs < 3, "seed \(seed): not even a cancellation ends the calls")
            return
        }
        if next > .now() { SimulatedTime.now = next }
        // At the same instant either can come first, as on a real machine.
        if peer.nextTime <= next, earliest > next || Bool.random(using: &random) { peer.act() }
    }

    private func sleep(_ nanoseconds: Int64) async {
        let suspension = Suspension<Void>(on: loop, phase: .read)
        // Nothing resumes the suspension: it ends at its deadline.
        try? await suspension.wait(until: Deadline.now().advanced(byNanoseconds: nanoseconds))
    }

    // MARK: - Calls

    private func makeCalls() async {
        await withTaskGroup(of: Void.self) { group in
            for calls in plan.callers {
                group.addTask {
                    for call in calls { await self.make(call) }
                }
            }
            group.addTask { await self.changePool() }
        }
        // By then unread bodies have been drained or discarded, and idle connections have been closed.
        await sleep(plan.idle + 2_000_000_000)
        let snapshot = await client.pool.snapshot()
        if snapshot.idle + snapshot.busy + snapshot.connecting + snapshot.waiting > 0 {
            violated("the pool is not empty at the end: \(snapshot)")
        }
        _ = peer.pump()
        if peer.openConnections > 0 { violated("\(peer.openConnections) connections are left") }
    }

    /// Evicts, drains and prewarms connections during the calls.
    private func changePool() async {
        for step in plan.poolActions {
            await sleep(step.delay)
            switch step.action {
            case .evict(let id): _ = await client.pool.evict(id)
            case .drain: await client.pool.drain()
            case .prewarm(let count, let host):
                // Prewarming may fail at a peer that closes at once.
                _ = try? await client.pool.prewarm(count, for: HTTPRequest("http://\(host)/"))
            }
            log.note("pool action")
        }
    }

    private func make(_ call: SimulatedCall) async {
        await sleep(call.pause)
        let start = Deadline.now()
        log.note("call \(call.id)")
        let task = Task(executorPreference: loop) { await call.execute(by: self.client) }
        running[call.id] = task
        let timer = call.cancelAfter.map { delay in
            LoopTimer(on: loop, at: start.advanced(byNanoseconds: delay)) { task.cancel() }
        }
        let outcome = await task.value
        timer?.cancel()
        running[call.id] = nil
        log.note("ended \(call.id) \(outcome.name)")
        tally[outcome.name, default: 0] += 1
        let judge = SimulatedJudge(
            call: call,
            start: start,
            record: peer.records[call.id],
            connections: peer.connections,
            limits: plan.configuration
        )
        for violation in judge.violations(in: outcome) {
            violated("call \(call.id) (\(call.request.method)): \(violation)")
        }
    }
}

/// The events of a simulation with their times.
final class SimulationLog: @unchecked Sendable {
    // `@unchecked Sendable`: only one simulation writes into it, on one thread.
    /// A hash of all lines.
    private(set) var trace: UInt64 = 0xcbf2_9ce4_8422_2325
    private(set) var lines: [String] = []
    private let keepsLines: Bool

    init(keepsLines: Bool) { self.keepsLines = keepsLines }

    func note(_ what: String) {
        let line = "\(Deadline.now().nanoseconds) \(what)"
        for byte in line.utf8 { trace = (trace ^ UInt64(byte)) &* 0x100_0000_01b3 }
        if keepsLines { lines.append(line) }
    }
}

import SocketTransport

/// A violation of an invariant, which ends the program.
struct ViolationError: Error {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}

/// A record of a run: the requests made, their outcomes, and the first violation.
final class RunLog: Sendable {
    struct Entry {
        var next = 0
        /// The number of requests after which the callers pause; nil if they do not.
        var pause: Int?
        var finished = 0
        var outcomes: [String: Int] = [:]
        var faults: [Fault: Int] = [:]
        /// Faults that reached an idle connection before the next blocking call began.
        var faultsBetweenCalls: [Fault: Int] = [:]
        /// The number of finished blocking calls.
        var blocking = 0
        var replays = 0
        var reused = 0
        /// The number of times that each request has arrived at the origin.
        var arrivals: [UInt8] = []
        var violation: String?
        var isEnding = false
        /// The requests that have begun and not ended.
        var open: Set<Int> = []
    }

    let maxRequests: Int
    private let entry = Locked(Entry())

    /// Creates the record of a run of at most `maxRequests`, whose callers end after `pause` of them at first.
    init(maxRequests: Int, pause: Int) {
        self.maxRequests = maxRequests
        entry.withLock { entry in
            entry.pause = pause
            // All at once, so that this is not memory that grows with the run.
            entry.arrivals.reserveCapacity(maxRequests)
        }
    }

    /// Returns the number of the next request; nil if the run ends or pauses.
    func nextNumber() -> Int? {
        entry.withLock { entry in
            guard !entry.isEnding, entry.violation == nil, entry.next < entry.pause ?? maxRequests
            else {
                return nil
            }
            entry.next += 1
            entry.open.insert(entry.next - 1)
            return entry.next - 1
        }
    }

    /// Ends the pause.
    func resume() { entry.withLock { $0.pause = nil } }

    func endSoon() { entry.withLock { $0.isEnding = true } }

    func recordArrival(_ scenario: Scenario) {
        let count = entry.withLock { entry in
            while entry.arrivals.count <= scenario.number { entry.arrivals.append(0) }
            entry.arrivals[scenario.number] += 1
            return entry.arrivals[scenario.number]
        }
        // A request may arrive once, and an idempotent one again on another connection. An exclusive
        // caller waits for faults, so its requests are never retried.
        if count > (scenario.isIdempotent && !scenario.isExclusive ? 2 : 1) {
            reportViolation("\(scenario.method.rawValue) \(scenario.number) arrived \(count) times")
        }
    }

    func record(_ outcome: Outcome, of scenario: Scenario, replays: Int, isReused: Bool) {
        entry.withLock { entry in
            entry.finished += 1
            entry.open.remove(scenario.number)
            entry.outcomes[outcome.name, default: 0] += 1
            entry.faults[scenario.fault, default: 0] += 1
            entry.replays += replays
            if isReused { entry.reused += 1 }
        }
    }

    func recordBlocking() { entry.withLock { $0.blocking += 1 } }

    /// Counts a fault that has reached the client's idle connection.
    func recordBetweenCalls(_ fault: Fault) {
        entry.withLock { $0.faultsBetweenCalls[fault, default: 0] += 1 }
    }

    /// Records a violation, unless an earlier one is recorded, which may have caused this one.
    func reportViolation(_ text: String) {
        entry.withLock { entry in
            if entry.violation == nil { entry.violation = text }
        }
    }

    var state: Entry { entry.withLock { $0 } }
    var violation: String? { entry.withLock { $0.violation } }
    /// The numbers of the requests in progress.
    var unfinished: [Int] { entry.withLock { $0.open.sorted() } }
    var finished: Int { entry.withLock { $0.finished } }
}

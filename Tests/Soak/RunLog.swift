import SocketTransport

/// What must never be: the program ends with it.
struct ViolationError: Error {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}

/// Keeps the books of a run: which requests were made, what became of them, and what went wrong.
final class RunLog: Sendable {
    struct Entry {
        var next = 0
        var finished = 0
        var outcomes: [String: Int] = [:]
        var faults: [Fault: Int] = [:]
        /// Faults on idle connections that were there before the next blocking call began.
        var faultsBetweenCalls: [Fault: Int] = [:]
        /// Finished calls that were blocking.
        var blocking = 0
        var replays = 0
        var reused = 0
        /// How often each request has come to the origin.
        var arrivals: [UInt8] = []
        var violation: String?
        var isEnding = false
        /// Begun and not finished.
        var open: Set<Int> = []
    }

    let maxRequests: Int
    private let entry = Locked(Entry())

    init(maxRequests: Int) {
        self.maxRequests = maxRequests
    }

    /// The next request's number; nil when there shall be no more.
    func nextNumber() -> Int? {
        entry.withLock { entry in
            guard !entry.isEnding, entry.violation == nil, entry.next < maxRequests else {
                return nil
            }
            entry.next += 1
            entry.open.insert(entry.next - 1)
            return entry.next - 1
        }
    }

    func endSoon() { entry.withLock { $0.isEnding = true } }

    func recordArrival(_ scenario: Scenario) {
        let count = entry.withLock { entry in
            while entry.arrivals.count <= scenario.number { entry.arrivals.append(0) }
            entry.arrivals[scenario.number] += 1
            return entry.arrivals[scenario.number]
        }
        // The first time, and once more on a fresh connection, but for a caller who waited for the fault.
        if count > (scenario.isIdempotent && !scenario.isExclusive ? 2 : 1) {
            reportViolation("\(scenario.method.rawValue) \(scenario.number) came \(count) times")
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

    /// The first one counts; the others may follow from it.
    func reportViolation(_ text: String) {
        entry.withLock { entry in
            if entry.violation == nil { entry.violation = text }
        }
    }

    var state: Entry { entry.withLock { $0 } }
    var violation: String? { entry.withLock { $0.violation } }
    /// The requests that are under way.
    var unfinished: [Int] { entry.withLock { $0.open.sorted() } }
    var finished: Int { entry.withLock { $0.finished } }
}

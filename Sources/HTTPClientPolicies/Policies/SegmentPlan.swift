package import SocketTransport

// To change how a download is divided, or how many connections it uses, change this file. `DownloadDecision` and
// `DownloadState` decide which response to a part is accepted. `SegmentedTransfer` has the workers,
// `FileDownload+Segments` begins and ends them. `SegmentPlanTests` and `ByteRangeSetTests` need no socket;
// `SegmentedDownloadTests` shows the whole.

/// The parts of a download over several connections: who downloads what, and over how many connections.
///
/// It is pure: times and byte counts are arguments. A *worker* is a number that stands for a connection.
/// Each worker has at most one part at a time.
///
/// - Parts are taken from the lowest missing bytes, so that the file has few gaps. A part is a share of
///   the missing bytes: large at first, so that there are few requests, and at least ``minSize``.
/// - If the file has a digest, no new part begins beyond ``window``, so that the bytes after a gap are still in memory
///   when the digest comes to them.
/// - When all bytes are assigned, a worker without a part takes the second half of the largest rest.
/// - If a part is much slower than the others were, a worker without a part takes all of its rest.
/// - Two connections work at first. Their number doubles as long as that increases the rate. Otherwise the
///   additional ones give their parts back.
/// - For a large file, the first connection works alone for a moment, so that the second one is judged too.
/// - If the rate falls after that, more connections are tried again: some servers send the first bytes faster.
package struct SegmentPlan: Sendable {
    /// The number of connections at the beginning.
    ///
    /// Two, because the caller asked for several, and only a second one shows whether they help.
    static let initialConnections = 2
    /// The time for which the first connection works alone, in nanoseconds.
    ///
    /// A twentieth of a second: its rate shows what the second one adds. A file that is complete before needs none.
    package static let alonePeriod: Int64 = 50_000_000
    /// The end of this time, in which the rate is measured, in nanoseconds.
    ///
    /// 15 ms, because servers that limit the rate often send the first bytes without a limit.
    package static let aloneMeasured: Int64 = 15_000_000
    /// The minimum number of missing bytes for that, as a multiple of ``minSize``.
    ///
    /// 16: a smaller file has too few parts for the answer to matter.
    private static let minPartsAlone = 16
    /// The time after which more connections have helped or not, in nanoseconds.
    ///
    /// One second: a new connection needs some round trips until it has its full speed.
    package static let period: Int64 = 1_000_000_000
    /// The same as a multiple of the time that the newest connection took to deliver its first bytes.
    ///
    /// 32: that time has at least one round trip, and after ten of them even a slow start is over.
    static let periodPerStart: Int64 = 32
    /// The minimum of this time, in nanoseconds.
    ///
    /// A tenth of a second: within less, a rate depends too much on single packets.
    static let minPeriod: Int64 = 100_000_000
    /// The time after which a clear increase is believed, in nanoseconds.
    ///
    /// A quarter of a second: otherwise most downloads would end before all connections work.
    package static let earlyPeriod: Int64 = 250_000_000
    /// The minimum increase of the rate for which more connections have helped, relative to the maximum possible one.
    ///
    /// With twice as many connections the rate can double, so 0.2 means a rate that is 1.2 times as high.
    static let minGain = 0.2
    /// The same for an increase that is clear.
    static let clearGain = 0.5
    /// How many times lower the rate must be than when the number of connections was chosen, so that more are tried.
    ///
    /// Two: a rate that varies less says little about their number.
    static let dropFactor = 2.0
    /// The time without new bytes of any connection after which a measurement begins again, in nanoseconds.
    ///
    /// One second: the caller has paused the download, or the disk or the network stands still, so that the rate says
    /// nothing about the number of connections.
    package static let maxGap: Int64 = 1_000_000_000
    /// The time after which a part is slow or not, in nanoseconds.
    ///
    /// Five seconds: lost packets can stop a connection for a few seconds.
    static let slowPeriod: Int64 = 5_000_000_000
    /// How many times slower than a connection on average a part must be, so that another worker takes it.
    static let slowFactor = 8.0

    /// What a worker does next.
    package enum Step: Sendable, Equatable {
        /// Download these bytes.
        case part(Range<Int>)
        /// Wait until the plan has changed.
        case wait
        /// All bytes are there.
        case end
    }

    /// A measurement of the rate that has not ended.
    private struct Measurement: Sendable {
        let start: Deadline
        let bytes: Int
        /// The time after which more connections have helped or not, in nanoseconds.
        let period: Int64
    }

    /// The minimum size of a part.
    package let minSize: Int
    /// How far after the first missing byte a part may begin that no worker has had, and the maximum size of a part.
    ///
    /// So no byte is written more than about twice as far after the first missing one.
    package let window: Int
    /// The maximum number of connections; it falls when connections fail.
    package private(set) var limit: Int
    /// The number of connections that should work now.
    package private(set) var connections: Int
    /// Whether the number of connections no longer rises, unless the rate falls.
    package private(set) var isSettled = false
    /// The bytes that are missing and that no worker downloads, in order.
    private var unassigned: ByteRangeSet
    /// The bytes that each worker still has to write.
    private var parts: [Int: Range<Int>] = [:]
    /// The first byte of the part of each worker.
    private var starts: [Int: Int] = [:]
    /// The workers that have written any byte.
    private var started: Set<Int> = []
    private var measurement: Measurement?
    /// The time of the last call of ``measure(_:at:)``.
    private var lastMeasured: Deadline?
    /// The workers that have written no byte of their part, and beside which others have worked since they began it.
    private var accompanied: Set<Int> = []
    /// Whether a connection has a part and has not delivered any byte yet.
    private var isStarting = false
    /// The time since which ``isStarting`` is true; nil if no bytes were written before.
    private var startingSince: Deadline?
    /// The time that the newest connection took to deliver its first bytes, in nanoseconds; nil if it is not known.
    private var startTime: Int64?
    /// The workers whose parts others have taken because they were slow, until they have ended.
    private var replaced: Set<Int> = []
    /// How often a part was taken because it was slow.
    private var replacements = 0
    /// The positions of the parts when the observation of slow ones began; nil while there is none.
    private var observation: (start: Deadline, positions: [Int: Int])?
    /// The time of the first call of ``replaceSlow(_:at:)``.
    private var firstObserved: Deadline?
    /// The rate for which the number of connections was chosen, in bytes per second; nil if it has not been chosen.
    private var settledRate: Double?
    /// The measurement of the first connection, which works alone; nil before it.
    private var aloneMeasurement: Measurement?
    /// The previous number of connections, and their rate in bytes per second; nil before the first measurement.
    private var previous: (connections: Int, rate: Double)?

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - missing: the missing bytes.
    ///   - limit: the maximum number of connections.
    ///   - minSize: the minimum size of a part.
    ///   - window: how far after the first missing byte a new part may begin; at least twice `minSize`.
    package init(missing: [Range<Int>], limit: Int, minSize: Int, window: Int = .max) {
        unassigned = ByteRangeSet(missing)
        self.limit = max(limit, 1)
        self.minSize = max(minSize, 1)
        self.window = max(window, 2 * min(self.minSize, Int.max / 2))
        connections = min(Self.initialConnections, self.limit)
    }

    /// Whether the first connection has to work alone for ``alonePeriod``.
    package var beginsAlone: Bool { unassigned.count / Self.minPartsAlone >= minSize }

    /// The number of workers with a part that no other has taken.
    package var active: Int { parts.count - replaced.count }

    /// The parts of the workers, for the progress of the download.
    package var segments: [HTTPProgress.Segment] {
        parts.keys.sorted().compactMap { worker in
            guard !replaced.contains(worker), let rest = parts[worker],
                let start = starts[worker]
            else { return nil }
            return HTTPProgress.Segment(
                connection: worker,
                range: start..<rest.upperBound,
                completed: rest.lowerBound - start
            )
        }
    }

    /// Whether no byte is missing.
    package var isComplete: Bool { unassigned.isEmpty && active == 0 }

    // MARK: - Parts

    /// Records that a worker downloads a part that was requested without the plan.
    package mutating func assign(_ range: Range<Int>, to worker: Int) {
        unassigned.remove(range)
        begin(range, worker)
    }

    private mutating func begin(_ part: Range<Int>, _ worker: Int) {
        if !started.contains(worker) { isStarting = true }
        accompanied.remove(worker)
        if active > 0 {
            // The server may reject any of those that it has not answered yet.
            accompanied.insert(worker)
            accompanied.formUnion(parts.keys.filter { parts[$0]?.lowerBound == starts[$0] })
        }
        parts[worker] = part
        starts[worker] = part.lowerBound
        // Its former position says nothing about the rate of this part.
        observation?.positions[worker] = nil
    }

    /// Returns what a worker without a part does next.
    package mutating func next(for worker: Int) -> Step {
        if isComplete { return .end }
        guard parts[worker] == nil, active < connections else { return .wait }
        guard let part = takeUnassigned() ?? takeHalf() else { return .wait }
        begin(part, worker)
        return .part(part)
    }

    /// The first bytes that no worker downloads; nil if all are assigned, or if they are beyond the window.
    private var nextGap: Range<Int>? {
        guard let gap = unassigned.ranges.first else { return nil }
        let rests = parts.values.lazy.filter { !$0.isEmpty }.map(\.lowerBound)
        let first = min(gap.lowerBound, rests.min() ?? gap.lowerBound)
        return gap.lowerBound - first < window ? gap : nil
    }

    /// Removes a share of the first missing bytes; nil if none may be taken.
    private mutating func takeUnassigned() -> Range<Int>? {
        guard let gap = nextGap else { return nil }
        let all = min(unassigned.count, window)
        let share =
            connections == 1 ? min(gap.count, window) : max(minSize, all / (2 * connections))
        // A small rest would cost another request.
        let count = gap.count - share < minSize ? gap.count : share
        let part = gap.lowerBound..<gap.lowerBound + count
        unassigned.remove(part)
        return part
    }

    /// Removes the second half of the largest rest of another worker; nil if it is too small.
    private mutating func takeHalf() -> Range<Int>? {
        // The lower part wins a tie, so that the result does not depend on the order of the workers.
        let largest = parts.max {
            ($0.value.count, $1.value.lowerBound) < ($1.value.count, $0.value.lowerBound)
        }
        guard let (victim, rest) = largest, rest.count >= 2 * minSize else { return nil }
        let middle = rest.lowerBound + (rest.count + 1) / 2
        parts[victim] = rest.lowerBound..<middle
        return middle..<rest.upperBound
    }

    /// The bytes that a worker still has to write; nil if it has no part.
    ///
    /// The end is lower than when the part was handed out if another worker has taken its second half.
    package func rest(of worker: Int) -> Range<Int>? { parts[worker] }

    /// Whether no other worker has had a part since this one began its part, or bytes of this part are written.
    ///
    /// Otherwise, a failure may only mean that the server bears no second connection.
    package func isAlone(_ worker: Int) -> Bool { !accompanied.contains(worker) }

    /// Records that a worker has written all bytes of its part below `position`.
    package mutating func advance(_ worker: Int, to position: Int) {
        guard let part = parts[worker] else { return }
        if position > part.lowerBound {
            started.insert(worker)
            accompanied.remove(worker)
        }
        parts[worker] = min(max(part.lowerBound, position), part.upperBound)..<part.upperBound
    }

    /// Records that a worker has written its whole part.
    package mutating func finish(_ worker: Int) {
        parts[worker] = nil
        replaced.remove(worker)
    }

    /// Records that a worker could not download its part, which others take.
    ///
    /// The number of connections falls to that of the others: the server or the network bears no more.
    /// Without others, another attempt is allowed if the number can still fall, or if this one had others beside it.
    ///
    /// - Returns: false if the download fails.
    package mutating func fail(_ worker: Int) -> Bool {
        if replaced.contains(worker) {
            finish(worker)
            return true
        }
        let wasAlone = isAlone(worker)
        if let rest = parts.removeValue(forKey: worker) { unassigned.insert(rest) }
        limit = active == 0 ? min(limit, max(connections, Self.initialConnections)) - 1 : active
        if !wasAlone { limit = max(limit, 1) }
        connections = min(connections, limit)
        isSettled = true
        return limit > 0
    }

    /// Lets other workers take the rests of slow parts, if any worker has none.
    ///
    /// Call it about once a second. The body that such a part is read from is of no more use.
    ///
    /// - Parameters:
    ///   - bytes: the number of bytes written so far.
    ///   - now: the time.
    /// - Returns: the workers of the slow parts.
    package mutating func replaceSlow(_ bytes: Int, at now: Deadline) -> [Int] {
        let firstObserved = firstObserved ?? now
        self.firstObserved = firstObserved
        // A server that is slow for some bytes only is not asked for them without end.
        guard nextGap == nil, active > 0, active < connections, replacements < 2 * limit else {
            ignoreRates()
            return []
        }
        guard let observation else {
            observation = (now, parts.mapValues(\.lowerBound))
            return []
        }
        let elapsed = Double(now.nanoseconds - observation.start.nanoseconds)
        guard elapsed >= Double(Self.slowPeriod) else { return [] }
        self.observation = nil
        let average =
            Double(bytes) / Double(now.nanoseconds - firstObserved.nanoseconds)
            / Double(connections)
        let slow = parts.keys.sorted().filter { worker in
            guard let rest = parts[worker], let before = observation.positions[worker] else {
                return false
            }
            let received = Double(rest.lowerBound - before)
            // A shorter rest is complete before a new connection would help.
            return Double(rest.count) > received
                && received / elapsed * Self.slowFactor < average
        }
        for worker in slow {
            replace(worker)
            replacements += 1
        }
        return slow
    }

    /// Forgets the rates observed for ``replaceSlow(_:at:)``, because the caller has paused the download.
    package mutating func ignoreRates() {
        observation = nil
    }

    // MARK: - The number of connections

    /// Begins to measure the first connection, which works alone; call ``aloneMeasured`` before the end of
    /// ``alonePeriod``.
    ///
    /// - Parameters:
    ///   - bytes: the number of bytes written so far.
    ///   - now: the time.
    package mutating func measureAlone(_ bytes: Int, at now: Deadline) {
        aloneMeasurement = Measurement(start: now, bytes: bytes, period: Self.aloneMeasured)
    }

    /// Records the rate of the first connection, which has worked alone; call after ``alonePeriod``.
    ///
    /// - Parameters:
    ///   - bytes: the number of bytes written so far.
    ///   - now: the time.
    package mutating func endAlone(_ bytes: Int, at now: Deadline) {
        guard let aloneMeasurement, connections == Self.initialConnections, previous == nil else {
            return
        }
        let rate = rate(since: aloneMeasurement, bytes, now)
        // Without new bytes, nothing is known about this connection.
        if rate > 0 { previous = (1, rate) }
    }

    /// Measures the rate, and decides over how many connections the download continues.
    ///
    /// - Parameters:
    ///   - bytes: the number of bytes written so far.
    ///   - now: the time.
    /// - Returns: whether more connections should work.
    package mutating func measure(_ bytes: Int, at now: Deadline) -> Bool {
        let before = lastMeasured
        lastMeasured = now
        let haveAllStarted = parts.keys.allSatisfy(started.contains)
        if isStarting {
            startingSince = startingSince ?? before
            if haveAllStarted {
                startTime = startingSince.map { now.nanoseconds - $0.nanoseconds }
                (isStarting, startingSince) = (false, nil)
            }
        }
        guard connections < limit || !isSettled && previous != nil else { return false }
        if let before, now.nanoseconds - before.nanoseconds > Self.maxGap { measurement = nil }
        // Only the rate with all of them says something about their number.
        guard active == connections, haveAllStarted else {
            measurement = nil
            return false
        }
        guard let current = measurement else {
            measurement = Measurement(start: now, bytes: bytes, period: periodOfStart)
            return false
        }
        let elapsed = now.nanoseconds - current.start.nanoseconds
        guard elapsed >= min(Self.earlyPeriod, current.period) else { return false }
        let rate = rate(since: current, bytes, now)
        if isSettled {
            measurement = nil
            guard let settledRate, rate * Self.dropFactor < settledRate else { return false }
            isSettled = false
        } else if let previous {
            let added = Double(connections - previous.connections) / Double(previous.connections)
            let gain = (rate / previous.rate - 1) / added
            guard gain >= Self.clearGain || elapsed >= current.period else { return false }
            guard gain >= Self.minGain else {
                isSettled = true
                settledRate = previous.rate
                connections = previous.connections
                measurement = nil
                takeBack(active - connections)
                return false
            }
        }
        measurement = nil
        guard connections < limit else {
            isSettled = true
            return false
        }
        previous = (connections, rate)
        connections = min(2 * connections, limit)
        return true
    }

    /// The rate since a time, in bytes per second.
    private func rate(since start: Measurement, _ bytes: Int, _ now: Deadline) -> Double {
        let elapsed = max(now.nanoseconds - start.start.nanoseconds, 1)
        return Double(bytes - start.bytes) * 1e9 / Double(elapsed)
    }

    /// The time after which more connections have helped or not, in nanoseconds.
    private var periodOfStart: Int64 {
        guard let startTime else { return Self.period }
        return min(max(Self.periodPerStart * startTime, Self.minPeriod), Self.period)
    }

    /// Takes the rests of this many workers, which end after their next bytes.
    private mutating func takeBack(_ count: Int) {
        for worker in parts.keys.sorted().suffix(max(count, 0)) {
            // A short rest costs less than another request.
            guard let rest = parts[worker], rest.count >= 2 * minSize else { continue }
            replace(worker)
        }
    }

    /// Lets others take the rest of a worker.
    private mutating func replace(_ worker: Int) {
        guard let rest = parts[worker] else { return }
        unassigned.insert(rest)
        parts[worker] = rest.lowerBound..<rest.lowerBound
        replaced.insert(worker)
    }
}

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
/// - When all bytes are assigned, a worker without a part takes the second half of the largest rest.
/// - If a part is much slower than the others were, a worker without a part takes all of its rest.
/// - Two connections work at first. Their number doubles as long as that increases the rate.
package struct SegmentPlan: Sendable {
    /// The number of connections at the beginning.
    ///
    /// Two, because the caller asked for several, and only a second one shows whether they help.
    package static let initialConnections = 2
    /// The time after which more connections have helped or not, in nanoseconds.
    ///
    /// One second: a new connection needs some round trips until it has its full speed.
    package static let period: Int64 = 1_000_000_000
    /// The time after which a clear increase is believed, in nanoseconds.
    ///
    /// A quarter of a second: otherwise most downloads would end before all connections work.
    package static let earlyPeriod: Int64 = 250_000_000
    /// The minimum increase of the rate for which more connections have helped, relative to the maximum possible one.
    ///
    /// With twice as many connections the rate can double, so 0.2 means a rate that is 1.2 times as high.
    package static let minGain = 0.2
    /// The same for an increase that is clear.
    package static let clearGain = 0.5
    /// The time without new bytes of any connection after which a measurement begins again, in nanoseconds.
    ///
    /// One second: the caller has paused the download, or the disk or the network stands still, so that the rate says
    /// nothing about the number of connections.
    package static let maxGap: Int64 = 1_000_000_000
    /// The time after which a part is slow or not, in nanoseconds.
    ///
    /// Five seconds: lost packets can stop a connection for a few seconds.
    package static let slowPeriod: Int64 = 5_000_000_000
    /// How many times slower than a connection on average a part must be, so that another worker takes it.
    package static let slowFactor = 8.0

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
    }

    /// The minimum size of a part.
    package let minSize: Int
    /// The maximum number of connections; it falls when connections fail.
    package private(set) var limit: Int
    /// The number of connections that should work now.
    package private(set) var connections: Int
    /// Whether the number of connections no longer rises.
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
    /// The workers whose parts others have taken because they were slow, until they have ended.
    private var replaced: Set<Int> = []
    /// How often a part was taken because it was slow.
    private var replacements = 0
    /// The positions of the parts when the observation of slow ones began; nil while there is none.
    private var observation: (start: Deadline, positions: [Int: Int])?
    /// The time of the first call of ``replaceSlow(_:at:)``.
    private var firstObserved: Deadline?
    /// The previous number of connections, and their rate in bytes per second; nil before the first measurement.
    private var previous: (connections: Int, rate: Double)?

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - missing: the missing bytes.
    ///   - limit: the maximum number of connections.
    ///   - minSize: the minimum size of a part.
    package init(missing: [Range<Int>], limit: Int, minSize: Int) {
        unassigned = ByteRangeSet(missing)
        self.limit = max(limit, 1)
        self.minSize = max(minSize, 1)
        connections = min(Self.initialConnections, self.limit)
    }

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

    /// Removes a share of the first missing bytes; nil if all are assigned.
    private mutating func takeUnassigned() -> Range<Int>? {
        guard let gap = unassigned.ranges.first else { return nil }
        let share =
            connections == 1 ? gap.count : max(minSize, unassigned.count / (2 * connections))
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

    /// Records that a worker has written all bytes of its part below `position`.
    package mutating func advance(_ worker: Int, to position: Int) {
        guard let part = parts[worker] else { return }
        if position > part.lowerBound { started.insert(worker) }
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
    /// Without others, another attempt is allowed if the number can still fall.
    ///
    /// - Returns: false if the download fails.
    package mutating func fail(_ worker: Int) -> Bool {
        if replaced.contains(worker) {
            finish(worker)
            return true
        }
        if let rest = parts.removeValue(forKey: worker) { unassigned.insert(rest) }
        limit = active == 0 ? min(limit, connections) - 1 : active
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
        guard unassigned.isEmpty, active > 0, active < connections, replacements < 2 * limit else {
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
            guard let rest = parts[worker] else { continue }
            unassigned.insert(rest)
            parts[worker] = rest.lowerBound..<rest.lowerBound
            replaced.insert(worker)
            replacements += 1
        }
        return slow
    }

    /// Forgets the rates observed for ``replaceSlow(_:at:)``, because the caller has paused the download.
    package mutating func ignoreRates() {
        observation = nil
    }

    // MARK: - The number of connections

    /// Measures the rate, and decides over how many connections the download continues.
    ///
    /// - Parameters:
    ///   - bytes: the number of bytes written so far.
    ///   - now: the time.
    /// - Returns: whether more connections should work.
    package mutating func measure(_ bytes: Int, at now: Deadline) -> Bool {
        guard !isSettled, connections < limit || previous != nil else { return false }
        if let lastMeasured, now.nanoseconds - lastMeasured.nanoseconds > Self.maxGap {
            measurement = nil
        }
        lastMeasured = now
        // Only the rate with all of them says something about their number.
        guard active == connections, parts.keys.allSatisfy(started.contains) else {
            measurement = nil
            return false
        }
        guard let current = measurement else {
            measurement = Measurement(start: now, bytes: bytes)
            return false
        }
        let elapsed = now.nanoseconds - current.start.nanoseconds
        guard elapsed >= Self.earlyPeriod else { return false }
        let rate = Double(bytes - current.bytes) / (Double(elapsed) / 1e9)
        if let previous {
            let added = Double(connections - previous.connections) / Double(previous.connections)
            let gain = (rate / previous.rate - 1) / added
            guard gain >= Self.clearGain || elapsed >= Self.period else { return false }
            guard gain >= Self.minGain else {
                isSettled = true
                connections = previous.connections
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
}

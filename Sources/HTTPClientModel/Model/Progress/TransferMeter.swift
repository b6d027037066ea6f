package import SocketTransport

/// A meter for the bytes of one direction: the speed, whether it is stalled, and when to report.
///
/// It reads no clock: the time is an argument.
package struct TransferMeter: Sendable {
    /// The time over which the speed is averaged, in nanoseconds.
    ///
    /// 5 s: long enough to smooth the bursts of a network, short enough to show a change of its speed.
    package static let window: Int64 = 5_000_000_000
    /// The time between two samples, in nanoseconds; a later count replaces an earlier one until then.
    package static let step: Int64 = 250_000_000
    /// The time without bytes after which a transfer is stalled, in nanoseconds.
    ///
    /// 3 s: TCP repeats a lost segment several times within that.
    static let stallTime: Int64 = 3_000_000_000

    private struct Sample: Sendable {
        var time: Deadline
        var bytes: Int
    }

    /// The samples in the window, and the last one before it; empty before the transfer begins.
    private var samples: [Sample] = []
    private var throttle = ProgressThrottle()
    private var lastMove = Deadline.never
    private var hasUnreported = false
    /// The bytes so far.
    package private(set) var completed = 0
    /// Whether no bytes have moved for ``stallTime``.
    package private(set) var isStalled = false

    package init() {}

    /// Whether the transfer has begun.
    package var hasBegun: Bool { lastMove != .never }

    /// Begins, or begins again, with `completed` bytes that do not count toward the speed.
    package mutating func begin(at now: Deadline, from completed: Int = 0) {
        samples = [Sample(time: now, bytes: completed)]
        lastMove = now
        self.completed = completed
        isStalled = false
        hasUnreported = false
    }

    /// Records the number of bytes so far; a smaller number than before begins again.
    ///
    /// - Returns: whether to report it. If so, it counts as reported.
    package mutating func advance(to completed: Int, at now: Deadline) -> Bool {
        if !hasBegun || completed < self.completed { begin(at: now, from: completed) }
        let hasMoved = completed > self.completed
        if hasMoved { record(completed, at: now) }
        if hasMoved, isStalled {
            isStalled = false
            reported(at: now)
            return true
        }
        guard throttle.shouldReport(completed, at: now) else {
            hasUnreported = hasUnreported || hasMoved
            return false
        }
        hasUnreported = false
        return true
    }

    /// Records that the current state is reported for another reason.
    ///
    /// The first bytes are reported immediately, even after such a report.
    package mutating func reported(at now: Deadline) {
        if completed > 0 { throttle.record(completed, at: now) }
        hasUnreported = false
    }

    /// Checks what is due at `now`.
    ///
    /// - Returns: whether to report the current state, because bytes were not reported for a second or
    ///   because the transfer has stalled. If so, it counts as reported.
    package mutating func isDue(at now: Deadline) -> Bool {
        guard due <= now else { return false }
        if stallDue <= now { isStalled = true }
        reported(at: now)
        return true
    }

    /// The time when ``isDue(at:)`` returns true unless bytes move before; never if it does not.
    package var due: Deadline {
        hasUnreported ? min(throttle.latest, stallDue) : stallDue
    }

    private var stallDue: Deadline {
        isStalled ? .never : lastMove.advanced(byNanoseconds: Self.stallTime)
    }

    /// Returns the speed in bytes per second over the last ``window``.
    package func bytesPerSecond(at now: Deadline) -> Int {
        guard !isStalled,
            let first = samples.last(where: { isBeforeWindow($0, now) })
                ?? samples.first
        else { return 0 }
        // A sample long before the window is the count at its beginning: no bytes moved since.
        let time = min(now.nanoseconds - first.time.nanoseconds, Self.window + Self.step)
        return Self.rate(completed - first.bytes, in: time)
    }

    private func isBeforeWindow(_ sample: Sample, _ now: Deadline) -> Bool {
        now.nanoseconds - sample.time.nanoseconds >= Self.window
    }

    private mutating func record(_ completed: Int, at now: Deadline) {
        self.completed = completed
        lastMove = now
        let last = samples.count - 1
        // The newest sample moves along until it is a step away from the one before.
        if last > 0,
            samples[last].time.nanoseconds - samples[last - 1].time.nanoseconds < Self.step
        {
            samples[last] = Sample(time: now, bytes: completed)
        } else {
            samples.append(Sample(time: now, bytes: completed))
        }
        while samples.count > 1, isBeforeWindow(samples[1], now) { samples.removeFirst() }
    }

    /// Returns the bytes per second, rounded down; 0 if no time has passed.
    package static func rate(_ bytes: Int, in nanoseconds: Int64) -> Int {
        guard bytes > 0, nanoseconds > 0 else { return 0 }
        return Int(clamping: Int128(bytes) * 1_000_000_000 / Int128(nanoseconds))
    }

    /// Returns the time that bytes take at a speed, rounded up to a nanosecond; nil if the speed is 0.
    package static func time(for bytes: Int, at bytesPerSecond: Int) -> Duration? {
        guard bytesPerSecond > 0 else { return nil }
        let speed = Int128(bytesPerSecond)
        let nanoseconds = (Int128(bytes) * 1_000_000_000 + speed - 1) / speed
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return Duration(
            secondsComponent: Int64(clamping: seconds),
            attosecondsComponent: Int64(rest) * 1_000_000_000
        )
    }
}

/// A limit on how often progress is reported.
///
/// It reads no clock: the time is an argument.
package struct ProgressThrottle: Sendable {
    /// The minimum time between two reports, in nanoseconds.
    package static let interval: Int64 = 50_000_000
    /// The number of bytes below which a report waits until ``maxSilence`` has passed.
    package static let bytes = 64 << 10
    /// The maximum time without a report while bytes move, in nanoseconds.
    static let maxSilence: Int64 = 1_000_000_000

    private struct Report: Sendable {
        let completed: Int
        let time: Deadline
    }

    private var lastReport: Report?

    package init() {}

    /// The time when the next bytes are reported, however few they are.
    package var latest: Deadline {
        (lastReport?.time ?? Deadline(nanoseconds: 0)).advanced(byNanoseconds: Self.maxSilence)
    }

    /// Records a report that was made for another reason.
    package mutating func record(_ completed: Int, at now: Deadline) {
        lastReport = Report(completed: completed, time: now)
    }

    /// Returns whether to report `completed` bytes now, and records the report.
    ///
    /// The first number is always reported, and so is a smaller one than before.
    package mutating func shouldReport(_ completed: Int, at now: Deadline) -> Bool {
        if let lastReport, completed >= lastReport.completed {
            let silence = now.nanoseconds - lastReport.time.nanoseconds
            guard completed > lastReport.completed, silence >= Self.interval,
                completed - lastReport.completed >= Self.bytes || silence >= Self.maxSilence
            else { return false }
        }
        record(completed, at: now)
        return true
    }
}

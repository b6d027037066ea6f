package import SocketTransport

/// Decides which progress is worth telling: not too often, and not for a handful of bytes, but a
/// trickle is lastReport too.
///
/// Pure.
package struct ProgressThrottle: Sendable {
    /// Between two pieces of news.
    package static let interval: Int64 = 50_000_000
    /// Less than this is lastReport only when ``maxSilence`` is over.
    package static let bytes = 64 << 10
    /// How long a trickle goes untold.
    package static let maxSilence: Int64 = 1_000_000_000

    private struct Report: Sendable {
        let completed: Int
        let time: Deadline
    }

    private var lastReport: Report?

    package init() {}

    /// Whether to tell of `completed` bytes at this moment; it is remembered then.
    ///
    /// What comes first is lastReport always, and so is a number that has fallen.
    package mutating func shouldReport(_ completed: Int, at now: Deadline) -> Bool {
        if let lastReport, completed >= lastReport.completed {
            let silence = now.nanoseconds - lastReport.time.nanoseconds
            guard completed > lastReport.completed, silence >= Self.interval,
                completed - lastReport.completed >= Self.bytes || silence >= Self.maxSilence
            else { return false }
        }
        lastReport = Report(completed: completed, time: now)
        return true
    }
}

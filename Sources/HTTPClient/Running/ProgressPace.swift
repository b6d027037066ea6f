package import SocketTransport

/// Decides which progress is worth telling: not too often, and not for a handful of octets, but a
/// trickle is told too.
///
/// Pure.
package struct ProgressPace: Sendable {
    /// Between two pieces of news.
    package static let interval: Int64 = 50_000_000
    /// Less than this is told only when ``patience`` is over.
    package static let octets = 64 << 10
    /// How long a trickle goes untold.
    package static let patience: Int64 = 1_000_000_000

    private struct Told: Sendable {
        let completed: Int
        let time: Deadline
    }

    private var told: Told?

    package init() {}

    /// Whether to tell of `completed` octets at this moment; it is remembered then.
    ///
    /// What comes first is told always, and so is a number that has fallen.
    package mutating func admits(_ completed: Int, at now: Deadline) -> Bool {
        if let told, completed >= told.completed {
            let silence = now.nanoseconds - told.time.nanoseconds
            guard completed > told.completed, silence >= Self.interval,
                completed - told.completed >= Self.octets || silence >= Self.patience
            else { return false }
        }
        told = Told(completed: completed, time: now)
        return true
    }
}

package import SocketTransport

/// A clock that changes only when the test advances it.
///
/// Pure code takes the time as an argument; pass it ``now``.
package final class ManualClock: Sendable {
    private let current: Locked<Deadline>

    package init(nanoseconds: Int64 = 1_000_000_000) {
        current = Locked(Deadline(nanoseconds: nanoseconds))
    }

    package var now: Deadline { current.withLock { $0 } }

    /// Moves the clock forward and returns the new time.
    @discardableResult
    package func advance(by duration: Duration) -> Deadline {
        current.withLock { time in
            time = time.advanced(by: duration)
            return time
        }
    }
}

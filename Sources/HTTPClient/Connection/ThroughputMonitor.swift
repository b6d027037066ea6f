package import SocketTransport

/// Judges whether enough bytes move: in each window as many as are wanted.
///
/// Pure: the driver says how many have moved, and when it asks.
package struct ThroughputMonitor: Sendable, Hashable {
    package let bytes: Int
    /// Nanoseconds.
    package let window: Int64
    /// When the present window ends; never before ``begin(at:moved:)``.
    package private(set) var end = Deadline.never
    private var movedBefore = 0
    private var pausedSince = Deadline.never

    package init(bytes: Int, window: Int64) {
        self.bytes = bytes
        self.window = max(window, 1)
    }

    /// The first window begins.
    package mutating func begin(at now: Deadline, moved: Int) {
        movedBefore = moved
        pausedSince = .never
        end = now.advanced(byNanoseconds: window)
    }

    /// Looks at a window that has ended, and begins the next.
    ///
    /// - Parameters:
    ///   - moved: bytes since the beginning of the call.
    ///   - now: the present time.
    /// - Returns: false when it was too slow.
    package mutating func isSufficient(moved: Int, at now: Deadline) -> Bool {
        guard now >= end else { return true }
        guard moved - movedBefore >= bytes else { return false }
        begin(at: now, moved: moved)
        return true
    }

    /// The program does not want bytes for now: time stands still.
    package mutating func pause(at now: Deadline) {
        guard end != .never else { return }
        pausedSince = now
    }

    /// Time goes on.
    package mutating func resume(at now: Deadline) {
        guard pausedSince != .never else { return }
        end = end.advanced(byNanoseconds: now.nanoseconds - pausedSince.nanoseconds)
        pausedSince = .never
    }
}

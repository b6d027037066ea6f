package import SocketTransport

/// A monitor of the minimum throughput: a number of bytes that must move in each window.
///
/// It reads no clock: the driver passes the number of bytes moved and the time.
package struct ThroughputMonitor: Sendable, Hashable {
    package let bytes: Int
    /// The length of a window in nanoseconds.
    package let window: Int64
    /// The end of the current window; never before ``begin(at:moved:)``.
    package private(set) var end = Deadline.never
    private var movedBefore = 0
    private var pausedSince = Deadline.never

    package init(bytes: Int, window: Int64) {
        self.bytes = bytes
        self.window = max(window, 1)
    }

    /// Begins the first window.
    package mutating func begin(at now: Deadline, moved: Int) {
        movedBefore = moved
        pausedSince = .never
        end = now.advanced(byNanoseconds: window)
    }

    /// Checks a window that has ended, and begins the next.
    ///
    /// - Parameters:
    ///   - moved: the bytes moved since the beginning of the attempt.
    ///   - now: the current time.
    /// - Returns: false if too few bytes moved.
    package mutating func isSufficient(moved: Int, at now: Deadline) -> Bool {
        guard now >= end else { return true }
        guard moved - movedBefore >= bytes else { return false }
        begin(at: now, moved: moved)
        return true
    }

    /// Stops the clock of the window, while the caller does not want bytes.
    package mutating func pause(at now: Deadline) {
        guard end != .never else { return }
        pausedSince = now
    }

    /// Continues the clock of the window after a pause.
    package mutating func resume(at now: Deadline) {
        guard pausedSince != .never else { return }
        end = end.advanced(byNanoseconds: now.nanoseconds - pausedSince.nanoseconds)
        pausedSince = .never
    }
}

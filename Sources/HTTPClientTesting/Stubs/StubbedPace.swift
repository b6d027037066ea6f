package import SocketTransport

/// A rate limiter that computes when the next bytes of a slow response are due.
package struct StubbedPace {
    private let speed: HTTPStub.Speed
    private var start = Deadline(nanoseconds: 0)
    private var sentCount = 0

    package init(_ speed: HTTPStub.Speed) {
        self.speed = speed
    }

    /// The number of bytes sent at once: those of a twentieth of a second.
    package var slice: Int { max(1, speed.bytesPerSecond / 20) }

    /// Restarts counting at `now`.
    package mutating func begin(at now: Deadline) {
        start = now
        sentCount = 0
    }

    package mutating func sent(_ bytes: Int) {
        sentCount += bytes
    }

    /// The time at which the bytes sent so far are within the speed.
    package var due: Deadline {
        start.advanced(by: .seconds(Double(sentCount) / Double(speed.bytesPerSecond)))
    }
}

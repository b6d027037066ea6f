package import SocketTransport

/// Says when the next bytes of a slow answer are due.
package struct StubbedPace {
    private let speed: HTTPStub.Speed
    private var start = Deadline(nanoseconds: 0)
    private var sentCount = 0

    package init(_ speed: HTTPStub.Speed) {
        self.speed = speed
    }

    /// Bytes that are sent at once: a twentieth of a second's.
    package var slice: Int { max(1, speed.bytesPerSecond / 20) }

    /// Counts anew from now on.
    package mutating func begin(at now: Deadline) {
        start = now
        sentCount = 0
    }

    package mutating func sent(_ bytes: Int) {
        sentCount += bytes
    }

    /// When as many bytes may have been sent as were.
    package var due: Deadline {
        start.advanced(by: .seconds(Double(sentCount) / Double(speed.bytesPerSecond)))
    }
}

package import SocketTransport

extension HTTPStub {
    /// The speed of a response, head and body.
    public struct Speed: Sendable, Hashable {
        /// The number of bytes per second; at least 1.
        public let bytesPerSecond: Int

        /// Creates a speed.
        public init(bytesPerSecond: Int) {
            self.bytesPerSecond = max(1, bytesPerSecond)
        }

        /// Returns a speed in kilobits per second.
        public static func kilobits(_ count: Int) -> Speed {
            Speed(bytesPerSecond: min(max(count, 0), 1 << 40) * 125)
        }

        /// A modem: 12 kbit/s.
        public static let slow = kilobits(12)
        /// 56 kbit/s.
        public static let gprs = kilobits(56)
        /// 128 kbit/s.
        public static let edge = kilobits(128)
        /// 3.2 Mbit/s.
        public static let mobile3G = kilobits(3200)
        /// 7.2 Mbit/s.
        public static let mobile3GPlus = kilobits(7200)
        /// 12 Mbit/s.
        public static let wifi = kilobits(12_000)
    }
}

/// A rate limiter that computes when the next bytes of a slow response are due.
package struct RateLimiter {
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

    /// The time before which no more bytes may be sent, so that the bytes sent so far are within the speed.
    package var due: Deadline {
        start.advanced(by: .seconds(Double(sentCount) / Double(speed.bytesPerSecond)))
    }
}

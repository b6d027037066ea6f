extension HTTPStub {
    /// Says how fast a response comes, head and body.
    public struct Speed: Sendable, Hashable {
        /// Octets in a second; at least 1.
        public let octetsPerSecond: Int

        /// Makes a speed.
        public init(octetsPerSecond: Int) {
            self.octetsPerSecond = max(1, octetsPerSecond)
        }

        /// So many thousands of bits in a second.
        public static func kilobits(_ count: Int) -> Speed {
            Speed(octetsPerSecond: min(max(count, 0), 1 << 40) * 125)
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

extension HTTPStub {
    /// Says how fast a response comes, head and body.
    public struct Speed: Sendable, Hashable {
        /// Bytes in a second; at least 1.
        public let bytesPerSecond: Int

        /// Makes a speed.
        public init(bytesPerSecond: Int) {
            self.bytesPerSecond = max(1, bytesPerSecond)
        }

        /// So many thousands of bits in a second.
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

/// Content of test bodies.
package enum TestContent {
    /// Returns bytes that depend on their position, so that lost, repeated and swapped parts are found.
    ///
    /// The pattern repeats after a prime number of bytes, which divides no size of a page or a buffer.
    /// It is built in large steps, because a test without optimizations is slow for each byte.
    package static func bytes(_ count: Int) -> [UInt8] {
        let period = 4099
        let pattern = (0..<period).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + period)
        while bytes.count < count { bytes += pattern }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}

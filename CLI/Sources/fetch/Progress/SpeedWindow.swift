/// The average speed over the last seconds.
package struct SpeedWindow: Sendable {
    private struct Sample: Sendable {
        let time: Duration
        let bytes: Int
    }

    /// The length of the window.
    private static let length = Duration.seconds(5)
    /// The time between two samples; an earlier sample replaces the newest one.
    private static let step = Duration.milliseconds(500)

    private var samples = [Sample(time: .zero, bytes: 0)]

    package init() {}

    /// Records the bytes transferred since the beginning.
    ///
    /// A smaller number than before restarts the measurement.
    package mutating func record(_ bytes: Int, at time: Duration) {
        if bytes < samples[samples.count - 1].bytes {
            samples = [Sample(time: time, bytes: bytes)]
            return
        }
        // The oldest sample stays, because the rate needs two samples.
        if samples.count > 1, time - samples[samples.count - 2].time < Self.step {
            samples.removeLast()
        }
        samples.append(Sample(time: time, bytes: bytes))
        while samples.count > 2, time - samples[1].time >= Self.length { samples.removeFirst() }
    }

    /// The rate in bytes per second.
    package var rate: Int {
        let (first, last) = (samples[0], samples[samples.count - 1])
        return ProgressSnapshot.rate(last.bytes - first.bytes, in: last.time - first.time)
    }
}

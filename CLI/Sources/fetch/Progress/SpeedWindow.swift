/// Measures how fast bytes have transferred in the last seconds.
package struct SpeedWindow: Sendable {
    private struct Sample: Sendable {
        let time: Duration
        let bytes: Int
    }

    /// How far it looks back.
    private static let length = Duration.seconds(5)
    /// Between two samples; what comes earlier takes the place of the newest.
    private static let step = Duration.milliseconds(500)

    private var samples = [Sample(time: .zero, bytes: 0)]

    package init() {}

    /// Notes how many bytes have transferred since the beginning; fewer than before begin anew.
    package mutating func record(_ bytes: Int, at time: Duration) {
        if bytes < samples[samples.count - 1].bytes {
            samples = [Sample(time: time, bytes: bytes)]
            return
        }
        // The oldest must stay, or there would be nothing to compare with.
        if samples.count > 1, time - samples[samples.count - 2].time < Self.step {
            samples.removeLast()
        }
        samples.append(Sample(time: time, bytes: bytes))
        while samples.count > 2, time - samples[1].time >= Self.length { samples.removeFirst() }
    }

    /// Bytes a second.
    package var rate: Int {
        let (first, last) = (samples[0], samples[samples.count - 1])
        return ProgressSnapshot.rate(last.bytes - first.bytes, in: last.time - first.time)
    }
}

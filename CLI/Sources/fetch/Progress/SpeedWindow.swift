/// Measures how fast octets have moved in the last seconds.
package struct SpeedWindow: Sendable {
    private struct Sample: Sendable {
        let time: Duration
        let octets: Int
    }

    /// How far it looks back.
    private static let length = Duration.seconds(5)
    /// Between two samples; what comes earlier takes the place of the newest.
    private static let step = Duration.milliseconds(500)

    private var samples = [Sample(time: .zero, octets: 0)]

    package init() {}

    /// Notes how many octets have moved since the beginning; fewer than before begin anew.
    package mutating func note(_ octets: Int, at time: Duration) {
        if octets < samples[samples.count - 1].octets {
            samples = [Sample(time: time, octets: octets)]
            return
        }
        // The oldest must stay, or there would be nothing to compare with.
        if samples.count > 1, time - samples[samples.count - 2].time < Self.step {
            samples.removeLast()
        }
        samples.append(Sample(time: time, octets: octets))
        while samples.count > 2, time - samples[1].time >= Self.length { samples.removeFirst() }
    }

    /// Octets a second.
    package var rate: Int {
        let (first, last) = (samples[0], samples[samples.count - 1])
        return ProgressFigures.rate(last.octets - first.octets, in: last.time - first.time)
    }
}

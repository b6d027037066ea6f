/// When the requests of an open load are due.
struct Schedule: Sendable {
    /// The requests per second after the ramp.
    let rate: Double
    /// The time in which the rate rises from 0, in nanoseconds.
    let ramp: Double
    /// The number of requests that are due within the ramp.
    private let rampCount: Double

    init(rate: Double, ramp: Duration) {
        self.rate = rate
        self.ramp = Double(ramp.inNanoseconds)
        // The mean rate of the ramp is half of the final one.
        rampCount = rate * self.ramp / 2e9
    }

    /// Returns when a request is due, in nanoseconds after the start; requests are counted from 0.
    func due(_ index: Int) -> Int64 {
        let number = Double(index)
        guard number < rampCount else { return Int64(ramp + (number - rampCount) / rate * 1e9) }
        return Int64(ramp * (number / rampCount).squareRoot())
    }
}

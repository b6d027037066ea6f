import CoreMetrics
import Synchronization

/// A metrics factory that records all measurements.
final class RecordedMetrics: MetricsFactory, Sendable {
    struct Measurement: Sendable {
        let label: String
        let dimensions: [String: String]
        let value: Int64
    }

    private let noted = Mutex<[Measurement]>([])

    var all: [Measurement] { noted.withLock { $0 } }

    func named(_ label: String) -> [Measurement] { all.filter { $0.label == label } }

    private final class Instrument: CounterHandler, RecorderHandler, TimerHandler, Sendable {
        let label: String
        let dimensions: [String: String]
        let owner: RecordedMetrics

        init(_ label: String, _ dimensions: [(String, String)], _ owner: RecordedMetrics) {
            self.label = label
            self.dimensions = Dictionary(dimensions) { "\($0) and \($1)" }
            self.owner = owner
        }

        func record(_ value: Int64) {
            let measurement = Measurement(label: label, dimensions: dimensions, value: value)
            owner.noted.withLock { $0.append(measurement) }
        }

        func record(_ value: Double) { record(Int64(value)) }
        func recordNanoseconds(_ duration: Int64) { record(duration) }
        func increment(by amount: Int64) { record(amount) }
        func reset() {}
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        Instrument(label, dimensions, self)
    }

    func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        Instrument(label, dimensions, self)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        Instrument(label, dimensions, self)
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}

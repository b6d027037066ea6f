import HTTPClient
import SocketTransport
import Testing

@Suite struct ThroughputMonitorTests {
    private func at(_ nanoseconds: Int64) -> Deadline { Deadline(nanoseconds: nanoseconds) }

    @Test func `each window requires its bytes`() {
        var pace = ThroughputMonitor(bytes: 10, window: 100)
        #expect(pace.end == .never)
        pace.begin(at: at(0), moved: 5)
        var verdicts: [Bool] = []
        verdicts.append(pace.isSufficient(moved: 5, at: at(99)))
        verdicts.append(pace.isSufficient(moved: 15, at: at(100)))
        #expect(pace.end == at(200))
        verdicts.append(pace.isSufficient(moved: 25, at: at(250)))
        #expect(pace.end == at(350))
        verdicts.append(pace.isSufficient(moved: 34, at: at(350)))
        #expect(verdicts == [true, true, true, false])
    }

    @Test func `paused time does not count`() {
        var pace = ThroughputMonitor(bytes: 1, window: 100)
        pace.pause(at: at(0))
        pace.resume(at: at(50))
        #expect(pace.end == .never)
        pace.begin(at: at(100), moved: 0)
        pace.pause(at: at(150))
        pace.resume(at: at(1150))
        pace.resume(at: at(9999))
        #expect(pace.end == at(1200))
        let isKept = pace.isSufficient(moved: 0, at: at(1200))
        #expect(!isKept)
    }

    @Test(
        arguments: [
            (1, Duration.seconds(30), 30), (1000, .milliseconds(500), 500), (0, .seconds(1), 0),
            (.max, .seconds(2), .max), (3, .seconds(-1), 0), (10, .milliseconds(1500), 15),
            (-5, .seconds(30), 0), (.min, .milliseconds(999), 0), (.max, .seconds(Int64.max), .max),
        ] as [(Int, Duration, Int)]
    )
    func `bytes per second are converted to bytes per window`(
        bytes: Int,
        window: Duration,
        expected: Int
    ) {
        #expect(HTTPTimeouts.Throughput(bytesPerSecond: bytes, over: window).bytes == expected)
    }
}

import HTTPClient
import SocketTransport
import Testing

@Suite struct ProgressThrottleTests {
    private func at(_ milliseconds: Int64) -> Deadline {
        Deadline(nanoseconds: 1_000_000 * milliseconds)
    }

    @Test func `progress is reported by bytes and by time`() {
        var throttle = ProgressThrottle()
        let step = ProgressThrottle.bytes
        let rows: [(bytes: Int, milliseconds: Int64, isTold: Bool)] = [
            (10, 0, true),  // The first report.
            (10 + step, 10, false),  // Too soon.
            (10 + step, 50, true),
            (11 + step, 120, false),  // Too few bytes.
            (11 + step, 1049, false),
            (11 + step, 1050, true),  // Few bytes after a long time.
            (11 + step, 9000, false),  // No new bytes.
            (3, 9001, true),  // The transfer was restarted.
            (2 + step, 9051, false),
            (3 + step, 9052, true),
        ]
        for row in rows {
            #expect(
                throttle.shouldReport(row.bytes, at: at(row.milliseconds)) == row.isTold,
                "\(row)"
            )
        }
    }
}

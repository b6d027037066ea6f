import HTTPClient
import SocketTransport
import Testing

@Suite struct TransferMeterTests {
    private func at(_ milliseconds: Int64) -> Deadline {
        Deadline(nanoseconds: 1_000_000 * milliseconds)
    }

    @Test func `the speed is the average since the beginning, then over five seconds`() {
        var meter = TransferMeter()
        meter.begin(at: at(0))
        #expect(meter.bytesPerSecond(at: at(0)) == 0)
        // 1000 bytes each 500 ms, then twice as many.
        for step in 1...10 {
            _ = meter.advance(to: 1000 * step, at: at(500 * Int64(step)))
            #expect(meter.bytesPerSecond(at: at(500 * Int64(step))) == 2000)
        }
        let rows: [(step: Int, speed: Int)] = [
            // Bytes of the last 5 s: 9 times 1000 and 1 time 2000, and so on.
            (1, 2200), (2, 2400), (5, 3000), (9, 3800), (10, 4000), (20, 4000),
        ]
        var checked = 0
        for step in 1...20 {
            let now = at(5000 + 500 * Int64(step))
            _ = meter.advance(to: 10_000 + 2000 * step, at: now)
            guard let row = rows.first(where: { $0.step == step }) else { continue }
            #expect(meter.bytesPerSecond(at: now) == row.speed, "step \(step)")
            checked += 1
        }
        #expect(checked == rows.count)
    }

    @Test func `many small counts give the same speed as few`() {
        var meter = TransferMeter()
        meter.begin(at: at(0))
        for millisecond in 1...8000 {
            _ = meter.advance(to: millisecond * 7, at: at(Int64(millisecond)))
        }
        #expect(meter.bytesPerSecond(at: at(8000)) == 7000)
    }

    @Test func `bytes of a resumed file do not count`() {
        var meter = TransferMeter()
        meter.begin(at: at(0), from: 1_000_000)
        _ = meter.advance(to: 1_000_500, at: at(1000))
        #expect(meter.bytesPerSecond(at: at(1000)) == 500)
    }

    @Test func `a transfer that starts over begins a new average`() {
        var meter = TransferMeter()
        meter.begin(at: at(0))
        _ = meter.advance(to: 80_000, at: at(1000))
        _ = meter.advance(to: 0, at: at(2000))
        #expect(meter.completed == 0)
        _ = meter.advance(to: 300, at: at(3000))
        #expect(meter.bytesPerSecond(at: at(3000)) == 300)
    }

    @Test func `a transfer stalls after three seconds, once, and its speed is zero`() {
        var meter = TransferMeter()
        #expect(meter.due == .never)
        meter.begin(at: at(0))
        #expect(meter.due == at(3000))
        #expect(meter.advance(to: 10, at: at(1000)) == true)
        #expect(meter.due == at(4000))
        var isDue = meter.isDue(at: at(3999))
        #expect(!isDue && !meter.isStalled)
        isDue = meter.isDue(at: at(4000))
        #expect(isDue && meter.isStalled)
        #expect(meter.bytesPerSecond(at: at(4000)) == 0)
        #expect(meter.due == .never)
        // The next bytes are reported at once, however few.
        #expect(meter.advance(to: 20, at: at(9000)) == true)
        #expect(!meter.isStalled)
        // 10 bytes in the window and its tolerance of 250 ms.
        #expect(meter.bytesPerSecond(at: at(9000)) == 1)
        #expect(meter.due == at(12_000))
    }

    @Test func `bytes that are too few to report are due after a second`() {
        var meter = TransferMeter()
        meter.begin(at: at(0))
        #expect(meter.advance(to: 1, at: at(100)) == true)
        #expect(meter.advance(to: 2, at: at(200)) == false)
        #expect(meter.advance(to: 3, at: at(900)) == false)
        #expect(meter.due == at(1100))
        let isDue = meter.isDue(at: at(1100))
        #expect(isDue && !meter.isStalled)
        // Nothing is unreported now, so only a stall is due.
        #expect(meter.due == at(3900))
        #expect(meter.advance(to: 4, at: at(1200)) == false)
        #expect(meter.due == at(2100))
    }

    @Test func `the first bytes are reported at once after a report of the phase`() {
        var meter = TransferMeter()
        meter.begin(at: at(0))
        meter.reported(at: at(0))
        #expect(meter.advance(to: 1, at: at(1)) == true)
    }

    @Test(
        arguments: [
            (1000, 1_000_000_000, 1000), (1, 3_000_000_000, 0), (5, 0, 0), (0, 5, 0),
            (Int.max, 1, Int.max), (Int.max, Int64.max, 1_000_000_000),
        ] as [(Int, Int64, Int)]
    )
    func `a rate is exact and never overflows`(bytes: Int, nanoseconds: Int64, rate: Int) {
        #expect(TransferMeter.rate(bytes, in: nanoseconds) == rate)
    }

    @Test(
        arguments: [
            (1000, 100, .seconds(10)), (1, 3, .nanoseconds(333_333_334)), (1, 0, nil),
            (Int.max, 1, .seconds(Int64.max)),
        ] as [(Int, Int, Duration?)]
    )
    func `a time is exact and never overflows`(bytes: Int, speed: Int, time: Duration?) {
        #expect(TransferMeter.time(for: bytes, at: speed) == time)
    }
}

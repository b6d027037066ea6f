import ClientSupport
import HTTPClient
import SocketTransport
import Support
import Testing

/// Tests the division of a download, without sockets and clocks.
@Suite struct SegmentPlanTests {
    private func plan(_ missing: Range<Int>..., limit: Int = 2, minSize: Int = 10) -> SegmentPlan {
        SegmentPlan(missing: missing, limit: limit, minSize: minSize)
    }

    @Test func `parts are shares of the missing bytes, from the lowest to the highest`() {
        var plan = plan(0..<100)
        plan.assign(0..<10, to: 0)
        var parts: [Range<Int>] = []
        var worker = 1
        while case .part(let part) = plan.next(for: worker) {
            parts.append(part)
            // The other one has finished in the meantime.
            worker = 1 - worker
            plan.finish(worker)
        }
        #expect(parts == [10..<32, 32..<49, 49..<61, 61..<71, 71..<81, 81..<100])
        #expect(plan.isComplete == false)
        plan.finish(1 - worker)
        #expect(plan.next(for: 0) == .end)
    }

    @Test(
        arguments: [
            (0..<25, 2, 10, 0..<10), (0..<19, 2, 10, 0..<19), (0..<20, 2, 10, 0..<10),
            (5..<9, 2, 10, 5..<9), (0..<1000, 1, 10, 0..<1000), (0..<1000, 2, 10, 0..<250),
            (0..<1000, 2, 900, 0..<1000), (0..<3, 2, 1, 0..<1),
        ] as [(Range<Int>, Int, Int, Range<Int>)]
    )
    func `a part has at least the minimum size`(
        missing: Range<Int>,
        limit: Int,
        minSize: Int,
        part: Range<Int>
    ) {
        var plan = plan(missing, limit: limit, minSize: minSize)
        #expect(plan.next(for: 0) == .part(part))
    }

    @Test func `with a window, no part begins far behind the first missing byte`() {
        var plan = SegmentPlan(missing: [0..<10_000], limit: 2, minSize: 10, window: 100)
        plan.assign(0..<10, to: 0)
        var parts: [Range<Int>] = []
        while case .part(let part) = plan.next(for: 1) {
            parts.append(part)
            plan.finish(1)
        }
        #expect(parts == [10..<35, 35..<60, 60..<85, 85..<110])
        // A slow part may be taken, as at the end of a file.
        let time = { (seconds: Int64) in Deadline(nanoseconds: seconds * SegmentPlan.period) }
        #expect(plan.replaceSlow(100, at: time(0)) == [])
        #expect(plan.replaceSlow(100, at: time(6)) == [0])
        #expect(plan.next(for: 1) == .part(0..<10))
        plan.finish(1)
        #expect(plan.next(for: 1) == .part(110..<135))
    }

    @Test func `the segments are the parts of the workers, with what they have written`() {
        typealias Segment = HTTPProgress.Segment
        var plan = plan(0..<100, limit: 3, minSize: 10)
        #expect(plan.segments == [])
        plan.assign(0..<60, to: 2)
        plan.assign(60..<100, to: 0)
        plan.advance(2, to: 10)
        #expect(
            plan.segments == [
                Segment(connection: 0, range: 60..<100, completed: 0),
                Segment(connection: 2, range: 0..<60, completed: 10),
            ]
        )
        plan.finish(0)
        #expect(plan.next(for: 1) == .part(35..<60))
        plan.advance(1, to: 36)
        #expect(
            plan.segments == [
                Segment(connection: 1, range: 35..<60, completed: 1),
                Segment(connection: 2, range: 0..<35, completed: 10),
            ]
        )
        #expect(plan.segments.map(\.fraction) == [0.04, 10.0 / 35])
        _ = plan.fail(1)
        plan.finish(2)
        #expect(plan.segments == [])
    }

    @Test func `a gap is not crossed`() {
        var plan = plan(20..<30, 40..<44, 60..<90)
        #expect(plan.next(for: 0) == .part(20..<30))
        #expect(plan.next(for: 1) == .part(40..<44))
        plan.finish(1)
        #expect(plan.next(for: 1) == .part(60..<70))
    }

    @Test func `a worker without a part takes half of the largest rest`() {
        var plan = plan(100..<160, limit: 3, minSize: 10)
        plan.assign(100..<160, to: 0)
        plan.advance(0, to: 111)
        #expect(plan.next(for: 1) == .part(136..<160))
        #expect(plan.rest(of: 0) == 111..<136)
        plan.finish(1)
        plan.advance(0, to: 117)
        // 19 bytes cannot be divided into parts of the minimum size.
        #expect(plan.next(for: 1) == .wait)
        plan.advance(0, to: 200)
        #expect(plan.rest(of: 0) == 136..<136)
        plan.finish(0)
        #expect(plan.next(for: 1) == .end)
        #expect(plan.isComplete)
    }

    @Test func `only as many workers as connections have a part`() {
        var plan = plan(0..<1000, limit: 8)
        #expect(plan.connections == 2)
        #expect(plan.next(for: 0) != .wait)
        #expect(plan.next(for: 1) != .wait)
        #expect(plan.next(for: 2) == .wait)
        plan.finish(0)
        #expect(plan.next(for: 2) != .wait)
        #expect(plan.active == 2)
    }

    /// Measures periods with these rates, in bytes per second, and returns the connections after each.
    private func connections(_ rates: [Int], limit: Int) -> [Int] {
        var plan = plan(0..<Int.max / 2, limit: limit, minSize: 1)
        var (now, bytes, counts) = (Deadline(nanoseconds: 5), 0, [Int]())
        for rate in rates {
            for worker in 0..<limit { _ = plan.next(for: worker) }
            for worker in 0..<limit {
                guard let rest = plan.rest(of: worker) else { continue }
                plan.advance(worker, to: rest.lowerBound + 1)
            }
            _ = plan.measure(bytes, at: now)
            now = Deadline(nanoseconds: now.nanoseconds + SegmentPlan.period)
            bytes += rate
            let before = plan.connections
            #expect(plan.measure(bytes, at: now) == (plan.connections > before))
            counts.append(plan.connections)
        }
        return counts
    }

    @Test(
        arguments: [
            // The first two have nothing to compare with, so more are tried.
            ([100], 8, [4]), ([100, 150], 8, [4, 8]), ([100, 150, 181], 8, [4, 8, 8]),
            // Less than a fifth more: the last ones were of no use, and none is tried again.
            ([100, 119], 8, [4, 2]), ([100, 119, 500], 8, [4, 2, 2]),
            ([100, 130, 100, 900], 16, [4, 8, 4, 4]), ([100, 200], 2, [2, 2]),
            // A fifth connection can add a quarter at most.
            ([100, 150, 158], 5, [4, 5, 5]), ([100, 150, 157], 5, [4, 5, 4]),
        ] as [([Int], Int, [Int])]
    )
    func `the number of connections doubles as long as that has helped`(
        rates: [Int],
        limit: Int,
        counts: [Int]
    ) {
        #expect(connections(rates, limit: limit) == counts)
    }

    @Test func `a clear increase is believed early`() {
        var plan = plan(0..<Int.max / 2, limit: 8, minSize: 1)
        var (now, bytes) = (Deadline(nanoseconds: 0), 0)
        /// Measures a quarter of a second with this many bytes per second.
        func measure(_ rate: Int) -> Bool {
            for worker in 0..<8 { _ = plan.next(for: worker) }
            // The new connections need some time for their first bytes.
            _ = plan.measure(bytes, at: now)
            now = now.advanced(by: .milliseconds(40))
            for worker in 0..<8 {
                guard let rest = plan.rest(of: worker) else { continue }
                plan.advance(worker, to: rest.lowerBound + 1)
            }
            _ = plan.measure(bytes, at: now)
            now = Deadline(nanoseconds: now.nanoseconds + SegmentPlan.earlyPeriod)
            bytes += rate / 4
            return plan.measure(bytes, at: now)
        }
        #expect(measure(1000))
        #expect(plan.connections == 4)
        // Not clear before a second has passed.
        for _ in 0..<3 { #expect(!measure(1400)) }
        #expect(plan.connections == 4)
        #expect(measure(1400))
        #expect(plan.connections == 8)
        // With another number of connections, a new measurement begins.
        for _ in 0..<3 { #expect(!measure(1600)) }
        #expect(!plan.isSettled)
        #expect(!measure(1600))
        #expect(plan.connections == 4)
        #expect(plan.isSettled)
    }

    /// Measures two connections after the first one has worked alone.
    ///
    /// - Parameters:
    ///   - alone: the rate of the first one in bytes per second.
    ///   - start: the time that the second one takes for its first bytes, in milliseconds.
    ///   - rate: the rate of both.
    ///   - time: the time after which they are measured, in milliseconds.
    private func measured(
        _ alone: Int,
        start: Int,
        rate: Int,
        after time: Int,
        limit: Int = 2
    ) -> SegmentPlan {
        func milliseconds(_ count: Int) -> Deadline {
            Deadline(nanoseconds: Int64(count) * 1_000_000)
        }
        var plan = plan(0..<4_000_000, limit: limit, minSize: 100_000)
        plan.assign(0..<2_000_000, to: 0)
        plan.advance(0, to: 1)
        _ = plan.measure(0, at: milliseconds(0))
        plan.measureAlone(alone / 40, at: milliseconds(25))
        _ = plan.measure(alone / 20, at: milliseconds(50))
        plan.endAlone(alone / 20, at: milliseconds(50))
        #expect(plan.next(for: 1) == .part(2_000_000..<2_500_000))
        _ = plan.measure(alone / 20, at: milliseconds(50))
        plan.advance(1, to: 2_000_001)
        _ = plan.measure(alone / 20, at: milliseconds(50 + start))
        _ = plan.measure(alone / 20 + rate * time / 1000, at: milliseconds(50 + start + time))
        return plan
    }

    @Test(
        arguments: [
            // Nearby, a tenth of a second shows that the second one is of no use.
            (2, 1_000_000, 100, true, 1), (2, 1_190_000, 100, true, 1),
            (2, 1_210_000, 100, true, 2),
            (2, 1_000_000, 99, false, 2),
            // Far away it needs its slow start.
            (20, 1_000_000, 639, false, 2), (20, 1_000_000, 640, true, 1),
            (500, 1_000_000, 999, false, 2), (500, 1_000_000, 1000, true, 1),
            // A clear increase is believed early.
            (20, 1_500_000, 250, true, 2), (20, 1_490_000, 250, false, 2),
        ] as [(Int, Int, Int, Bool, Int)]
    )
    func `the second connection is compared with the first one`(
        start: Int,
        rate: Int,
        time: Int,
        isSettled: Bool,
        connections: Int
    ) {
        let plan = measured(1_000_000, start: start, rate: rate, after: time)
        #expect(plan.isSettled == isSettled)
        #expect(plan.connections == connections)
    }

    @Test func `a connection that is of no use gives its part back`() {
        var plan = measured(1_000_000, start: 2, rate: 1_000_000, after: 100)
        #expect(plan.active == 1 && plan.rest(of: 1) == 2_000_001..<2_000_001)
        // Its next bytes end its body.
        plan.advance(1, to: 2_000_100)
        plan.finish(1)
        #expect(plan.next(for: 1) == .wait)
        plan.finish(0)
        #expect(plan.next(for: 0) == .part(2_000_001..<4_000_000))
        // The only one that is left is replaced once.
        #expect(plan.fail(0) == true)
        #expect(plan.next(for: 1) == .part(2_000_001..<4_000_000))
        #expect(plan.fail(1) == false)
    }

    @Test func `only a large file begins with one connection`() {
        #expect(!plan(0..<159, minSize: 10).beginsAlone)
        #expect(plan(0..<160, minSize: 10).beginsAlone)
        var late = plan(0..<1000)
        late.assign(0..<500, to: 0)
        // Nothing was written, so there is no rate.
        late.measureAlone(0, at: Deadline(nanoseconds: 25_000_000))
        late.endAlone(0, at: Deadline(nanoseconds: 50_000_000))
        #expect(late.connections == 2 && !late.isSettled)
    }

    @Test func `the first bytes do not count for the rate of the first connection`() {
        let (alone, measured) = (SegmentPlan.alonePeriod, SegmentPlan.aloneMeasured)
        var plan = plan(0..<4_000_000, limit: 4, minSize: 100_000)
        plan.assign(0..<2_000_000, to: 0)
        // 900 kB come at once, and then 10 kB in each millisecond.
        plan.measureAlone(900_000, at: Deadline(nanoseconds: alone - measured))
        plan.endAlone(
            900_000 + 10_000 * Int(measured / 1_000_000),
            at: Deadline(nanoseconds: alone)
        )
        _ = plan.next(for: 1)
        for worker in 0..<2 { plan.advance(worker, to: 2_000_001 * worker + 1) }
        _ = plan.measure(1_000_000, at: Deadline(nanoseconds: alone))
        // The second one brings as much again.
        let now = Deadline(nanoseconds: alone + SegmentPlan.period)
        #expect(plan.measure(21_000_000, at: now) == true)
    }

    /// Downloads from a server that sends the first bytes of each connection without a limit.
    ///
    /// - Parameters:
    ///   - burst: the number of bytes that each connection delivers without the limit.
    ///   - burstRate: their rate in bytes per millisecond.
    ///   - rate: the rate of a connection after them, in bytes per millisecond.
    ///   - line: the maximum rate of all connections together, in bytes per millisecond.
    /// - Returns: the time in milliseconds, and the maximum number of connections.
    private func simulated(
        burst: Int,
        burstRate: Int,
        rate: Int,
        line: Int
    ) -> (time: Int, connections: Int) {
        let (size, limit) = (640_000_000, 8)
        let (alone, measured) = (
            Int(SegmentPlan.alonePeriod) / 1_000_000, Int(SegmentPlan.aloneMeasured) / 1_000_000
        )
        var plan = plan(0..<size, limit: limit, minSize: 4_000_000)
        var (received, bytes) = (Array(repeating: 0, count: limit), 0)
        var (time, maximum) = (0, 0)
        plan.assign(0..<size / 4, to: 0)
        var now: Deadline { Deadline(nanoseconds: Int64(time) * 1_000_000) }
        while !plan.isComplete, time < 100_000 {
            if time == alone - measured { plan.measureAlone(bytes, at: now) }
            if time == alone { plan.endAlone(bytes, at: now) }
            if time >= alone { for worker in 0..<limit { _ = plan.next(for: worker) } }
            maximum = max(maximum, plan.active)
            var left = line
            for worker in 0..<limit {
                guard let rest = plan.rest(of: worker) else { continue }
                let count = min(received[worker] < burst ? burstRate : rate, rest.count, left)
                received[worker] += count
                left -= count
                bytes += count
                plan.advance(worker, to: rest.lowerBound + count)
                // A worker whose part was taken notices it now.
                if count == rest.count {
                    plan.finish(worker)
                    received[worker] = 0
                }
            }
            _ = plan.measure(bytes, at: now)
            time += 1
        }
        return (time, maximum)
    }

    @Test(
        arguments: [
            // One connection fills the line.
            (0, 0, 100_000, 100_000, 2, 6_500),
            // Each has a tenth of it.
            (0, 0, 10_000, 100_000, 8, 9_000),
            // The first bytes come at once, within the time alone or after it.
            (10_000_000, 1_000_000, 10_000, 1_000_000, 8, 9_000),
            (50_000_000, 100_000, 10_000, 100_000, 4, 9_500),
        ] as [(Int, Int, Int, Int, Int, Int)]
    )
    func `connections that help are used, also after a burst`(
        burst: Int,
        burstRate: Int,
        rate: Int,
        line: Int,
        connections: Int,
        time: Int
    ) {
        let result = simulated(burst: burst, burstRate: burstRate, rate: rate, line: line)
        #expect(result.connections == connections)
        #expect(result.time <= time)
    }

    @Test func `more connections are tried again when the rate falls to less than a half`() {
        for (rate, expected) in [(500_001, 1), (499_999, 2)] {
            var plan = measured(1_000_000, start: 2, rate: 1_000_000, after: 100)
            #expect(plan.isSettled && plan.connections == 1)
            plan.advance(1, to: 2_000_100)
            plan.finish(1)
            var bytes = 150_000
            for time in [200, 450] {
                plan.advance(0, to: bytes)
                _ = plan.measure(bytes, at: Deadline(nanoseconds: Int64(time) * 1_000_000))
                bytes += rate / 4
            }
            #expect(plan.connections == expected)
            #expect(plan.isSettled == (expected == 1))
        }
    }

    @Test func `a failed connection is not tried again when the rate falls`() {
        var plan = measured(1_000_000, start: 2, rate: 1_000_000, after: 100)
        plan.finish(1)
        #expect(plan.fail(0) == true)
        #expect(plan.next(for: 1) != .wait)
        for time in [200, 450, 700] {
            let now = Deadline(nanoseconds: Int64(time) * 1_000_000)
            #expect(plan.measure(150_000 + time, at: now) == false)
        }
        #expect(plan.connections == 1)
    }

    @Test func `the rate is measured only while all connections deliver`() {
        var plan = plan(0..<1000, limit: 4)
        let (start, later) = (
            Deadline(nanoseconds: 0), Deadline(nanoseconds: 9 * SegmentPlan.period)
        )
        _ = plan.next(for: 0)
        _ = plan.next(for: 1)
        plan.advance(0, to: 5)
        // The second one has not received a byte.
        #expect(plan.measure(5, at: start) == false)
        #expect(plan.measure(6, at: later) == false)
        plan.advance(1, to: 900)
        #expect(plan.measure(7, at: later) == false)
        #expect(plan.measure(8, at: Deadline(nanoseconds: 10 * SegmentPlan.period)) == true)
        // The third one has no part yet.
        #expect(plan.measure(9, at: Deadline(nanoseconds: 99 * SegmentPlan.period)) == false)
        #expect(plan.connections == 4)
    }

    @Test func `the rest of a failed part goes to another worker, and the number falls`() {
        var plan = plan(0..<100, limit: 4)
        let first = plan.next(for: 0)
        #expect(plan.next(for: 1) == .part(25..<43))
        #expect(first == .part(0..<25))
        plan.advance(1, to: 30)
        #expect(plan.fail(1) == true)
        #expect(plan.limit == 1 && plan.connections == 1)
        // The failed one must not come back while another one works.
        #expect(plan.next(for: 1) == .wait)
        #expect(plan.next(for: 2) == .wait)
        plan.finish(0)
        #expect(plan.next(for: 0) == .part(30..<100))
        #expect(plan.fail(0) == false)
    }

    @Test(arguments: [[0, 1], [1, 0]])
    func `when all connections are rejected at once, one is tried again`(order: [Int]) {
        var plan = plan(0..<100, limit: 2)
        plan.assign(0..<25, to: 0)
        plan.finish(0)
        guard case .part = plan.next(for: 1), case .part = plan.next(for: 0) else {
            Issue.record("two workers have no parts")
            return
        }
        // The first one began alone, and the second one can be the reason why it is rejected.
        #expect(!plan.isAlone(1) && !plan.isAlone(0))
        for worker in order { #expect(plan.fail(worker) == true) }
        #expect(plan.next(for: 0) == .part(25..<100))
        #expect(plan.isAlone(0))
        #expect(plan.fail(0) == false)
    }

    @Test func `a failure without others is tried once more per connection`() {
        var plan = plan(0..<30, limit: 3)
        _ = plan.next(for: 0)
        #expect(plan.fail(0) == true)
        #expect(plan.next(for: 1) == .part(0..<30))
        #expect(plan.fail(1) == false)
    }

    // MARK: - Slow parts

    private func second(_ number: Int) -> Deadline {
        Deadline(nanoseconds: Int64(number) * 1_000_000_000)
    }

    /// Returns a plan of 1000 bytes of which only worker 0 has a part, from 900 on.
    private func nearlyComplete(limit: Int = 2) -> SegmentPlan {
        var plan = plan(0..<1000, limit: limit, minSize: 60)
        plan.assign(0..<900, to: 1)
        plan.assign(900..<1000, to: 0)
        #expect(plan.replaceSlow(0, at: second(0)) == [])
        plan.finish(1)
        #expect(plan.next(for: 1) == .wait)
        return plan
    }

    @Test func `the rest of a part that is much slower than the others goes to another worker`() {
        var plan = nearlyComplete()
        #expect(plan.replaceSlow(900, at: second(1)) == [])
        plan.advance(0, to: 905)
        for time in 2...5 { #expect(plan.replaceSlow(905, at: second(time)) == []) }
        #expect(plan.replaceSlow(905, at: second(6)) == [0])
        #expect(plan.rest(of: 0) == 905..<905)
        #expect(plan.segments == [] && plan.active == 0 && !plan.isComplete)
        #expect(plan.next(for: 1) == .part(905..<1000))
        // Its connection still delivers, which takes nothing from the other.
        plan.advance(0, to: 907)
        #expect(plan.rest(of: 0) == 905..<905 && plan.rest(of: 1) == 905..<1000)
        plan.finish(1)
        // The slow one is not waited for.
        #expect(plan.isComplete)
        plan.finish(0)
        #expect(plan.next(for: 0) == .end)
    }

    @Test func `a slow worker that fails later costs no connection`() {
        var plan = nearlyComplete()
        for time in 1...6 { _ = plan.replaceSlow(900, at: second(time)) }
        #expect(plan.next(for: 1) == .part(900..<1000))
        #expect(plan.fail(0) == true)
        #expect(plan.limit == 2 && plan.connections == 2 && plan.active == 1)
    }

    @Test(arguments: [
        // Its share of the average is an eighth: 900 bytes in 6 s over two connections.
        ("not slow enough", 950, 900, false), ("slow", 946, 900, true),
        // It needs less time than the observation.
        ("nearly complete", 951, 9_000_000, false), ("with a long rest", 949, 9_000_000, true),
        ("as slow as all", 900, 0, false),
    ])
    func `a part stays with its worker if another would not help`(
        name: String,
        position: Int,
        bytes: Int,
        isReplaced: Bool
    ) {
        var plan = nearlyComplete()
        _ = plan.replaceSlow(bytes, at: second(1))
        plan.advance(0, to: position)
        #expect(plan.replaceSlow(bytes, at: second(6)) == (isReplaced ? [0] : []))
    }

    @Test func `a pause does not make a part slow`() {
        var plan = nearlyComplete()
        _ = plan.replaceSlow(900, at: second(1))
        plan.ignoreRates()
        #expect(plan.replaceSlow(900, at: second(60)) == [])
        #expect(plan.replaceSlow(900, at: second(64)) == [])
        #expect(plan.replaceSlow(900, at: second(65)) == [0])
    }

    @Test func `a part that began a moment ago is not slow`() {
        var plan = plan(0..<1000, limit: 2, minSize: 400)
        plan.assign(100..<1000, to: 1)
        plan.assign(0..<100, to: 0)
        _ = plan.replaceSlow(0, at: second(0))
        plan.advance(1, to: 950)
        plan.finish(0)
        #expect(plan.replaceSlow(900, at: second(1)) == [])
        // The worker gets another part, which lies before its former position.
        plan.finish(1)
        plan.assign(0..<100, to: 1)
        #expect(plan.replaceSlow(900, at: second(6)) == [])
        // From now on, it is observed.
        #expect(plan.replaceSlow(900, at: second(7)) == [])
        #expect(plan.replaceSlow(900, at: second(12)) == [1])
    }

    @Test func `no part is taken from its worker without end`() {
        var plan = nearlyComplete()
        var (time, count) = (0, 0)
        while time < 1000 {
            time += 1
            let slow = plan.replaceSlow(900_000, at: second(time))
            count += slow.count
            guard let worker = slow.first else { continue }
            plan.finish(worker)
            #expect(plan.next(for: 1 - worker) == .part(900..<1000))
        }
        #expect(count == 4)
    }

    @Test func `a time without bytes is not a rate`() {
        var plan = plan(0..<10_000, limit: 4, minSize: 1)
        for worker in 0..<2 {
            guard case .part(let part) = plan.next(for: worker) else { continue }
            plan.advance(worker, to: part.lowerBound + 1)
        }
        let (quarter, gap) = (SegmentPlan.earlyPeriod, SegmentPlan.maxGap)
        #expect(plan.measure(0, at: Deadline(nanoseconds: 0)) == false)
        // A pause ends the measurement, and another one begins.
        #expect(plan.measure(10, at: Deadline(nanoseconds: gap + 1)) == false)
        #expect(plan.measure(20, at: Deadline(nanoseconds: gap + quarter)) == false)
        #expect(plan.measure(30, at: Deadline(nanoseconds: gap + quarter + 1)) == true)
    }

    @Test func `every byte is downloaded exactly once, whatever happens`() {
        for seed in 1...300 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let total = Int.random(in: 1...2000, using: &random)
            let workers = Int.random(in: 1...6, using: &random)
            let minSize = Int.random(in: 1...100, using: &random)
            // Half of the plans have a window.
            let window =
                Bool.random(using: &random) ? Int.max : Int.random(in: 1...400, using: &random)
            var plan = SegmentPlan(
                missing: [0..<total],
                limit: workers,
                minSize: minSize,
                window: window
            )
            #expect(plan.window >= 2 * minSize)
            var written = ByteRangeSet()
            var now = Deadline(nanoseconds: 0)
            var steps = 0
            while !plan.isComplete {
                steps += 1
                guard steps < 100_000 else {
                    Issue.record("seed \(seed) does not end")
                    break
                }
                let worker = Int.random(in: 0..<workers, using: &random)
                guard let rest = plan.rest(of: worker) else {
                    if case .part(let part) = plan.next(for: worker) {
                        #expect(!part.isEmpty)
                        #expect(ByteRangeSet([part]).intersection(written).isEmpty, "seed \(seed)")
                        let (first, window) = (written.prefix, plan.window)
                        #expect((part.lowerBound - first) / 2 < window, "seed \(seed)")
                        #expect(part.count - minSize < window, "seed \(seed)")
                    }
                    continue
                }
                if plan.active > 1, Int.random(in: 0..<30, using: &random) == 0 {
                    #expect(plan.fail(worker) == true)
                    continue
                }
                let count = Int.random(in: 0...20, using: &random)
                let end = min(rest.lowerBound + count, rest.upperBound)
                written.insert(rest.lowerBound..<end)
                plan.advance(worker, to: end)
                if end == rest.upperBound { plan.finish(worker) }
                now = now.advanced(byNanoseconds: 100_000_000)
                _ = plan.measure(written.count, at: now)
            }
            #expect(written.ranges == [0..<total], "seed \(seed)")
        }
    }
}

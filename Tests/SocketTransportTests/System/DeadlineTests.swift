import SocketTransport
import Testing

@Suite struct DeadlineTests {
    @Test func `advancing adds nanoseconds and saturates at never`() {
        let start = Deadline(nanoseconds: 5)
        #expect(start.advanced(by: .nanoseconds(7)).nanoseconds == 12)
        #expect(start.advanced(by: .seconds(2)).nanoseconds == 2_000_000_005)
        #expect(start.advanced(by: .seconds(Int64.max)) == .never)
        #expect(start.advanced(by: .nanoseconds(Int64.max)) == .never)
        #expect(Deadline.never.advanced(by: .seconds(1)) == .never)
    }

    @Test func `a negative duration does not move a deadline`() {
        let start = Deadline(nanoseconds: 5)
        #expect(start.advanced(by: .seconds(-1)) == start)
        #expect(start.advanced(by: .milliseconds(-1)) == start)
    }

    @Test(
        arguments: [
            (5, 5, 0), (5, 9, 0), (6, 5, 1), (1_000_005, 5, 1), (1_000_006, 5, 2),
            (Int64.max - 1, 0, Int32.max), (Int64.max, 5, -1),
        ] as [(Int64, Int64, Int32)]
    )
    func `a wait is rounded up to milliseconds`(deadline: Int64, now: Int64, expected: Int32) {
        let deadline = Deadline(nanoseconds: deadline)
        #expect(deadline.milliseconds(after: Deadline(nanoseconds: now)) == expected)
    }

    @Test func `the clock never runs backwards`() {
        let first = Deadline.now()
        #expect(Deadline.now() >= first)
    }
}

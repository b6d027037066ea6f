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

    @Test func `a negative duration has passed already`() {
        let start = Deadline(nanoseconds: 5)
        #expect(start.advanced(by: .seconds(-1)) == start)
        #expect(start.advanced(by: .milliseconds(-1)) == start)
    }

    @Test func `the clock does not run backwards`() {
        let first = Deadline.now()
        #expect(Deadline.now() >= first)
    }
}

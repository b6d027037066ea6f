import SocketTransport
import Testing

@Suite struct HappyEyeballsTests {
    func address(_ literal: String) -> SocketAddress { SocketAddress(literal: literal, port: 80)! }
    func at(_ milliseconds: Int64) -> Deadline { Deadline(nanoseconds: milliseconds * 1_000_000) }

    @Test func `RFC 8305 §4: the families alternate, starting with the resolver's first`() {
        let given = ["2001:db8::1", "2001:db8::2", "192.0.2.1", "2001:db8::3", "192.0.2.2"]
        let expected = ["2001:db8::1", "192.0.2.1", "2001:db8::2", "192.0.2.2", "2001:db8::3"]
        let result = HappyEyeballs.interleaved(given.map(address)).map(\.host.description)
        #expect(result == expected)
    }

    @Test func `RFC 8305 §5: the second attempt starts 250 ms after the first`() {
        var race = HappyEyeballs(["2001:db8::1", "192.0.2.1"].map(address))
        #expect(race.next(at: at(1000)) == .start(0))
        #expect(race.next(at: at(1000)) == .wait(until: at(1250)))
        #expect(race.next(at: at(1249)) == .wait(until: at(1250)))
        #expect(race.next(at: at(1250)) == .start(1))
        #expect(race.next(at: at(1250)) == .wait(until: .never))
    }

    @Test func `a failure starts the next attempt at once`() {
        var race = HappyEyeballs(["2001:db8::1", "192.0.2.1"].map(address))
        #expect(race.next(at: at(0)) == .start(0))
        race.attemptFailed(0, .connectionRefused)
        #expect(race.next(at: at(1)) == .start(1))
        race.attemptFailed(1, .timedOut)
        #expect(race.next(at: at(2)) == .fail)
        #expect(race.failures.map(\.errno) == [.connectionRefused, .timedOut])
        #expect(race.failures.map(\.address.host.description) == ["2001:db8::1", "192.0.2.1"])
    }

    @Test func `an empty address list fails without reasons`() {
        var race = HappyEyeballs([])
        #expect(race.next(at: at(0)) == .fail)
        #expect(race.failures.isEmpty)
    }
}

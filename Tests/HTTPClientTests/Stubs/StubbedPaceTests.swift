import HTTPClient
import HTTPClientTesting
import SocketTransport
import Testing

@Suite struct StubbedPaceTests {
    @Test func `bytes are due at the configured speed, without a burst after a pause`() {
        var pace = StubbedPace(HTTPStub.Speed(bytesPerSecond: 1000))
        #expect(pace.slice == 50)
        pace.begin(at: Deadline(nanoseconds: 5))
        pace.sent(50)
        pace.sent(50)
        #expect(pace.due == Deadline(nanoseconds: 100_000_005))
        pace.begin(at: Deadline(nanoseconds: 9_000_000_000))
        pace.sent(50)
        #expect(pace.due == Deadline(nanoseconds: 9_050_000_000))
        #expect(StubbedPace(HTTPStub.Speed(bytesPerSecond: 1)).slice == 1)
    }
}

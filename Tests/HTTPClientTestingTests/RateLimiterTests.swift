import HTTPClient
import HTTPClientTesting
import SocketTransport
import Testing

@Suite struct RateLimiterTests {
    @Test func `bytes are due at the configured speed, without a burst after a pause`() {
        var limiter = RateLimiter(HTTPStub.Speed(bytesPerSecond: 1000))
        #expect(limiter.slice == 50)
        limiter.begin(at: Deadline(nanoseconds: 5))
        limiter.sent(50)
        limiter.sent(50)
        #expect(limiter.due == Deadline(nanoseconds: 100_000_005))
        limiter.begin(at: Deadline(nanoseconds: 9_000_000_000))
        limiter.sent(50)
        #expect(limiter.due == Deadline(nanoseconds: 9_050_000_000))
        #expect(RateLimiter(HTTPStub.Speed(bytesPerSecond: 1)).slice == 1)
    }
}

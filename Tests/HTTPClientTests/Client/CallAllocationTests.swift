import CAllocations
import HTTPClient
import Support
import Testing

/// Counts what a call on a connection that is open already asks of the allocator.
@Suite(
    .timeLimit(.minutes(1)),
    .enabled(if: allocations_are_counted() != 0, "a sanitizer has the allocator")
)
struct CallAllocationTests {
    private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    @Test func `a call on a kept connection allocates as little as it did without a timeline`()
        async throws
    {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        let request = HTTPRequest(origin.url)
        // A blocking call runs on one thread from its first instruction to its last.
        let count = await onThread { () -> UInt? in
            let rounds: UInt = 100
            for _ in 0..<20 { _ = try? client.sendBlocking(request) }
            let before = allocations_of_this_thread()
            for _ in 0..<rounds {
                guard let response = try? client.sendBlocking(request), response.metrics.isReused
                else { return nil }
            }
            return (allocations_of_this_thread() - before) * 10 / rounds
        }
        // 23.1 without optimisation; fewer with it.
        let tenths = try #require(count)
        #expect(tenths <= 235, "\(tenths)")
    }
}

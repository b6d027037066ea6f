import CAllocations
import ClientSupport
import HTTPClient
import Support
import Testing

/// Limits the allocations of a call on an open connection.
@Suite(
    .timeLimit(.minutes(10)),
    .enabled(if: allocations_are_counted() != 0, "a sanitizer replaces the allocator")
)
struct CallAllocationTests {
    private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    @Test func `a call on an idle connection stays within its allocation limit`()
        async throws
    {
        // 23.1 without optimization; fewer with it.
        let tenths = try #require(try await allocations())
        #expect(tenths <= 235, "\(tenths)")
    }

    @Test func `cookies, a validator and an observer add few allocations`() async throws {
        let jar = CookieJar()
        jar.set(try #require(Cookie("session", "0123456789abcdef", domain: "127.0.0.1")))
        let plain = try #require(try await allocations())
        let tenths = try #require(
            try await allocations {
                $0.cookies = .jar(jar)
                $0.validators = [HTTPDefaultValidator(accepting: .successful)]
                $0.observers = [SilentObserver()]
            }
        )
        // 11 more without optimization, 2 with it.
        #expect(tenths <= plain + 115, "\(tenths) and \(plain)")
    }

    /// Returns the average number of allocations of ten calls; nil if a call failed.
    private func allocations(
        _ change: @Sendable (inout HTTPClient.Settings) -> Void = { _ in }
    ) async throws -> UInt? {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient().with(change)
        let request = HTTPRequest(origin.url)
        // A blocking call runs entirely on one thread, so a counter of this thread sees all of it.
        return await onThread { () -> UInt? in
            let rounds: UInt = 100
            for _ in 0..<20 { _ = try? client.blocking.send(request) }
            let before = allocations_of_this_thread()
            for _ in 0..<rounds {
                guard let response = try? client.blocking.send(request), response.metrics.isReused
                else { return nil }
            }
            return (allocations_of_this_thread() - before) * 10 / rounds
        }
    }
}

private struct SilentObserver: HTTPObserver {
    func observe(_ step: HTTPStep, _ context: HTTPContext) {}
}

import ClientSupport
import HTTPTestServer
import SocketTransport
import Support
import Testing

@testable import HTTPClient
@testable import HTTPClientPolicies

@Suite(.timeLimit(.minutes(10))) struct CacheFlightTests {
    private final class Flag: Sendable {
        let isSet = Locked(false)
    }

    /// A cache that coalesces, with a server that answers when the test lets it.
    private final class Held: Sendable {
        let cache: HTTPCache
        let origin: CachedOrigin
        let client: HTTPClient
        private let gate: Flag

        init(
            _ headers: [FieldName: String] = [.cacheControl: "max-age=60"],
            coalesces: Bool = true,
            maxWait: Duration = .seconds(60)
        ) async throws {
            let cache = HTTPCache(
                store: MemoryCacheStore(.init(maxBytes: 1 << 20)),
                maxWait: maxWait
            )
            cache.coalesces = coalesces
            self.cache = cache
            let gate = Flag()
            self.gate = gate
            origin = try await CachedOrigin { request in
                while !gate.isSet.withLock({ $0 }) { await moment() }
                let isKnown = request.headers.contains(.ifNoneMatch)
                return .text(isKnown ? "" : "body", headers, status: isKnown ? .notModified : .ok)
            }
            client = origin.client { $0.cache = .cache(cache) }
        }

        /// Lets the server answer.
        func open() { gate.isSet.withLock { $0 = true } }

        /// Lets later requests wait.
        func close() { gate.isSet.withLock { $0 = false } }

        func outcome(
            _ change: (inout HTTPRequest) -> Void = { _ in }
        ) async throws -> HTTPResponse.CacheStatus.Outcome? {
            var request = HTTPRequest(origin.server.url)
            change(&request)
            return try await client.send(request).cacheStatus?.outcome
        }

        /// Waits until the server has received requests, and others wait for them.
        func reach(requests: Int, waiting: Int) async {
            while origin.count != requests || cache.flights.waiting != waiting { await moment() }
        }
    }

    @Test func `equal requests share one response`() async throws {
        let held = try await Held()
        let outcomes = try await withThrowingTaskGroup { group in
            for _ in 0..<5 { group.addTask { try await held.outcome() } }
            await held.reach(requests: 1, waiting: 4)
            held.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == .miss } == 1 && outcomes.count { $0 == .collapsed } == 4)
        #expect(held.origin.count == 1)
        let later = try await held.client.send(held.origin.server.url)
        #expect(later.cacheStatus?.outcome == .hit)
    }

    @Test(arguments: [false, true])
    func `equal requests share one validation`(isStreamed: Bool) async throws {
        let held = try await Held([.cacheControl: "max-age=10", .etag: "\"a\""])
        held.open()
        _ = try await held.outcome()
        held.close()
        held.origin.advance(11)
        let outcomes = try await withThrowingTaskGroup { group in
            for _ in 0..<5 {
                group.addTask {
                    guard isStreamed else { return try await held.outcome() }
                    let response = try await held.client.stream(held.origin.server.url)
                    #expect(try await response.body.collect() == Array("body".utf8))
                    return response.cacheStatus?.outcome
                }
            }
            await held.reach(requests: 2, waiting: 4)
            held.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == .revalidated } == 1)
        #expect(outcomes.count { $0 == .collapsed } == 4)
        #expect(held.origin.count == 2)
    }

    @Test func `the status of a request that waited names the reason`() async throws {
        let held = try await Held()
        async let first = held.outcome()
        await held.reach(requests: 1, waiting: 0)
        async let second = held.client.send(held.origin.server.url)
        await held.reach(requests: 1, waiting: 1)
        held.open()
        #expect(try await first == .miss)
        let status = try #require(try await second.cacheStatus)
        #expect(status.description == "HTTPClient; fwd=uri-miss; collapsed; ttl=60")
        #expect(status.usesStoredResponse)
    }

    @Test func `requests do not wait by default`() async throws {
        let held = try await Held(coalesces: false)
        #expect(!HTTPCache().coalesces)
        async let first = held.outcome()
        async let second = held.outcome()
        await held.reach(requests: 2, waiting: 0)
        held.open()
        #expect(try await [first, second] == [.miss, .miss])
    }

    @Test(arguments: [
        (FieldName.acceptLanguage, "de"), (.authorization, "Bearer a"), (.cookie, "a=b"),
        (.range, "bytes=0-1"), (.cacheControl, "no-store"),
    ])
    func `requests with other fields do not wait`(name: FieldName, value: String) async throws {
        let held = try await Held()
        async let first = held.outcome()
        await held.reach(requests: 1, waiting: 0)
        async let second = held.outcome { $0.headers[name] = value }
        await held.reach(requests: 2, waiting: 0)
        held.open()
        #expect(try await first == .miss)
        _ = try await second
    }

    @Test(arguments: [HTTPRequest.CacheMode.noStore, .reload, .noCache])
    func `requests that want a new response do not wait`(
        mode: HTTPRequest.CacheMode
    ) async throws {
        let held = try await Held()
        async let first = held.outcome()
        await held.reach(requests: 1, waiting: 0)
        async let second = held.outcome { $0.cacheMode = mode }
        await held.reach(requests: 2, waiting: 0)
        held.open()
        #expect(try await first == .miss)
        _ = try await second
    }

    @Test func `a response that is not stored answers one request`() async throws {
        let held = try await Held([.cacheControl: "no-store"])
        async let first = held.outcome()
        await held.reach(requests: 1, waiting: 0)
        async let second = held.outcome()
        await held.reach(requests: 1, waiting: 1)
        held.open()
        #expect(try await first == .miss)
        #expect(try await second == .miss && held.origin.count == 2)
    }

    @Test func `the end of a canceled request ends the wait`() async throws {
        let held = try await Held()
        let first = Task { try await held.outcome() }
        await held.reach(requests: 1, waiting: 0)
        async let second = held.outcome()
        await held.reach(requests: 1, waiting: 1)
        first.cancel()
        _ = await first.result
        await held.reach(requests: 2, waiting: 0)
        held.open()
        #expect(try await second == .miss)
    }

    @Test func `a canceled request stops waiting`() async throws {
        let held = try await Held()
        async let first = held.outcome()
        await held.reach(requests: 1, waiting: 0)
        let second = Task { try await held.outcome() }
        await held.reach(requests: 1, waiting: 1)
        second.cancel()
        await #expect(throws: HTTPError.self) { try await second.value }
        #expect(held.cache.flights.waiting == 0)
        held.open()
        #expect(try await first == .miss && held.origin.count == 1)
    }

    @Test func `a wait has a limit`() async throws {
        let held = try await Held(maxWait: .milliseconds(20))
        async let first = held.outcome()
        await held.reach(requests: 1, waiting: 0)
        async let second = held.outcome()
        // The second request is sent although the first has no response yet.
        await held.reach(requests: 2, waiting: 0)
        held.open()
        #expect(try await [first, second] == [.miss, .miss])
    }

    @Test func `a body that is not read ends the wait when it is released`() async throws {
        let held = try await Held()
        held.open()
        var first: HTTPStreamedResponse? = try await held.client.stream(held.origin.server.url)
        #expect(first?.cacheStatus?.outcome == .miss)
        async let second = held.outcome()
        await held.reach(requests: 1, waiting: 1)
        first = nil
        #expect(try await second == .miss && held.origin.count == 2)
    }

    @Test func `a streamed body ends the wait when it is stored`() async throws {
        let held = try await Held()
        held.open()
        let first = try await held.client.stream(held.origin.server.url)
        async let second = held.outcome()
        await held.reach(requests: 1, waiting: 1)
        #expect(try await first.body.collect() == Array("body".utf8))
        #expect(try await second == .collapsed && held.origin.count == 1)
    }

    @Test func `draining waits for the end of all validations in the background`() async throws {
        let cache = HTTPCache()
        let client = HTTPClient().with { $0.cache = .cache(cache) }
        #expect(cache.beginRevalidation(of: "a") && cache.beginRevalidation(of: "b"))
        #expect(!cache.beginRevalidation(of: "a"))
        let draining = Task { await client.pool.drain() }
        // A drain that is canceled does not wait.
        let canceled = Task { await client.pool.drain() }
        canceled.cancel()
        await canceled.value
        #expect(cache.revalidationWaiters <= 1)
        while cache.revalidationWaiters == 0 { await moment() }
        cache.endRevalidation(of: "a")
        #expect(cache.revalidationWaiters > 0)
        cache.endRevalidation(of: "b")
        await draining.value
        #expect(cache.revalidationWaiters == 0)
    }
}

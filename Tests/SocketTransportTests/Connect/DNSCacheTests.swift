import SocketTransport
import Testing

@Suite struct DNSCacheTests {
    private let hosts: [IPAddress] = [.init(v4: 0x7f00_0001)]
    private let name = HostQuery(host: "a")

    private func at(_ milliseconds: Int64) -> Deadline {
        Deadline(nanoseconds: milliseconds * 1_000_000)
    }

    private func table(entries: Int = 2) -> DNSCache {
        var options = HTTPDNSCacheOptions()
        options.maxEntries = entries
        return DNSCache(options)
    }

    /// Starts a lookup of `name` and finishes it at once.
    private func learn(
        _ name: HostQuery,
        _ answer: GetaddrinfoResolver.LookupResult,
        in table: inout DNSCache,
        at now: Deadline
    ) {
        guard case .start(let lookup, let waiter) = table.find(name, at: now) else {
            Issue.record("\(name) is already cached")
            return
        }
        let served = table.finish(name, lookup, answer, at: now)
        #expect(served == [waiter])
    }

    @Test func `simultaneous callers share one lookup`() {
        var table = table()
        #expect(table.find(name, at: at(0)) == .start(lookup: 2, waiter: 1))
        #expect(table.find(name, at: at(1)) == .join(waiter: 3))
        #expect(table.find(HostQuery(host: "b"), at: at(1)) == .start(lookup: 5, waiter: 4))
        #expect(table.finish(name, 2, .success(hosts), at: at(2)) == [1, 3])
        #expect(table.find(name, at: at(3)) == .cached(.success(hosts)))
    }

    @Test func `each address family is looked up separately`() {
        var table = table()
        learn(name, .success(hosts), in: &table, at: at(0))
        let other = HostQuery(host: "a", family: .ipv6)
        #expect(table.find(other, at: at(0)) == .start(lookup: 4, waiter: 3))
    }

    @Test(
        arguments: [
            (.success([.init(v4: 1)]), 30_000),
            (.failure(.resolveFailed(host: "a", code: -2)), 1000),
            (.failure(.resolverFailed(host: "a", reason: "")), 1000),
            (.failure(.systemFailure(call: "", .timedOut)), 0),
            (.failure(.descriptorsExhausted(.processFilesExhausted)), 0),
        ] as [(GetaddrinfoResolver.LookupResult, Int64)]
    )
    func `a lookup result is cached for its lifetime, and a local error is not cached`(
        answer: GetaddrinfoResolver.LookupResult,
        milliseconds: Int64
    ) {
        var table = table()
        learn(name, answer, in: &table, at: at(0))
        if milliseconds > 0 {
            #expect(table.find(name, at: at(milliseconds - 1)) == .cached(answer))
        }
        guard case .start = table.find(name, at: at(milliseconds)) else {
            Issue.record("the name is still cached")
            return
        }
    }

    @Test func `a full cache evicts expired entries first, then those that expire soonest`() {
        var table = table(entries: 2)
        let names = ["a", "b", "c", "d"].map { HostQuery(host: $0) }
        learn(names[0], .success(hosts), in: &table, at: at(0))
        learn(names[1], .success(hosts), in: &table, at: at(1))
        learn(names[2], .success(hosts), in: &table, at: at(2))
        #expect(table.count == 2)
        #expect(table.find(names[1], at: at(3)) == .cached(.success(hosts)))
        guard case .start = table.find(names[0], at: at(3)) else {
            Issue.record("the oldest entry was kept")
            return
        }
        learn(names[3], .success(hosts), in: &table, at: at(60_000))
        #expect(table.count == 1)
    }

    @Test func `a cache without capacity stores nothing`() {
        var table = table(entries: 0)
        learn(name, .success(hosts), in: &table, at: at(0))
        #expect(table.count == 0)
    }

    @Test func `a lookup without waiters can be canceled and started again`() {
        var table = table()
        _ = table.find(name, at: at(0))
        _ = table.find(name, at: at(0))
        let abandoned = [1, 1, 3].map { table.abandon(name, waiter: $0) }
        #expect(abandoned == [nil, nil, 2])
        table.cancel(name, 2)
        #expect(table.find(name, at: at(1)) == .start(lookup: 5, waiter: 4))
        // The canceled lookup ends later, and no caller waits for it.
        #expect(table.finish(name, 2, .success([]), at: at(2)) == [])
        #expect(table.finish(name, 5, .success(hosts), at: at(3)) == [4])
    }

    @Test func `a later caller joins an abandoned lookup that still runs`() {
        var table = table()
        _ = table.find(name, at: at(0))
        #expect(table.abandon(name, waiter: 1) == 2)
        #expect(table.find(name, at: at(1)) == .join(waiter: 3))
    }

    @Test func `an invalidated name is looked up again`() {
        var table = table()
        learn(name, .success(hosts), in: &table, at: at(0))
        table.invalidate(name)
        #expect(table.count == 0)
    }
}

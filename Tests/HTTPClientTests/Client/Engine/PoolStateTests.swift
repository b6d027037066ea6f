import HTTPClient
import SocketTransport
import Testing

@Suite struct PoolStateTests {
    private func key(_ host: String) -> PoolKey {
        PoolKey(origin: Origin(scheme: .http, host: host))
    }

    private func at(_ seconds: Int64) -> Deadline {
        Deadline(nanoseconds: seconds * 1_000_000_000)
    }

    private func pool(
        perOrigin: Int = 2,
        total: Int = 3,
        age: Duration = .seconds(600),
        uses: Int = .max
    ) -> PoolState {
        PoolState(
            limits: .init(
                perOrigin: perOrigin,
                total: total,
                idle: .seconds(30),
                age: age,
                uses: uses
            )
        )
    }

    /// Acquires a connection that has to be opened, and opens it.
    private func open(_ state: inout PoolState, _ host: String, at second: Int64 = 0) -> Int {
        let connection: Int
        switch state.acquire(key(host)) {
        case .open(let index), .evictAndOpen(_, let index): connection = index
        case let other:
            Issue.record("\(host): \(other)")
            return 0
        }
        state.opened(connection, at: at(second))
        return connection
    }

    private func assignment(_ waiter: UInt64, _ connection: Int) -> PoolState.Assignment {
        PoolState.Assignment(waiter: waiter, connection: connection)
    }

    // MARK: - Acquiring and releasing

    @Test func `a request whose connection is gone keeps its turn`() throws {
        var state = pool(perOrigin: 1)
        let connection = open(&state, "a")
        guard case .wait(let first) = state.acquire(key("a")),
            case .wait(let second) = state.acquire(key("a"))
        else {
            Issue.record("no request waits")
            return
        }
        #expect(state.release(connection, at: at(1)).lease == assignment(first, connection))
        // The peer has closed it meanwhile.
        state.reopen(connection)
        guard case .wait = state.acquire(key("a")) else {
            Issue.record("the slot is free")
            return
        }
        state.opened(connection, at: at(2))
        #expect(state.release(connection, at: at(3)).lease == assignment(second, connection))
    }

    @Test func `a slot that is reopened forgets the age, the uses and the drain of its connection`()
    {
        var state = pool(perOrigin: 1, uses: 2)
        let connection = open(&state, "a")
        guard case .wait(let waiter) = state.acquire(key("a")) else {
            Issue.record("no request waits")
            return
        }
        #expect(state.release(connection, at: at(1)).lease == assignment(waiter, connection))
        state.reopen(connection)
        state.opened(connection, at: at(900))
        #expect(state.release(connection, at: at(901)) == PoolState.Effects())
        #expect(state.acquire(key("a")) == .reuse(connection, until: at(931)))
    }

    @Test func `the newest idle connection is reused first`() {
        var state = pool(perOrigin: 3)
        let all = (0..<3).map { _ in open(&state, "a") }
        for (second, connection) in all.enumerated() {
            #expect(state.release(connection, at: at(Int64(second))) == PoolState.Effects())
        }
        #expect(state.acquire(key("a")) == .reuse(all[2], until: at(32)))
        #expect(state.acquireIdle(key("a"))?.connection == all[1])
        #expect(state.acquire(key("a")) == .reuse(all[0], until: at(30)))
        #expect(state.acquireIdle(key("a")) == nil)
    }

    @Test func `callers beyond the origin limit wait and are served in order`() {
        var state = pool(perOrigin: 1)
        let connection = open(&state, "a")
        #expect(state.acquire(key("a")) == .wait(1))
        #expect(state.acquire(key("a")) == .wait(2))
        #expect(state.release(connection, at: at(0)).lease == assignment(1, connection))
        // The first waiter's connection failed, so the second waiter opens a replacement.
        let effects = state.closed(connection)
        #expect(effects.open?.waiter == 2)
        #expect(effects.lease == nil)
        #expect(state.counts.occupied == 1)
        #expect(state.counts.waiting == 0)
    }

    @Test func `waiters of higher priority are served first, and equal ones in order`() {
        var state = pool(perOrigin: 1)
        let connection = open(&state, "a")
        for priority: Int8 in [0, -1, 0, 5, 5] {
            _ = state.acquire(key("a"), priority: priority)
        }
        let served = (0..<5).map { _ in state.release(connection, at: at(0)).lease?.waiter }
        #expect(served == [4, 5, 1, 3, 2])
    }

    @Test func `a canceled waiter is not served`() {
        var state = pool(perOrigin: 1)
        let connection = open(&state, "a")
        _ = state.acquire(key("a"))
        state.stopWaiting(1)
        state.stopWaiting(1)
        #expect(state.release(connection, at: at(0)) == PoolState.Effects())
        #expect(state.counts.idle == 1)
    }

    @Test func `a waiter for a fresh connection replaces a released connection`() {
        var state = pool(perOrigin: 1)
        let connection = open(&state, "a")
        #expect(state.acquire(key("a"), fresh: true) == .wait(1))
        #expect(state.acquire(key("a")) == .wait(2))
        let effects = state.release(connection, at: at(0))
        #expect(effects.lease == nil)
        #expect(effects.close == [connection])
        #expect(effects.open?.waiter == 1)
        let fresh = effects.open?.connection ?? 0
        state.opened(fresh, at: at(0))
        #expect(state.release(fresh, at: at(0)).lease == assignment(2, fresh))
    }

    @Test func `a fresh connection is opened next to idle ones, or replaces the oldest`() {
        var state = pool(perOrigin: 2)
        let first = open(&state, "a")
        _ = state.release(first, at: at(0))
        guard case .open(let second) = state.acquire(key("a"), fresh: true) else {
            Issue.record("the second request must not wait")
            return
        }
        state.opened(second, at: at(0))
        let lease = state.acquire(key("a"), fresh: true)
        guard case .evictAndOpen(let victim, let third) = lease else {
            Issue.record("\(lease)")
            return
        }
        #expect(victim == first)
        #expect(third != second)
        #expect(state.acquire(key("a"), fresh: true) == .wait(1))
    }

    @Test func `connections are reserved up to the limits`() {
        var state = pool(perOrigin: 2, total: 3)
        #expect(state.reserve(key("a")) != nil)
        #expect(state.reserve(key("a")) != nil)
        #expect(state.reserve(key("a")) == nil)
        #expect(state.reserve(key("b")) != nil)
        #expect(state.reserve(key("c")) == nil)
        #expect(state.originCount == 2)
    }

    // MARK: - The total limit

    @Test func `at the total limit the longest idle connection is evicted`() {
        var state = pool(perOrigin: 2, total: 2)
        let a = open(&state, "a")
        let b = open(&state, "b")
        _ = state.release(b, at: at(3))
        _ = state.release(a, at: at(5))
        let lease = state.acquire(key("c"))
        guard case .evictAndOpen(victim: b, _) = lease else {
            Issue.record("\(lease)")
            return
        }
        let next = state.acquire(key("c"))
        guard case .evictAndOpen(victim: a, _) = next else {
            Issue.record("\(next)")
            return
        }
        #expect(state.acquire(key("c")) == .wait(1))
        #expect(state.counts.idle == 0)
        #expect(state.counts.occupied == 2)
        #expect(state.originCount == 1)
    }

    @Test func `at the total limit a released connection makes room for another origin's waiter`() {
        var state = pool(perOrigin: 2, total: 1)
        let a = open(&state, "a")
        #expect(state.acquire(key("b")) == .wait(1))
        let effects = state.release(a, at: at(0))
        #expect(effects.close == [a])
        #expect(effects.open?.waiter == 1)
        #expect(state.counts.occupied == 1)
        #expect(state.originCount == 1)
    }

    @Test func `a busy origin does not starve an origin without connections`() {
        var state = pool(perOrigin: 2, total: 1)
        let a = open(&state, "a")
        #expect(state.acquire(key("a")) == .wait(1))
        #expect(state.acquire(key("b")) == .wait(2))
        #expect(state.acquire(key("a")) == .wait(3))
        // The first waiter was enqueued before the waiter of the other origin.
        #expect(state.release(a, at: at(0)).lease == assignment(1, a))
        let effects = state.release(a, at: at(1))
        #expect(effects.close == [a])
        #expect(effects.open?.waiter == 2)
        #expect(state.counts.waiting == 1)
    }

    // MARK: - Expiry

    @Test func `an idle connection expires after the idle timeout and not earlier`() {
        var state = pool(perOrigin: 3)
        let first = open(&state, "a")
        let second = open(&state, "a")
        _ = state.release(first, at: at(0))
        _ = state.release(second, at: at(10))
        #expect(state.nextExpiry == at(30))
        #expect(state.expire(at: at(29)).close.isEmpty)
        #expect(state.expire(at: at(30)).close == [first])
        #expect(state.nextExpiry == at(40))
        #expect(state.expire(at: at(99)).close == [second])
        #expect(state.nextExpiry == .never)
    }

    @Test func `a connection used again expires later`() {
        var state = pool()
        let connection = open(&state, "a")
        _ = state.release(connection, at: at(0))
        #expect(state.acquireIdle(key("a"))?.connection == connection)
        _ = state.release(connection, at: at(20))
        #expect(state.expire(at: at(30)).close.isEmpty)
        #expect(state.nextExpiry == at(50))
        #expect(state.acquireIdle(key("a"))?.connection == connection)
        // A connection that is leased when its expiry is due expires later, after its release.
        #expect(state.expire(at: at(50)).close.isEmpty)
        _ = state.release(connection, at: at(60))
        #expect(state.nextExpiry == at(90))
    }

    @Test func `the peer's keep-alive hint shortens the idle timeout and never extends it`() {
        var state = pool()
        let connection = open(&state, "a")
        _ = state.release(connection, at: at(0))
        _ = state.acquireIdle(key("a"))
        _ = state.release(connection, at: at(1), idle: 4_000_000_000)
        #expect(state.nextExpiry == at(5))
        #expect(state.acquireIdle(key("a"))?.end == at(5))
        _ = state.release(connection, at: at(2), idle: 400_000_000_000)
        #expect(state.expire(at: at(31)).close.isEmpty)
        #expect(state.expire(at: at(32)).close == [connection])
    }

    @Test func `a connection that expires because of its age is not one that was idle too long`() {
        var state = pool(age: .seconds(40))
        let (old, idle) = (open(&state, "a"), open(&state, "b"))
        _ = state.release(idle, at: at(1))
        _ = state.release(old, at: at(20))
        let first = state.expire(at: at(31))
        #expect(first.close == [idle] && first.tooOld.isEmpty)
        let second = state.expire(at: at(40))
        #expect(second.close == [old] && second.tooOld == [old])
    }

    @Test func `a reused slot is not expired by its previous connection's timer`() {
        var state = pool()
        let first = open(&state, "a")
        _ = state.release(first, at: at(0))
        _ = state.acquireIdle(key("a"))
        _ = state.closed(first)
        let second = open(&state, "b", at: 20)
        #expect(second == first)
        _ = state.release(second, at: at(20))
        #expect(state.expire(at: at(30)).close.isEmpty)
        #expect(state.expire(at: at(50)).close == [second])
    }

    @Test func `a connection beyond its maximum age is closed on release or while idle`() {
        var state = pool(age: .seconds(20))
        let busy = open(&state, "a")
        let idle = open(&state, "a")
        #expect(state.acquire(key("a")) == .wait(1))
        _ = state.release(idle, at: at(19))
        state.stopWaiting(1)
        let effects = state.release(busy, at: at(20))
        #expect(effects.close == [busy])
        _ = state.release(idle, at: at(19))
        #expect(state.expire(at: at(20)).close == [idle])
        #expect(state.originCount == 0)
    }

    @Test func `maximum ages vary, and an infinite one stays infinite`() {
        var state = pool(age: .seconds(100))
        let early = open(&state, "a")
        state.opened(early, at: at(0), variation: -0.1)
        #expect(state.release(early, at: at(90)).close == [early])
        var endless = pool(age: .seconds(Int64.max))
        let connection = open(&endless, "a")
        endless.opened(connection, at: at(0), variation: 0.1)
        #expect(endless.release(connection, at: at(1_000_000_000)).close.isEmpty)
    }

    @Test func `a connection at its maximum number of uses is closed, and a waiter opens another`()
    {
        var state = pool(perOrigin: 1, uses: 2)
        let connection = open(&state, "a")
        _ = state.release(connection, at: at(0))
        #expect(state.acquireIdle(key("a"))?.connection == connection)
        #expect(state.acquire(key("a")) == .wait(1))
        let effects = state.release(connection, at: at(0))
        #expect(effects.close == [connection])
        #expect(effects.open?.waiter == 1)
    }

    // MARK: - Eviction and draining

    @Test func `draining closes idle connections at once and busy ones on release`() {
        var state = pool(perOrigin: 2, total: 4)
        let idle = open(&state, "a")
        let busy = open(&state, "a")
        let other = open(&state, "b")
        _ = state.release(idle, at: at(0))
        let drained = state.drain(key("a").origin)
        #expect(drained.effects.close == [idle])
        #expect(drained.busy == [busy])
        #expect(state.release(busy, at: at(1)).close == [busy])
        #expect(state.release(other, at: at(1)).close == [])
        #expect(state.drain(nil).effects.close == [other])
        #expect(state.drain(nil).busy == [])
        #expect(state.originCount == 0)
    }

    @Test func `an evicted connection makes room for a waiter`() {
        var state = pool(perOrigin: 1, total: 1)
        let connection = open(&state, "a")
        #expect(state.evict(connection) == PoolState.Effects())
        #expect(state.acquire(key("b")) == .wait(1))
        let effects = state.release(connection, at: at(0))
        #expect(effects.close == [connection])
        #expect(effects.open?.waiter == 1)
    }

    @Test func `an unused origin is removed`() {
        var state = pool(perOrigin: 1, total: 2)
        for number in 0..<100 {
            let connection = open(&state, "host\(number)", at: Int64(number))
            if number % 2 == 0 {
                _ = state.closed(connection)
            } else {
                _ = state.release(connection, at: at(Int64(number)))
                #expect(state.expire(at: at(Int64(number) + 30)).close == [connection])
            }
            #expect(state.acquireIdle(key("nobody")) == nil)
            #expect(state.originCount == 0)
        }
    }

    @Test func `for lack of descriptors the longest idle connection is closed, and busy ones stay`()
    {
        var state = pool(perOrigin: 2, total: 4)
        var opened: [PoolState.ConnectionIndex] = []
        for host in ["a", "b", "c"] {
            guard case .open(let connection) = state.acquire(key(host)) else {
                Issue.record("the request must not wait")
                return
            }
            state.opened(connection, at: at(0))
            opened.append(connection)
        }
        _ = state.release(opened[1], at: at(1))
        _ = state.release(opened[0], at: at(2))
        let closed = (0..<3).map { _ in state.evictOldestIdle()?.close }
        #expect(closed == [[opened[1]], [opened[0]], nil])
        #expect(state.counts.occupied == 1)
    }
}

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

    private func pool(perOrigin: Int = 2, total: Int = 3) -> PoolState {
        PoolState(limits: .init(perOrigin: perOrigin, total: total, idle: .seconds(30)))
    }

    @Test func `the newest idle connection is reused first`() {
        var state = pool()
        let (place, first) = state.lease(key("a"))
        #expect(first == .open)
        #expect(state.lease(key("a")).lease == .open)
        _ = state.giveBack(1, to: place, at: at(0))
        _ = state.giveBack(2, to: place, at: at(1))
        #expect(state.lease(key("a")).lease == .reuse(2))
        #expect(state.lease(key("a")).lease == .reuse(1))
    }

    @Test func `beyond the limit of an origin callers wait in order and are served in order`() {
        var state = pool(perOrigin: 1)
        let (place, _) = state.lease(key("a"))
        #expect(state.lease(key("a")).lease == .wait(1))
        #expect(state.lease(key("a")).lease == .wait(2))
        let first = state.giveBack(7, to: place, at: at(0))
        #expect(first.lease?.waiter == 1)
        #expect(first.lease?.connection == 7)
        // The second waiter's connection broke: the waiter opens one in its place.
        let second = state.leasedClosed(of: place)
        #expect(second.open?.waiter == 2)
        #expect(second.lease == nil)
        #expect(state.counts.occupied == 1)
        #expect(state.counts.waiting == 0)
    }

    @Test func `who stops waiting is not served`() {
        var state = pool(perOrigin: 1)
        let (place, _) = state.lease(key("a"))
        _ = state.lease(key("a"))
        state.stopWaiting(1, for: place)
        let effects = state.giveBack(7, to: place, at: at(0))
        #expect(effects == PoolState.Effects())
        #expect(state.counts.idle == 1)
    }

    @Test func `at the total limit the longest idle connection makes room`() {
        var state = pool(perOrigin: 2, total: 2)
        let (a, _) = state.lease(key("a"))
        let (b, _) = state.lease(key("b"))
        _ = state.giveBack(1, to: a, at: at(5))
        _ = state.giveBack(2, to: b, at: at(3))
        #expect(state.lease(key("c")).lease == .evictAndOpen(2))
        #expect(state.lease(key("c")).lease == .evictAndOpen(1))
        #expect(state.lease(key("c")).lease == .wait(1))
        #expect(state.counts.idle == 0)
        #expect(state.counts.occupied == 2)
    }

    @Test func `a waiter of another origin is served by what goes idle at the total limit`() {
        var state = pool(perOrigin: 2, total: 1)
        let (a, _) = state.lease(key("a"))
        let (b, waiting) = state.lease(key("b"))
        #expect(waiting == .wait(1))
        let effects = state.giveBack(1, to: a, at: at(0))
        #expect(effects.close == [1])
        #expect(effects.open?.waiter == 1)
        #expect(effects.open?.origin == b)
        #expect(state.counts.occupied == 1)
    }

    @Test func `what has been idle too long expires, and not before`() {
        var state = pool(perOrigin: 3)
        let (place, _) = state.lease(key("a"))
        _ = state.lease(key("a"))
        _ = state.giveBack(1, to: place, at: at(0))
        _ = state.giveBack(2, to: place, at: at(10))
        #expect(state.nextExpiry == at(30))
        #expect(state.expire(at: at(29)).close.isEmpty)
        #expect(state.expire(at: at(30)).close == [1])
        #expect(state.nextExpiry == at(40))
        #expect(state.expire(at: at(99)).close == [2])
        #expect(state.nextExpiry == .never)
    }

    @Test func `an idle connection that its peer closed is forgotten once`() {
        var state = pool()
        let (place, _) = state.lease(key("a"))
        _ = state.giveBack(1, to: place, at: at(0))
        #expect(state.idleClosed(1, of: place) != nil)
        #expect(state.idleClosed(1, of: place) == nil)
        #expect(state.lease(key("a")).lease == .open)
    }

    @Test func `an origin that nobody uses any more leaves no trace`() {
        var state = pool(perOrigin: 1, total: 2)
        for number in 0..<100 {
            let (place, lease) = state.lease(key("host\(number)"))
            #expect(lease == .open)
            if number % 2 == 0 {
                _ = state.leasedClosed(of: place)
            } else {
                _ = state.giveBack(UInt64(number), to: place, at: at(Int64(number)))
                #expect(state.expire(at: at(Int64(number) + 30)).close == [UInt64(number)])
            }
            #expect(state.originCount == 0)
        }
    }

    @Test func `random use never passes a limit and never strands a waiter`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var state = pool(perOrigin: 2, total: 4)
            var leased: [(UInt64, PoolState.OriginIndex)] = []
            var waiting: [UInt64: PoolState.OriginIndex] = [:]
            var idle: Set<UInt64> = []
            var next: UInt64 = 0

            func open(_ place: PoolState.OriginIndex) {
                next += 1
                leased.append((next, place))
            }
            func perform(_ effects: PoolState.Effects, giving connection: UInt64? = nil) {
                idle.subtract(effects.close)
                if let lease = effects.lease, let place = waiting.removeValue(forKey: lease.waiter)
                {
                    #expect(lease.connection == connection)
                    leased.append((lease.connection, place))
                } else if let connection, !effects.close.contains(connection) {
                    idle.insert(connection)
                }
                if let opened = effects.open {
                    #expect(waiting.removeValue(forKey: opened.waiter) == opened.origin)
                    open(opened.origin)
                }
            }

            for second in 0..<300 {
                if leased.isEmpty || Bool.random(using: &random) {
                    let (place, lease) = state.lease(
                        key("\(Int.random(in: 0..<4, using: &random))")
                    )
                    switch lease {
                    case .reuse(let id):
                        #expect(idle.remove(id) != nil)
                        leased.append((id, place))
                    case .open: open(place)
                    case .evictAndOpen(let victim):
                        #expect(idle.remove(victim) != nil)
                        open(place)
                    case .wait(let waiter): waiting[waiter] = place
                    }
                } else {
                    let index = Int.random(in: 0..<leased.count, using: &random)
                    let (id, place) = leased.remove(at: index)
                    if Bool.random(using: &random) {
                        perform(state.giveBack(id, to: place, at: at(Int64(second))), giving: id)
                    } else {
                        perform(state.leasedClosed(of: place))
                    }
                }
                let counts = state.counts
                #expect(counts.idle == idle.count)
                #expect(counts.occupied == leased.count)
                #expect(counts.waiting == waiting.count)
                #expect(counts.idle + counts.occupied <= 4)
            }
            // Whoever still waits is served as the leased connections come back.
            while let (id, place) = leased.popLast() {
                perform(state.giveBack(id, to: place, at: at(999)), giving: id)
            }
            #expect(waiting.isEmpty)
        }
    }
}

import HTTPClient
import SocketTransport
import Support
import Testing

/// A model that sends random events to a ``PoolState`` and checks its invariants.
struct PoolModel {
    private var random: SeededGenerator
    private var state: PoolState
    private let limits: PoolState.Limits
    private var now: Int64 = 0

    private enum Phase {
        case connecting
        case leased
        case idle
    }

    private struct KnownConnection {
        var origin: Int
        var phase: Phase
        var uses = 0
    }

    private var connections: [Int: KnownConnection] = [:]
    private var waiting: [UInt64: (origin: Int, priority: Int8, fresh: Bool)] = [:]
    private(set) var served = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        limits = PoolState.Limits(
            perOrigin: Int.random(in: 1...3, using: &random),
            total: Int.random(in: 1...5, using: &random),
            idle: .seconds(30),
            age: .seconds(Int64.random(in: 20...300, using: &random)),
            uses: Bool.random(using: &random) ? .max : Int.random(in: 1...5, using: &random)
        )
        state = PoolState(limits: limits)
    }

    struct Broken: Error {
        let what: String
    }

    private func require(_ isTrue: Bool, _ what: @autoclosure () -> String) throws {
        guard isTrue else { throw Broken(what: what()) }
    }

    private func key(_ origin: Int) -> PoolKey {
        PoolKey(origin: Origin(scheme: .http, host: "host\(origin)"))
    }

    private var clock: Deadline { Deadline(nanoseconds: now * 1_000_000_000) }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            try step()
            try check()
        }
        // Releasing all connections must serve all waiters.
        while let busy = connections.first(where: { $0.value.phase != .idle }) {
            if busy.value.phase == .connecting { try opened(busy.key) }
            try release(busy.key)
            try check()
            guard served < 1_000_000 else { throw Broken(what: "the pool serves without end") }
        }
        try require(waiting.isEmpty, "a waiter is left although no connection is busy")
    }

    private mutating func step() throws {
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3: try acquire(fresh: false)
        case 4: try acquire(fresh: true)
        case 5:
            if let connecting = any(.connecting) { try opened(connecting) }
        case 6, 7:
            if let leased = any(.leased) { try release(leased) }
        case 8:
            let gone = connections.keys.sorted().randomElement(using: &random)
            if let gone {
                let wasIdle = connections[gone]?.phase == .idle
                connections[gone] = nil
                try perform(state.closed(gone), "closed \(wasIdle)")
            }
        case 9:
            if let waiter = waiting.keys.sorted().randomElement(using: &random) {
                waiting[waiter] = nil
                state.stopWaiting(waiter)
            }
        case 10:
            now += Int64.random(in: 0...20, using: &random)
            try perform(state.expire(at: clock), "expire")
        default:
            if Int.random(in: 0..<10, using: &random) == 0 {
                try perform(state.drain(nil).effects, "drain")
            } else if let idle = any(.idle) {
                try perform(state.evict(idle), "evict")
            }
        }
    }

    private mutating func any(_ phase: Phase) -> Int? {
        connections.filter { $0.value.phase == phase }.keys.sorted().randomElement(using: &random)
    }

    private mutating func acquire(fresh: Bool) throws {
        let origin = Int.random(in: 0..<4, using: &random)
        let priority = Int8.random(in: -1...1, using: &random)
        switch state.acquire(key(origin), fresh: fresh, priority: priority) {
        case .reuse(let index, _):
            try require(!fresh, "a used connection for a fresh request")
            let known = connections[index]
            try require(known?.origin == origin && known?.phase == .idle, "reuse of \(index)")
            connections[index]?.phase = .leased
            connections[index]?.uses += 1
        case .open(let index):
            try add(index, origin)
        case .evictAndOpen(let victim, let index):
            try require(connections[victim]?.phase == .idle, "eviction of a busy connection")
            connections[victim] = nil
            try add(index, origin)
        case .wait(let waiter):
            waiting[waiter] = (origin, priority, fresh)
        }
    }

    private mutating func add(_ index: Int, _ origin: Int) throws {
        try require(connections[index] == nil, "index \(index) is used twice")
        connections[index] = KnownConnection(origin: origin, phase: .connecting)
    }

    private mutating func opened(_ index: Int) throws {
        state.opened(index, at: clock, variation: Double.random(in: -0.1...0.1, using: &random))
        connections[index]?.phase = .leased
        connections[index]?.uses = 1
    }

    private mutating func release(_ index: Int) throws {
        let hint = Bool.random(using: &random) ? nil : Int64.random(in: 1...40, using: &random)
        let effects = state.release(index, at: clock, idle: hint.map { $0 * 1_000_000_000 })
        served += 1
        connections[index]?.phase = .idle
        try perform(effects, "release")
    }

    private mutating func perform(_ effects: PoolState.Effects, _ event: String) throws {
        for index in effects.close {
            try require(connections[index]?.phase == .idle, "\(event) closes \(index)")
            connections[index] = nil
        }
        if let lease = effects.lease {
            let waiter = waiting.removeValue(forKey: lease.waiter)
            try require(waiter != nil, "\(event) serves an unknown waiter")
            try require(waiter?.fresh == false, "a used connection for a fresh waiter")
            try require(waiter?.origin == connections[lease.connection]?.origin, "another origin")
            for other in waiting.values where other.origin == waiter?.origin {
                try require(other.priority <= waiter?.priority ?? 0, "a higher priority is left")
            }
            connections[lease.connection]?.phase = .leased
            connections[lease.connection]?.uses += 1
        }
        if let open = effects.open {
            guard let waiter = waiting.removeValue(forKey: open.waiter) else {
                throw Broken(what: "\(event) opens for an unknown waiter")
            }
            try add(open.connection, waiter.origin)
        }
    }

    private func check() throws {
        try require(connections.count <= limits.total, "more connections than the total limit")
        for origin in 0..<4 {
            let own = connections.values.filter { $0.origin == origin }
            try require(own.count <= limits.perOrigin, "more connections than the origin limit")
            let waits = waiting.values.contains { $0.origin == origin }
            let hasRoom = own.count < limits.perOrigin && connections.count < limits.total
            try require(!waits || !hasRoom, "a waiter is left although there is room")
            let idle = own.filter { $0.phase == .idle }.count
            try require(!waits || idle == 0, "a waiter is left beside an idle connection")
        }
        for known in connections.values where known.phase == .leased {
            try require(known.uses <= limits.uses, "used more often than allowed")
        }
        let counts = state.counts
        try require(counts.waiting == waiting.count, "wrong waiter count")
        try require(counts.idle + counts.occupied == connections.count, "wrong connection count")
        if counts.idle + counts.occupied + counts.waiting == 0 {
            try require(state.originCount == 0, "an unused origin stays")
        }
    }
}

@Suite struct PoolModelTests {
    @Test func `random pool operations keep the limits and leave no waiter stranded`() {
        for seed: UInt64 in 0..<2000 {
            var model = PoolModel(seed: seed)
            do {
                try model.run(steps: 120)
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
    }
}

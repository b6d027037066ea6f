import HTTPClient
import Testing

@Suite struct QueueStateTests {
    @Test func `requests up to the limit are admitted, and the others wait`() {
        var state = QueueState(limit: 2)
        let entries = (0..<4).map { _ in state.enter(priority: 0) }
        #expect(entries.map(\.isAdmitted) == [true, true, false, false])
        #expect(state.running.count == 2)
        #expect(state.waitingCount == 2)
        #expect(state.release(entries[0].id) == [entries[2].id])
        #expect(state.release(entries[0].id) == [])
        #expect(state.release(entries[3].id) == [])
        #expect(state.release(entries[1].id) == [entries[3].id])
    }

    @Test func `higher priorities go first, and equal ones in order`() {
        var state = QueueState(limit: 1)
        var running = state.enter(priority: -128).id
        let priorities: [Int8] = [0, 5, -3, 5, 0, 127]
        let ids = priorities.map { state.enter(priority: $0).id }
        var order: [Int] = []
        while let next = state.release(running).first {
            order.append(ids.firstIndex(of: next) ?? -1)
            running = next
        }
        #expect(order == [5, 1, 3, 0, 4, 2])
    }

    @Test func `a higher limit admits more, and a lower one applies as requests end`() {
        var state = QueueState(limit: 1)
        let ids = (0..<5).map { _ in state.enter(priority: 0).id }
        #expect(state.setLimit(3) == [ids[1], ids[2]])
        #expect(state.setLimit(1) == [])
        #expect(state.release(ids[0]) == [])
        #expect(state.release(ids[1]) == [])
        #expect(state.release(ids[2]) == [ids[3]])
        #expect(state.setLimit(0) == [])
        #expect(state.limit == 1)
    }

    @Test func `a suspended queue admits no request`() {
        var state = QueueState(limit: 2)
        let first = state.enter(priority: 0)
        state.suspend()
        let second = state.enter(priority: 0)
        #expect(!second.isAdmitted)
        #expect(state.release(first.id) == [])
        #expect(state.setLimit(9) == [])
        #expect(state.isSuspended)
        #expect(state.resume() == [second.id])
        #expect(!state.isSuspended)
    }

    @Test func `a canceled request no longer waits`() {
        var state = QueueState(limit: 1)
        let ids = (0..<3).map { _ in state.enter(priority: 0).id }
        #expect(state.cancel(ids[1]) == true)
        #expect(state.cancel(ids[1]) == false)
        #expect(state.cancel(ids[0]) == false)
        #expect(state.release(ids[0]) == [ids[2]])
    }

    @Test func `clearing removes waiting requests and returns running ones`() {
        var state = QueueState(limit: 2)
        let ids = (0..<4).map { state.enter(priority: Int8($0)).id }
        let members = state.clear()
        #expect(members.waiting == [ids[3], ids[2]])
        #expect(members.running == [ids[0], ids[1]])
        #expect(state.waitingCount == 0)
        #expect(state.release(ids[0]) == [])
        #expect(state.enter(priority: 0).isAdmitted)
    }

    @Test func `random operations never exceed the limit`() {
        var random = SystemRandomNumberGenerator()
        var state = QueueState(limit: 3)
        var (waiting, running): (Set<UInt64>, Set<UInt64>) = ([], [])
        func admitted(_ ids: [UInt64]) {
            for id in ids {
                #expect(waiting.remove(id) != nil)
                running.insert(id)
            }
        }
        for _ in 0..<5000 {
            switch Int.random(in: 0..<7, using: &random) {
            case 0, 1, 2:
                let entry = state.enter(priority: Int8.random(in: -2...2, using: &random))
                if entry.isAdmitted { running.insert(entry.id) } else { waiting.insert(entry.id) }
            case 3:
                guard let id = running.min() else { continue }
                running.remove(id)
                admitted(state.release(id))
            case 4:
                guard let id = waiting.min() else { continue }
                #expect(state.cancel(id) == true)
                waiting.remove(id)
            case 5:
                let limit = Int.random(in: 1...5, using: &random)
                let before = running.count
                admitted(state.setLimit(limit))
                #expect(running.count <= max(limit, before))
            default:
                if state.isSuspended { admitted(state.resume()) } else { state.suspend() }
            }
            #expect(state.running == running)
            #expect(state.waitingCount == waiting.count)
            if !state.isSuspended, running.count < state.limit { #expect(waiting.isEmpty) }
        }
    }
}

import SocketTransport
import Testing

@Suite struct TimerQueueTests {
    final class Target: TimerTarget {
        let name: Int
        init(_ name: Int) { self.name = name }
        func timerFired(now: Deadline) {}
    }

    /// Removes all expired timers and returns their names in order.
    func fired(_ queue: inout TimerQueue, at now: Int64) -> [Int] {
        var names: [Int] = []
        while let target = queue.popExpired(at: Deadline(nanoseconds: now)) {
            names.append((target as? Target)?.name ?? -1)
        }
        return names
    }

    @Test func `timers fire in the order of their deadlines`() {
        var queue = TimerQueue()
        for deadline in [50, 10, 40, 20, 30] {
            _ = queue.add(Target(deadline), at: Deadline(nanoseconds: Int64(deadline)))
        }
        #expect(queue.earliest == Deadline(nanoseconds: 10))
        #expect(fired(&queue, at: 30) == [10, 20, 30])
        #expect(fired(&queue, at: 49) == [40])
        #expect(fired(&queue, at: 50) == [50])
        #expect(queue.earliest == .never)
    }

    @Test func `a removed timer never fires, and a moved one fires at its new time`() {
        var queue = TimerQueue()
        let removed = queue.add(Target(1), at: Deadline(nanoseconds: 1))
        let later = queue.add(Target(2), at: Deadline(nanoseconds: 2))
        let sooner = queue.add(Target(3), at: Deadline(nanoseconds: 9))
        queue.remove(removed)
        queue.move(later, to: Deadline(nanoseconds: 8))
        queue.move(sooner, to: Deadline(nanoseconds: 4))
        #expect(fired(&queue, at: 7) == [3])
        #expect(fired(&queue, at: 100) == [2])
    }

    @Test func `a thousand random operations agree with a sorted list`() {
        var random = SystemRandomNumberGenerator()
        var queue = TimerQueue()
        var model: [Int: (deadline: Int64, handle: TimerHandle)] = [:]
        for name in 0..<1000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let deadline = Int64.random(in: 0..<500, using: &random)
                let handle = queue.add(Target(name), at: Deadline(nanoseconds: deadline))
                model[name] = (deadline, handle)
            case 2:
                guard let (key, entry) = model.randomElement(using: &random) else { continue }
                queue.remove(entry.handle)
                model[key] = nil
            default:
                guard let (key, entry) = model.randomElement(using: &random) else { continue }
                let deadline = Int64.random(in: 0..<500, using: &random)
                queue.move(entry.handle, to: Deadline(nanoseconds: deadline))
                model[key] = (deadline, entry.handle)
            }
            #expect(queue.count == model.count)
            #expect(queue.earliest.nanoseconds == model.values.map(\.deadline).min() ?? .max)
        }
        let expected = model.sorted { $0.value.deadline < $1.value.deadline }
        let deadlines = fired(&queue, at: 500).map { model[$0]?.deadline }
        #expect(deadlines == expected.map(\.value.deadline))
    }
}

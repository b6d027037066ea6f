import HTTPClient
import SocketTransport
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct TaskLockTests {
    /// A number that tasks change only while they hold the lock; a race would lose changes.
    private final class Guarded: @unchecked Sendable {
        let lock = TaskLock()
        var value = 0

        func increment() async {
            await lock.acquire()
            let old = value
            // Others run in the meantime.
            await Task.yield()
            value = old + 1
            lock.release()
        }

        /// Increments without giving up the thread, so that the lock is often passed on while a task begins to wait.
        func incrementAtOnce() async {
            await lock.acquire()
            value += 1
            lock.release()
        }
    }

    @Test(arguments: [false, true])
    func `one task at a time holds the lock`(yields: Bool) async {
        let guarded = Guarded()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<250 {
                        if yields {
                            await guarded.increment()
                        } else {
                            await guarded.incrementAtOnce()
                        }
                    }
                }
            }
        }
        await guarded.lock.acquire()
        #expect(guarded.value == 2000)
    }

    @Test func `tasks get the lock in the order in which they asked for it`() async {
        let lock = TaskLock()
        let order = Locked<[Int]>([])
        await lock.acquire()
        var tasks: [Task<Void, Never>] = []
        for number in 0..<10 {
            // The task asks for the lock before this function goes on.
            tasks.append(
                Task.immediate { @Sendable in
                    await lock.acquire()
                    order.withLock { $0.append(number) }
                    lock.release()
                }
            )
        }
        #expect(order.withLock { $0.isEmpty })
        lock.release()
        for task in tasks { await task.value }
        #expect(order.withLock { $0 } == Array(0..<10))
    }
}

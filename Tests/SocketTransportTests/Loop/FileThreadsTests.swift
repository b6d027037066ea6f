import SocketTransport
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct FileThreadsTests {
    /// A wait that blocks its thread, as a slow disk does.
    private final class Stall: Sendable {
        private let event = Gate()
        private let entered = Locked(0)

        var count: Int { entered.withLock { $0 } }

        func wait() {
            entered.withLock { $0 += 1 }
            event.block()
        }

        func end() { event.open() }
    }

    private func run<Value: Sendable>(
        on threads: FileThreads,
        _ body: @escaping @Sendable () -> Value
    ) -> Task<Value, Never> {
        Task(executorPreference: threads) { body() }
    }

    @Test func `jobs run on threads that end with the executor`() async {
        let threads = FileThreads()
        #expect(threads.threadCount == 0)
        for number in 0..<20 {
            #expect(await run(on: threads) { number }.value == number)
            // A job can come before the thread of the one before it is idle.
            #expect((1...FileThreads.maxThreads).contains(threads.threadCount))
        }
        threads.stop()
        while threads.threadCount > 0 { await moment() }
        // A late job still runs, elsewhere.
        #expect(await run(on: threads) { threads.threadCount }.value == 0)
    }

    @Test func `jobs that block delay no others while a thread is left`() async {
        let threads = FileThreads()
        defer { threads.stop() }
        let stall = Stall()
        let blocked = (1..<FileThreads.maxThreads).map { _ in run(on: threads) { stall.wait() } }
        while stall.count < blocked.count { await moment() }
        for number in 0..<100 {
            #expect(await run(on: threads) { number }.value == number)
        }
        stall.end()
        for task in blocked { await task.value }
    }

    @Test func `there are never more threads than the maximum, and jobs wait in their order`() async
    {
        let threads = FileThreads()
        defer { threads.stop() }
        let stall = Stall()
        let blocked = (0..<FileThreads.maxThreads).map { _ in run(on: threads) { stall.wait() } }
        while stall.count < blocked.count { await moment() }
        let order = Locked<[Int]>([])
        let waiting = (0..<20).map { number in
            run(on: threads) { order.withLock { $0.append(number) } }
        }
        #expect(threads.threadCount == FileThreads.maxThreads)
        #expect(order.withLock { $0 } == [])
        stall.end()
        for task in blocked + waiting { await task.value }
        #expect(threads.threadCount <= FileThreads.maxThreads)
        #expect(order.withLock { $0.sorted() } == Array(0..<20))
    }

    @Test func `a thread that is released early takes the next job`() async {
        let threads = FileThreads()
        defer { threads.stop() }
        let isReleased = Locked(false)
        let mayEnd = Gate()
        let first = run(on: threads) {
            threads.releaseEarly()
            isReleased.withLock { $0 = true }
            mayEnd.block()
        }
        while !isReleased.withLock({ $0 }) { await moment() }
        let second = run(on: threads) { 2 }
        #expect(threads.threadCount == 1)
        mayEnd.open()
        await first.value
        #expect(await second.value == 2)
        #expect(threads.threadCount == 1)
        // Neither a thread that is busy nor one of others is released.
        threads.releaseEarly()
        #expect(!threads.isCurrent)
        #expect(await run(on: threads) { threads.isCurrent }.value)
    }

    @Test func `a thread without a job ends, and the next job starts another one`() async {
        let threads = FileThreads(idleTime: 1)
        defer { threads.stop() }
        for round in 0..<20 {
            #expect(await run(on: threads) { round }.value == round)
            while threads.threadCount > 0 { await moment() }
        }
    }

    @Test func `queued jobs run although the executor is stopped`() async {
        let threads = FileThreads()
        let stall = Stall()
        let blocked = (0..<FileThreads.maxThreads).map { _ in run(on: threads) { stall.wait() } }
        while stall.count < blocked.count { await moment() }
        let waiting = (0..<20).map { number in run(on: threads) { number } }
        threads.stop()
        stall.end()
        for (number, task) in waiting.enumerated() { #expect(await task.value == number) }
        for task in blocked { await task.value }
        while threads.threadCount > 0 { await moment() }
    }

    @Test func `tasks that change between a loop and the threads lose no step`() async {
        let (loop, threads) = (EventLoop.threaded(), FileThreads(idleTime: 1))
        defer {
            loop.stop()
            threads.stop()
        }
        let total = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<30 {
                group.addTask {
                    var sum = 0
                    for number in 0..<100 {
                        sum += await Task(executorPreference: threads) { number }.value
                        sum -= await Task(executorPreference: loop) { 1 }.value
                    }
                    return sum
                }
            }
            return await group.reduce(0, +)
        }
        #expect(total == 30 * (4950 - 100))
    }
}

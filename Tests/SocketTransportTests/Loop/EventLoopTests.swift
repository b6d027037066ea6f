private import Glibc
import SocketTransport
import Support
import Testing

@Suite struct EventLoopTests {
    @Test func `a task that prefers the loop runs on its thread, then returns to its own executor`()
        async
    {
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        #expect(!loop.isCurrent)
        let wasCurrent = await withTaskExecutorPreference(loop) { await isOn(loop) }
        #expect(wasCurrent)
        #expect(!loop.isCurrent)
    }

    @Test func `ten thousand hops from many tasks all complete`() async {
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        let hops = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    var arrived = 0
                    for _ in 0..<100 {
                        let isThere = await withTaskExecutorPreference(loop) { await isOn(loop) }
                        arrived += isThere ? 1 : 0
                    }
                    return arrived
                }
            }
            return await group.reduce(0, +)
        }
        #expect(hops == 10_000)
    }

    @Test func `a timer fires on the loop and not early`() async throws {
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        let start = Deadline.now()
        let bound = start.advanced(by: .milliseconds(20))
        await withTaskExecutorPreference(loop) { await waitUntil(bound, on: loop) }
        #expect(Deadline.now() >= bound)
    }

    @Test func `a job queued after the stop still runs, on another thread`() async {
        let loop = EventLoop.threaded()
        await withTaskExecutorPreference(loop) { _ = await isOn(loop) }
        loop.stop()
        var wasCurrent = true
        // Stopping takes a moment; jobs must run before, during and after it.
        for _ in 0..<1000 where wasCurrent {
            wasCurrent = await withTaskExecutorPreference(loop) { await isOn(loop) }
        }
        let later = await withTaskExecutorPreference(loop) { 7 }
        #expect(later == 7)
    }

    @Test func `a loop that was never used stops without starting a thread`() {
        let loop = EventLoop.threaded()
        let ran = Locked(false)
        loop.stop { ran.withLock { $0 = true } }
        let hasRun = ran.withLock { $0 }
        #expect(hasRun)
    }

    @Test func `driving runs an async operation on the calling thread`() throws {
        let loop = EventLoop.callerDriven()
        defer { loop.stop() }
        for expected in 0..<3 {
            let value = try loop.drive {
                await Task.yield()
                return loop.isCurrent ? expected : -1
            }
            #expect(value == expected)
        }
    }

    @Test func `driving waits for work of other executors`() throws {
        let loop = EventLoop.callerDriven()
        defer { loop.stop() }
        let value = try loop.drive {
            await Task.detached { 42 }.value
        }
        #expect(value == 42)
    }

    @Test func `stopping a driven loop ends a task that waits for a socket`() async throws {
        let loop = EventLoop.callerDriven()
        let waiting = try waitingTask(on: loop)
        loop.stop()
        #expect(await waiting.value)
    }

    /// Drives the loop until a task waits on it; the task returns whether its wait failed.
    private func waitingTask(on loop: EventLoop) throws -> Task<Bool, Never> {
        try loop.drive {
            let task = Task(executorPreference: loop) {
                guard let (near, far) = try? SocketStream.pair(on: loop) else { return false }
                defer { far.close() }
                return (try? await near.wait(for: .readable, until: .never)) == nil
            }
            await Task.yield()
            return task
        }
    }

    #if DEBUG
    @Test func `a loop that was idle for long measures a timer from the current time`() throws {
        let loop = EventLoop.callerDriven()
        defer { loop.stop() }
        // The loop's last pass is a minute ago. If the wait were measured from it, it would end a minute late.
        let start = Deadline.now()
        SimulatedTime.now = start.advanced(by: .seconds(-60))
        try loop.drive { await Task.yield() }
        SimulatedTime.now = nil
        try loop.drive { await waitUntil(.now().advanced(by: .milliseconds(1)), on: loop) }
        #expect(Deadline.now() < start.advanced(by: .seconds(60)))
    }
    #endif

    // MARK: - Known idle sockets

    @Test func `a driven loop knows of pending input only after its first poll`() throws {
        let loop = EventLoop.callerDriven()
        defer { loop.stop() }
        for _ in 0..<2 {
            let known = try loop.drive {
                let before = isKnownIdle(loop, after: .zero)
                await waitUntil(.now().advanced(by: .milliseconds(1)), on: loop)
                return [before, isKnownIdle(loop, after: .zero)]
            }
            #expect(known == [false, true])
        }
    }

    @Test func `the result of a poll is valid for one millisecond`() throws {
        let loop = EventLoop.callerDriven()
        defer { loop.stop() }
        let known = try loop.drive {
            await waitUntil(.now().advanced(by: .milliseconds(1)), on: loop)
            return [1000, 1001].map { isKnownIdle(loop, after: .microseconds($0)) }
        }
        #expect(known == [true, false])
    }

    // MARK: - Inline runs

    @Test func `a job runs inline on the thread that offered it while the loop sleeps`() async {
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        var visits = 0
        // The loop needs a moment to fall asleep, and another task may use the offer first.
        for _ in 0..<100_000 where visits < 10 {
            visits += await ranInline(loop) ? 1 : 0
        }
        #expect(visits == 10)
    }

    @Test func `an action runs inline while the loop sleeps, and its work wakes the loop`() async {
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        #expect(!loop.runInline { Issue.record("the loop has not started") })
        for _ in 0..<200 {
            await withTaskExecutorPreference(loop) { await waitAMoment(on: loop) }
            await withCheckedContinuation { continuation in
                let isCurrent = Locked(false)
                while !loop.runInline({
                    isCurrent.withLock { $0 = loop.isCurrent && loop.isRunningInline }
                    Task(executorPreference: loop) { continuation.resume() }
                }) {}
                #expect(isCurrent.withLock { $0 })
                #expect(!loop.isCurrent)
            }
        }
    }

    @Test func `no action runs inline while the loop works`() async {
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        let (hasBegun, mayEnd) = (Gate(), Gate())
        loop.post {
            hasBegun.open()
            mayEnd.block()
        }
        hasBegun.block()
        for _ in 0..<100 { #expect(!loop.runInline { Issue.record("the loop works") }) }
        mayEnd.open()
    }

    @Test func `a job is not run inline without an offer`() async {
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        for _ in 0..<1000 {
            let caller = ThreadName.current
            let runner = await withTaskExecutorPreference(loop) { await threadName() }
            #expect(runner != caller)
        }
    }

    @Test func `work left by an inline run wakes the loop`() async {
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        // The loop has no timer and no descriptor, so without a wake-up it would sleep forever.
        for _ in 0..<200 {
            loop.offerInlineRun()
            await withTaskExecutorPreference(loop) { await waitAMoment(on: loop) }
            loop.offerInlineRun()
            let sum = await withTaskExecutorPreference(loop) { await sumOfChildren(on: loop) }
            #expect(sum == 3)
        }
    }

    @Test func `inline runs and the loop's thread never run at the same time`() async {
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        let tally = LoopBound(Tally(), on: loop)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<2000 {
                        loop.offerInlineRun()
                        await withTaskExecutorPreference(loop) { await increment(tally, loop) }
                    }
                }
            }
        }
        let count = await withTaskExecutorPreference(loop) { await read(tally) }
        #expect(count == 32_000)
    }

    @Test func `a task that released the loop early can hop back to it`() async {
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        let wasCurrent = await Task(executorPreference: loop) {
            var wasCurrent = [loop.isCurrent]
            _ = await leaving(loop)
            wasCurrent.append(loop.isCurrent)
            await loop.hopToLoop()
            return wasCurrent + [loop.isCurrent]
        }.value
        #expect(wasCurrent == [true, false, true])
    }

    @Test func `hopping to a stopped loop returns`() async {
        let loop = EventLoop.threaded()
        loop.stop()
        await loop.hopToLoop()
        #expect(!loop.isCurrent)
    }

    @Test func `inline runs during the stop all end, and the loop stops`() async {
        for _ in 0..<200 {
            let loop = EventLoop.threaded()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        for _ in 0..<5 {
                            loop.offerInlineRun()
                            await withTaskExecutorPreference(loop) { _ = await leaving(loop) }
                        }
                    }
                }
                group.addTask { loop.stop() }
            }
            while !loop.hasStopped { await moment() }
        }
    }
}

/// Returns whether a socket that becomes idle now is known to be idle after `time`.
private func isKnownIdle(_ loop: EventLoop, after time: Duration) -> Bool {
    let now = Deadline.now()
    return loop.isKnownIdle(since: now, at: now.advanced(by: time))
}

/// Returns whether an offered job ran inline, on the thread that queued it.
private func ranInline(_ loop: EventLoop) async -> Bool {
    let caller = ThreadName.current
    loop.offerInlineRun()
    return await withTaskExecutorPreference(loop) { await leaving(loop) } == caller
}

/// Returns the thread that it runs on, and releases the loop early.
@concurrent private func leaving(_ loop: EventLoop) async -> ThreadName {
    loop.cancelInlineOffer()
    let name = ThreadName.current
    loop.releaseEarly()
    return name
}

@concurrent private func threadName() async -> ThreadName { .current }

@concurrent private func waitAMoment(on loop: EventLoop) async {
    loop.cancelInlineOffer()
    await waitUntil(.now().advanced(by: .microseconds(10)), on: loop)
    loop.releaseEarly()
}

/// Queues two jobs on the loop and waits for them.
@concurrent private func sumOfChildren(on loop: EventLoop) async -> Int {
    loop.cancelInlineOffer()
    async let first = child(on: loop)
    async let second = child(on: loop)
    let sum = await first + second + (loop.isCurrent ? 1 : 0)
    loop.releaseEarly()
    return sum
}

@concurrent private func child(on loop: EventLoop) async -> Int { loop.isCurrent ? 1 : 0 }

/// State that only the loop may use; ThreadSanitizer reports a second thread.
private final class Tally {
    var count = 0
}

@concurrent private func increment(_ tally: LoopBound<Tally>, _ loop: EventLoop) async {
    loop.cancelInlineOffer()
    tally.value.count += 1
    await Task.yield()
    tally.value.count += 1
    loop.releaseEarly()
}

@concurrent private func read(_ tally: LoopBound<Tally>) async -> Int { tally.value.count }

@concurrent func isOn(_ loop: EventLoop) async -> Bool { loop.isCurrent }

@concurrent func waitUntil(_ deadline: Deadline, on loop: EventLoop) async {
    let suspension = Suspension<Void>(on: loop, phase: .read)
    await #expect(throws: TransportError.timedOut(.read)) {
        try await suspension.wait(until: deadline)
    }
}

/// The identity of a thread.
private struct ThreadName: Equatable, Sendable {
    private let number = UInt(pthread_self())

    static var current: ThreadName { ThreadName() }
}

import SocketTransport
import Testing

@Suite struct EventLoopTests {
    @Test func `a task that prefers the loop runs on its thread and comes back`() async {
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        #expect(!loop.isCurrent)
        let wasCurrent = await withTaskExecutorPreference(loop) { await isOn(loop) }
        #expect(wasCurrent)
        #expect(!loop.isCurrent)
    }

    @Test func `ten thousand hops from many tasks all arrive`() async {
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

    @Test func `a timer fires on the loop, not before its time`() async throws {
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        let start = Deadline.now()
        let bound = start.advanced(by: .milliseconds(20))
        await withTaskExecutorPreference(loop) { await waitUntil(bound, on: loop) }
        #expect(Deadline.now() >= bound)
    }

    @Test func `a job that comes after the stop still runs, elsewhere`() async {
        let loop = EventLoop.threaded()
        await withTaskExecutorPreference(loop) { _ = await isOn(loop) }
        loop.stop()
        var wasCurrent = true
        // Stopping takes a moment; jobs must run before, during and after.
        for _ in 0..<1000 where wasCurrent {
            wasCurrent = await withTaskExecutorPreference(loop) { await isOn(loop) }
        }
        let later = await withTaskExecutorPreference(loop) { 7 }
        #expect(later == 7)
    }

    @Test func `a loop that was never used stops without having started`() {
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

    @Test func `driving waits for what other executors resume`() throws {
        let loop = EventLoop.callerDriven()
        defer { loop.stop() }
        let value = try loop.drive {
            await Task.detached { 42 }.value
        }
        #expect(value == 42)
    }
}

@concurrent func isOn(_ loop: EventLoop) async -> Bool { loop.isCurrent }

@concurrent func waitUntil(_ deadline: Deadline, on loop: EventLoop) async {
    let suspension = Suspension<Void>(on: loop, phase: .read)
    await #expect(throws: TransportError.timedOut(.read)) {
        try await suspension.wait(until: deadline)
    }
}

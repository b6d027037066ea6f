private import Glibc
private import Synchronization

/// Runs Swift jobs, socket readiness and timers on one thread (it is a `TaskExecutor`).
///
/// A task that prefers this executor runs here whenever it is not suspended, so the state of a
/// connection needs no lock. Two ways to drive it:
///
/// - ``threaded()``: a thread of its own, started by the first job and ended by ``stop()``.
/// - ``callerDriven()``: whichever thread calls ``drive(_:)`` runs it until the operation is done.
///
/// Nothing on the loop may block or compute for long: every connection waits meanwhile.
package final class EventLoop: TaskExecutor, @unchecked Sendable {
    // Sendable because `remote`, `sleeping`, `remoteCount` and `runner` synchronise themselves,
    // `poller` is set before the thread that reads it starts, and all the rest is touched only by
    // the thread that drives the loop (`isCurrent`).
    // For that reason the runtime need not look for overlapping accesses: of another thread there is
    // none, and nothing that these queues and tables call while they change comes back to them.
    private enum Drive {
        case ownThread
        case caller
    }

    private enum Life {
        /// No thread: not started yet, or nobody drives.
        case idle
        case running
        /// Runs what is queued, then ends.
        case stopping
        /// Ended: late jobs go to the global executor.
        case stopped
    }

    private struct Remote {
        var life = Life.idle
        var jobs = JobQueue()
        var actions: [@Sendable () -> Void] = []
        var isEmpty: Bool { jobs.count == 0 && actions.isEmpty }
    }

    private struct Registered {
        var target: (any PollTarget)?
        var generation: UInt32
    }

    private let drive: Drive
    private let remote = Locked(Remote())
    /// Jobs and actions that other threads have queued; read without the lock before sleeping.
    private let remoteCount = Atomic<Int>(0)
    private let sleeping = Atomic<Bool>(false)
    /// The pthread that drives the loop now; 0 when none does.
    private let runner = Atomic<UInt>(0)

    @safe @exclusivity(unchecked) private var poller: Poller?
    @safe @exclusivity(unchecked) private var local = JobQueue()
    @safe @exclusivity(unchecked) private var timers = TimerQueue()
    @safe @exclusivity(unchecked) private var registered: [Registered] = []
    @safe @exclusivity(unchecked) private var freeRegistrations: [Int] = []
    @safe @exclusivity(unchecked) private var isClosing = false
    /// The time of the current pass: read once after each wait.
    @safe @exclusivity(unchecked) package private(set) var passTime = Deadline.now()

    #if DEBUG
    /// What a simulation does in place of sleeping: it is told the deadline of the earliest timer,
    /// and moves the world or the clock.
    package var simulation: ((Deadline) -> Void)?
    #endif

    private init(drive: Drive) {
        self.drive = drive
    }

    /// Makes a loop with a thread of its own, which starts with the first job.
    package static func threaded() -> EventLoop { EventLoop(drive: .ownThread) }

    /// Makes a loop that runs only inside ``drive(_:)``.
    package static func callerDriven() -> EventLoop { EventLoop(drive: .caller) }

    /// True on the thread that drives this loop.
    package var isCurrent: Bool {
        runner.load(ordering: .relaxed) == UInt(pthread_self())
    }

    // MARK: - Doors for other threads

    /// Queues a job; Swift's runtime calls it for every task that prefers this executor.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            local.append(job)
            return
        }
        let accepted = offer { remote in remote.jobs.append(job) }
        if !accepted { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
    }

    /// Runs `action` on the loop; soon, or never when the loop has stopped.
    package func post(_ action: @escaping @Sendable () -> Void) {
        _ = offer { remote in remote.actions.append(action) }
    }

    /// Ends the loop once its queues are empty; descriptors still registered are closed first.
    ///
    /// Returns at once. Jobs that come later run on the global executor.
    ///
    /// - Parameter farewell: runs once, as the loop, before the descriptors are closed. Not run
    ///   when the loop has been stopped already.
    package func stop(_ farewell: @escaping @Sendable () -> Void = {}) {
        let previous = remote.withLock { remote in
            let previous = remote.life
            switch previous {
            case .running:
                remote.life = .stopping
                remote.actions.append(farewell)
            case .idle:
                remote.life = .stopped
            case .stopping, .stopped:
                break
            }
            return previous
        }
        switch previous {
        case .running:
            remoteCount.add(1, ordering: .sequentiallyConsistent)
            poller?.wake()
        case .idle:
            // Nobody drives, and nobody will: this thread alone can still see the sockets.
            runner.store(UInt(pthread_self()), ordering: .relaxed)
            farewell()
            closeRegistered()
            runner.store(0, ordering: .relaxed)
        case .stopping, .stopped:
            break
        }
    }

    /// Adds to the remote queue and wakes the loop, starting its thread when it has none.
    ///
    /// - Returns: false when the loop has stopped or cannot be started (no descriptor, no thread).
    private func offer(_ add: (inout Remote) -> Void) -> Bool {
        let accepted = remote.withLock { remote in
            switch remote.life {
            case .stopped:
                return false
            case .idle:
                guard drive == .caller || start(&remote) else { return false }
            case .running, .stopping:
                break
            }
            add(&remote)
            return true
        }
        guard accepted else { return false }
        // Store, then load, against load-after-store in `sleep`: one of the two sees the other.
        remoteCount.add(1, ordering: .sequentiallyConsistent)
        if sleeping.exchange(false, ordering: .sequentiallyConsistent) { poller?.wake() }
        return true
    }

    private func start(_ remote: inout Remote) -> Bool {
        guard openPoller() == nil else { return false }
        do {
            try SystemThread.start { self.runThread() }
        } catch {
            return false
        }
        remote.life = .running
        return true
    }

    private func openPoller() -> Errno? {
        guard poller == nil else { return nil }
        do {
            poller = try Poller()
            return nil
        } catch {
            return error
        }
    }

    // MARK: - Running

    /// Runs `operation` with the calling thread as the loop and returns what it returned.
    ///
    /// Only for a loop made by ``callerDriven()``; one thread at a time.
    /// - Throws: `.descriptorsExhausted` when the loop cannot be set up.
    package func drive<Value>(
        _ operation: @escaping @Sendable () async -> sending Value
    ) throws(TransportError) -> Value {
        let result = DriveResult<Value>()
        try driveToEnd { result.value = await operation() }
        guard let value = result.value.take() else {
            preconditionFailure("the operation has ended")
        }
        return value
    }

    /// Runs `operation` with the calling thread as the loop.
    ///
    /// As ``drive(_:)`` for an operation that keeps its result itself: being about no type of the
    /// caller's it is compiled once, for a quarter of the cost.
    package func driveToEnd(
        _ operation: @escaping @Sendable () async -> Void
    ) throws(TransportError) {
        if let errno = openPoller() {
            throw .descriptorsExhausted(errno)
        }
        let end = DriveEnd()
        runner.store(UInt(pthread_self()), ordering: .relaxed)
        remote.withLock { $0.life = .running }
        Task(executorPreference: self) {
            await operation()
            end.isReached = true
        }
        run { end.isReached }
        remote.withLock { $0.life = .idle }
        runner.store(0, ordering: .relaxed)
    }

    private func runThread() {
        runner.store(UInt(pthread_self()), ordering: .relaxed)
        run { self.hasEnded() }
        runner.store(0, ordering: .relaxed)
    }

    /// Runs passes until `isDone`: queued jobs (those present at the start of the pass), then
    /// readiness and timers.
    private func run(until isDone: () -> Bool) {
        let executor = unsafe asUnownedTaskExecutor()
        while true {
            takeRemote()
            var budget = local.count
            while budget > 0, let job = local.popFirst() {
                budget -= 1
                // SAFETY: `self` outlives the pass; each job was taken out of the queue once.
                unsafe job.runSynchronously(on: executor)
            }
            if isDone() { return }
            poll()
        }
    }

    private func takeRemote() {
        guard remoteCount.load(ordering: .acquiring) > 0 else { return }
        let actions = remote.withLock { remote in
            while let job = remote.jobs.popFirst() { local.append(job) }
            remoteCount.store(0, ordering: .relaxed)
            return exchangeActions(&remote)
        }
        for action in actions { action() }
    }

    private func exchangeActions(_ remote: inout Remote) -> [@Sendable () -> Void] {
        guard !remote.actions.isEmpty else { return [] }
        let actions = remote.actions
        remote.actions = []
        return actions
    }

    private func poll() {
        guard let poller else { return }
        #if DEBUG
        if let simulation {
            poll(poller, insteadOfSleeping: simulation)
            return
        }
        #endif
        if local.count > 0 {
            poller.wait(milliseconds: 0, report: report)
        } else {
            let timeout = millisecondsToEarliestTimer()
            sleeping.store(true, ordering: .sequentiallyConsistent)
            if remoteCount.load(ordering: .sequentiallyConsistent) > 0 || timeout == 0 {
                sleeping.store(false, ordering: .relaxed)
                poller.wait(milliseconds: 0, report: report)
            } else {
                poller.wait(milliseconds: timeout, report: report)
                sleeping.store(false, ordering: .relaxed)
            }
        }
        fireTimers()
    }

    private func fireTimers() {
        passTime = .now()
        while let target = timers.popExpired(at: passTime) { target.timerFired(now: passTime) }
    }

    #if DEBUG
    private func poll(_ poller: Poller, insteadOfSleeping simulation: (Deadline) -> Void) {
        var isIdle = local.count == 0 && remoteCount.load(ordering: .acquiring) == 0
        poller.wait(milliseconds: 0) { token, events in
            isIdle = false
            report(token, events)
        }
        if isIdle, timers.earliest > .now() {
            simulation(timers.earliest)
            // What became ready is reported before timers fire, as after a wait.
            poller.wait(milliseconds: 0, report: report)
        }
        fireTimers()
    }
    #endif

    private func report(_ token: UInt64, _ events: PollEvents) {
        let index = Int(UInt32(truncatingIfNeeded: token)) - 1
        guard registered[index].generation == UInt32(token >> 32) else { return }
        registered[index].target?.becameReady(events)
    }

    /// Rounds up, so that a timer is never looked at just before it is due.
    private func millisecondsToEarliestTimer() -> Int32 {
        let earliest = timers.earliest
        guard earliest != .never else { return -1 }
        let left = earliest.nanoseconds - passTime.nanoseconds
        guard left > 0 else { return 0 }
        return Int32(clamping: (left + 999_999) / 1_000_000)
    }

    /// Decides whether the thread may end; closes what is still registered first.
    private func hasEnded() -> Bool {
        let isStopping = remote.withLock { $0.life == .stopping }
        guard isStopping else { return false }
        if !isClosing { closeRegistered() }
        guard local.count == 0 else { return false }
        return remote.withLock { remote in
            guard remote.isEmpty else { return false }
            remote.life = .stopped
            return true
        }
    }

    private func closeRegistered() {
        isClosing = true
        for entry in registered { entry.target?.loopStopped() }
    }

    // MARK: - On the loop: descriptors and timers

    /// Registers a descriptor for its whole life.
    ///
    /// The loop holds `target` until ``unregister(_:)``, which must come before the close.
    func register(_ descriptor: Int32, _ target: any PollTarget) throws(Errno) -> Registration {
        if let errno = openPoller() { throw errno }
        guard let poller, !isClosing else { throw .init(rawValue: ESHUTDOWN) }
        let index: Int
        if let free = freeRegistrations.popLast() {
            index = free
        } else {
            index = registered.count
            registered.append(Registered(target: nil, generation: 0))
        }
        let generation = registered[index].generation
        do {
            try poller.add(descriptor, token: UInt64(generation) << 32 | UInt64(index + 1))
        } catch {
            freeRegistrations.append(index)
            throw error
        }
        registered[index].target = target
        return Registration(index: index)
    }

    /// Hands the events of a registered descriptor to another target.
    func retarget(_ registration: Registration, to target: any PollTarget) {
        registered[registration.index].target = target
    }

    /// Forgets a registration; events already reported for it reach nobody.
    func unregister(_ registration: Registration) {
        registered[registration.index].target = nil
        registered[registration.index].generation &+= 1
        freeRegistrations.append(registration.index)
    }

    func addTimer(_ target: any TimerTarget, at deadline: Deadline) -> TimerHandle {
        timers.add(target, at: deadline)
    }

    func moveTimer(_ handle: TimerHandle, to deadline: Deadline) {
        timers.move(handle, to: deadline)
    }

    func removeTimer(_ handle: TimerHandle) {
        timers.remove(handle)
    }
}

/// Names a registered descriptor of one loop.
struct Registration {
    fileprivate let index: Int
}

/// Is told what happens to its descriptor, on the loop's thread.
protocol PollTarget: AnyObject {
    func becameReady(_ events: PollEvents)
    /// The loop ends: close, and end a wait under way.
    func loopStopped()
}

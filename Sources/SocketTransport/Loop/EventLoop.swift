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
    // Sendable because `remote`, `remoteCount`, `sleeping` and `seat` synchronise themselves,
    // `poller` is set before the thread that reads it starts, and all the rest is touched only by
    // the thread that is the loop (`isCurrent`), which holds the seat.
    // For that reason the runtime need not look for overlapping accesses: of another thread there is
    // none, and nothing that these queues and tables call while they change comes back to them.
    private enum Drive {
        case ownThread
        /// One that may block, so that nobody else can stand in for it.
        case blockingThread
        case caller
    }

    private let drive: Drive
    private let remote = Locked(RemoteQueue())
    /// Jobs and actions that other threads have queued; read without the lock before sleeping.
    private let remoteCount = Atomic<Int>(0)
    /// True while the loop's thread waits, or is about to, and nobody has woken it.
    private let sleeping = Atomic<Bool>(false)
    /// Held by whoever is the loop: the thread that drives it, but in its sleep, or a visitor.
    private let ownership = LoopOwnership()

    @safe @exclusivity(unchecked) private var poller: Poller?
    @safe @exclusivity(unchecked) private var local = JobQueue()
    @safe @exclusivity(unchecked) private var timers = TimerQueue()
    @safe @exclusivity(unchecked) private var registered = PollTable()
    /// True from the farewell on; then descriptors are closed, and the loop ends in that pass.
    @safe @exclusivity(unchecked) private var isStopping = false
    @safe @exclusivity(unchecked) private var isClosing = false
    /// How long the driving thread waits next, in milliseconds.
    @safe @exclusivity(unchecked) private var timeout: Int32 = 0
    /// When it will wake of itself.
    @safe @exclusivity(unchecked) private var wakeUpDeadline = Deadline.never
    /// True while a visitor is the loop.
    @safe @exclusivity(unchecked) private(set) var isRunningInline = false
    /// When the current pass began.
    @safe @exclusivity(unchecked) private var iterationTime = Deadline.now()
    /// When the sockets were last polled: what they had to tell by then, their targets know.
    @safe @exclusivity(unchecked) private(set) var lastPoll = Deadline.now()
    /// Whether the last poll was one of the present drive and reported every event there was.
    @safe @exclusivity(unchecked) private(set) var hasPolledAll = false

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

    /// Makes a loop with a thread of its own on which jobs may block, as for reading files.
    package static func blocking() -> EventLoop { EventLoop(drive: .blockingThread) }

    /// Makes a loop that runs only inside ``drive(_:)``.
    package static func callerDriven() -> EventLoop { EventLoop(drive: .caller) }

    /// True on the thread that is the loop now.
    package var isCurrent: Bool { ownership.isHeldByCurrentThread }
    /// True once the loop has ended; its jobs run on the global executor from then on.
    package var hasStopped: Bool { remote.withLock { $0.state == .stopped } }

    // MARK: - Doors for other threads

    /// Queues a job; Swift's runtime calls it for every task that prefers this executor.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            local.append(job)
            return
        }
        if ownership.consumeInlineOffer(), runInline(job) { return }
        let accepted = enqueueRemote { remote in remote.jobs.append(job) }
        if !accepted { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
    }

    /// Runs `action` on the loop, soon.
    ///
    /// - Parameter action: must not block.
    /// - Returns: false when the loop has stopped or cannot be started; then the action never runs.
    @discardableResult
    package func post(_ action: @escaping @Sendable () -> Void) -> Bool {
        enqueueRemote { remote in remote.actions.append(action) }
    }

    /// Ends the loop once its queues are empty; descriptors still registered are closed first.
    ///
    /// Returns at once. Jobs that come later run on the global executor.
    ///
    /// - Parameter onStop: runs once, as the loop, before the descriptors are closed. Not run
    ///   when the loop has been stopped already.
    package func stop(_ onStop: @escaping @Sendable () -> Void = {}) {
        let previous = remote.withLock { remote in
            let previous = remote.state
            switch previous {
            case .running:
                remote.state = .stopping
                remote.actions.append { [self] in
                    isStopping = true
                    onStop()
                }
            case .idle:
                remote.state = .stopped
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
            ownership.acquire()
            onStop()
            closeRegistered()
            ownership.release()
        case .stopping, .stopped:
            break
        }
    }

    /// Adds to the remote queue and wakes the loop, starting its thread when it has none.
    ///
    /// - Returns: false when the loop has stopped or cannot be started (no descriptor, no thread).
    private func enqueueRemote(_ add: (inout RemoteQueue) -> Void) -> Bool {
        // Behind the lock nothing of `self` is touched: the loop may take the job at once, and be gone
        // with it.
        let (isAccepted, sleeper) = remote.withLock { remote -> (Bool, Poller?) in
            switch remote.state {
            case .stopped:
                return (false, nil)
            case .idle:
                guard drive == .caller || start(&remote) else { return (false, nil) }
            case .running, .stopping:
                break
            }
            add(&remote)
            // Store, then load, against load-after-store in `prepareWait`: one of the two sees the other.
            remoteCount.add(1, ordering: .sequentiallyConsistent)
            let isAsleep = sleeping.exchange(false, ordering: .sequentiallyConsistent)
            return (true, isAsleep ? poller : nil)
        }
        sleeper?.wake()
        return isAccepted
    }

    private func start(_ remote: inout RemoteQueue) -> Bool {
        guard openPoller() == nil else { return false }
        do {
            try SystemThread.start { self.run { self.finishStopping() } }
        } catch {
            return false
        }
        remote.state = .running
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

    /// Runs `operation` with the calling thread as the loop.
    ///
    /// As ``drive(_:)`` for an operation that keeps its result itself: being about no type of the
    /// caller's it is compiled once, for a quarter of the cost.
    package func driveToCompletion(
        _ operation: @escaping @Sendable () async -> Void
    ) throws(TransportError) {
        if let errno = openPoller() {
            throw .descriptorsExhausted(errno)
        }
        let end = DriveCompletion()
        remote.withLock { $0.state = .running }
        Task(executorPreference: self) {
            await operation()
            end.isComplete = true
        }
        run { end.isComplete }
        remote.withLock { $0.state = .idle }
    }

    /// Runs passes until `isDone`: readiness and timers, then queued jobs (those present at the
    /// start of the pass).
    private func run(until isDone: () -> Bool) {
        // Nothing has been polled yet, and another drive may have ended long ago.
        var polled: (ready: Int, time: Deadline)?
        while true {
            ownership.acquire()
            sleeping.store(false, ordering: .relaxed)
            iterationTime = polled?.time ?? .now()
            if let polled { report(polled.ready, at: polled.time) } else { hasPolledAll = false }
            drainRemoteQueue()
            runJobs()
            if isCurrent {
                guard !isDone() else { return ownership.release() }
                prepareWait()
                ownership.release()
            }
            guard let poller else { return }
            let ready = poller.wait(milliseconds: timeout)
            // Now and not in the seat, where a visitor may be for a while.
            polled = (ready, .now())
        }
    }

    private func drainRemoteQueue() {
        guard remoteCount.load(ordering: .acquiring) > 0 else { return }
        let actions = remote.withLock { remote in
            remoteCount.store(0, ordering: .relaxed)
            return remote.drain(into: &local)
        }
        for action in actions { action() }
    }

    private func runJobs() {
        let executor = unsafe asUnownedTaskExecutor()
        var budget = local.count
        // The last job may have left the seat, and others may be the loop by now.
        while budget > 0, isCurrent, let job = local.popFirst() {
            budget -= 1
            // SAFETY: `self` outlives the pass; each job was taken out of the queue once.
            unsafe job.runSynchronously(on: executor)
        }
    }

    /// Decides how long to wait, and says so to those who bring jobs.
    private func prepareWait() {
        timeout = 0
        #if DEBUG
        if let simulation { return wait(bySimulating: simulation) }
        #endif
        guard local.count == 0 else { return }
        let earliest = timers.earliest
        let timeout = earliest.milliseconds(after: iterationTime)
        guard timeout != 0 else { return }
        wakeUpDeadline = earliest
        // Store, then load, against load-after-store in `enqueueRemote`.
        sleeping.store(true, ordering: .sequentiallyConsistent)
        if remoteCount.load(ordering: .sequentiallyConsistent) == 0 {
            self.timeout = timeout
        } else {
            sleeping.store(false, ordering: .relaxed)
        }
    }

    /// Reports readiness, then fires timers.
    private func report(_ ready: Int, at time: Deadline) {
        lastPoll = time
        hasPolledAll = ready < Poller.maxEvents
        if ready > 0 { poller?.report(ready, report) }
        while let target = timers.popExpired(at: iterationTime) {
            target.timerFired(now: iterationTime)
        }
    }

    #if DEBUG
    /// Has the simulation move on when nothing is left to do; the wait that follows is no wait.
    private func wait(bySimulating simulation: (Deadline) -> Void) {
        guard local.count == 0, remoteCount.load(ordering: .acquiring) == 0 else { return }
        if let poller {
            let ready = poller.wait(milliseconds: 0)
            if ready > 0 { return poller.report(ready, report) }
        }
        if timers.earliest > .now() { simulation(timers.earliest) }
    }
    #endif

    private func report(_ token: UInt64, _ events: PollEvents) {
        registered.target(for: token)?.becameReady(events)
    }

    /// Decides whether the thread may end; closes what is still registered first.
    private func finishStopping() -> Bool {
        guard isStopping else { return false }
        if !isClosing { closeRegistered() }
        guard local.count == 0 else { return false }
        return remote.withLock { remote in
            guard remote.isEmpty else { return false }
            remote.state = .stopped
            return true
        }
    }

    private func closeRegistered() {
        isClosing = true
        for target in registered.targets { target.loopStopped() }
    }

    // MARK: - Visitors

    /// Says that the calling thread will queue a job that it may as well run itself, as a visitor.
    ///
    /// While the loop's thread sleeps, a job from elsewhere costs a wake-up: a write, a change of
    /// thread, a wait that starts again. A visitor takes the seat instead, runs the job up to its
    /// first suspension, and leaves. The job must be one of ours and short, for it runs inside
    /// ``enqueue(_:)``, under whatever locks the thread may hold; and it must call
    /// ``cancelInlineOffer()``, on whichever way it came.
    package func offerInlineRun() {
        if drive == .ownThread { ownership.offerInlineRun() }
    }

    /// Takes back what ``offerInlineRun()`` said, for whichever thread, if no job made use of it.
    package func cancelInlineOffer() { ownership.cancelInlineOffer() }

    /// Runs `job` on this thread as the loop.
    ///
    /// - Returns: false when the driving thread is awake; then the job did not run.
    private func runInline(_ job: UnownedJob) -> Bool {
        guard sleeping.load(ordering: .relaxed), ownership.tryAcquire() else { return false }
        // Asked again in the seat: only a thread that sleeps is sure to come back.
        guard sleeping.load(ordering: .relaxed) else {
            ownership.release()
            return false
        }
        // `lastPoll` stays: what the sockets have polled since, nobody knows yet.
        isRunningInline = true
        // SAFETY: a loop does not end while its seat is taken; the job was queued nowhere else.
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        isRunningInline = false
        let isWakeUpDue = local.count > 0 || timers.earliest < wakeUpDeadline
        let sleeper = isWakeUpDue && sleeping.exchange(false, ordering: .relaxed) ? poller : nil
        // From here on the loop may be gone: what keeps it is the job, which others may have ended.
        ownership.release()
        sleeper?.wake()
        return true
    }

    /// Says that what remains of the present job touches nothing of the loop: it goes elsewhere.
    ///
    /// When it is also the last that the loop has to do, the seat is left before the job has ended.
    /// For to go elsewhere is to wake a thread, and that one may well run at once, with its next
    /// call, while this one has yet to reach its sleep: as a visitor it need not wait for that.
    package func releaseEarly() {
        guard drive == .ownThread, isCurrent, !isRunningInline, !isStopping else { return }
        prepareWait()
        if timeout != 0 { ownership.release() }
    }

    // MARK: - On the loop: descriptors and timers

    /// Registers a descriptor for its whole life.
    ///
    /// The loop holds `target` until ``unregister(_:)``, which must come before the close.
    func register(_ descriptor: Int32, _ target: any PollTarget) throws(Errno) -> Registration {
        if let errno = openPoller() { throw errno }
        guard let poller, !isClosing else { throw .init(rawValue: ESHUTDOWN) }
        let (registration, token) = registered.add(target)
        do {
            try poller.add(descriptor, token: token)
        } catch {
            registered.remove(registration)
            throw error
        }
        return registration
    }

    /// Hands the events of a registered descriptor to another target.
    func retarget(_ registration: Registration, to target: any PollTarget) {
        registered.retarget(registration, to: target)
    }

    /// Forgets a registration; events already reported for it reach nobody.
    func unregister(_ registration: Registration) {
        registered.remove(registration)
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

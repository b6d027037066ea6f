private import Glibc
private import Synchronization

/// A `TaskExecutor` that runs Swift jobs, socket readiness and timers on one thread.
///
/// A task that prefers this executor runs here whenever it is not suspended, so the state of a
/// connection needs no lock. There are two ways to drive a loop:
///
/// - ``threaded()``: its own thread, started by the first job and ended by ``stop(_:)``.
/// - ``callerDriven()``: the thread that calls ``drive(_:)`` runs it until the operation is done.
///
/// Code on the loop must not block or compute for long, because it delays every connection.
package final class EventLoop: TaskExecutor, @unchecked Sendable {
    // Sendable because `remote`, `remoteCount`, `sleeping` and `ownership` synchronize themselves.
    // `poller` is set before the thread that reads it starts, and everything else is used only by
    // the thread that owns the loop (`isCurrent`). Therefore the runtime's checks for overlapping
    // accesses are disabled: no other thread has access, and no code that these queues and tables
    // call while they change calls back into them.
    private enum Drive {
        case ownThread
        case caller
    }

    private let drive: Drive
    private let remote = Locked(RemoteQueue())
    /// The number of jobs and actions from other threads; read without the lock before sleeping.
    private let remoteCount = Atomic<Int>(0)
    /// True while the loop's thread waits or is about to wait, and no wake-up was sent.
    private let sleeping = Atomic<Bool>(false)
    /// Ownership of the loop: held by the driving thread unless it sleeps, or by an inline run.
    private let ownership = LoopOwnership()

    @safe @exclusivity(unchecked) private var poller: Poller?
    @safe @exclusivity(unchecked) private var local = JobQueue()
    @safe @exclusivity(unchecked) private var timers = TimerQueue()
    @safe @exclusivity(unchecked) private var registered = PollTable()
    /// True once the loop has begun to stop: it closes descriptors and ends when it has no work.
    @safe @exclusivity(unchecked) private var isStopping = false
    @safe @exclusivity(unchecked) private var isClosing = false
    /// The duration of the next wait in milliseconds.
    @safe @exclusivity(unchecked) private var timeout: Int32 = 0
    /// The time when the next wait ends without a wake-up.
    @safe @exclusivity(unchecked) private var wakeUpDeadline = Deadline.never
    /// True while another thread runs a job or an action inline.
    @safe @exclusivity(unchecked) package private(set) var isRunningInline = false
    /// The start time of the current pass.
    @safe @exclusivity(unchecked) private var iterationTime = Deadline.now()
    /// The time of the last poll: the targets know all socket events up to it.
    @safe @exclusivity(unchecked) private(set) var lastPoll = Deadline.now()
    /// Whether the last poll was part of the current drive and reported every pending event.
    @safe @exclusivity(unchecked) private(set) var hasPolledAll = false

    #if DEBUG
    /// A replacement for sleeping in a simulation.
    ///
    /// It is called with the deadline of the earliest timer, and advances the simulated peers or
    /// the clock.
    package var simulation: ((Deadline) -> Void)?
    #endif

    private init(drive: Drive) {
        self.drive = drive
    }

    /// Creates a loop with its own thread, which starts with the first job.
    package static func threaded() -> EventLoop { EventLoop(drive: .ownThread) }

    /// Creates a loop that runs only inside ``drive(_:)``.
    package static func callerDriven() -> EventLoop { EventLoop(drive: .caller) }

    /// Whether the calling thread owns the loop.
    package var isCurrent: Bool { ownership.isHeldByCurrentThread }
    /// Whether the loop has ended; its later jobs run on the global executor.
    package var hasStopped: Bool { remote.withLock { $0.state == .stopped } }

    // MARK: - Entry points for other threads

    /// Queues a job; Swift's runtime calls it for every task that prefers this executor.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            local.append(job)
            return
        }
        // SAFETY: a loop does not end while it is owned; the job is not queued anywhere else.
        if ownership.consumeInlineOffer(),
            runInline({ unsafe job.runSynchronously(on: asUnownedTaskExecutor()) })
        {
            return
        }
        let accepted = enqueueRemote { remote in remote.jobs.append(job) }
        if !accepted { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
    }

    /// Runs `action` on the loop as soon as possible.
    ///
    /// - Parameter action: the action; it must not block.
    /// - Returns: false if the loop has stopped or cannot be started; then the action never runs.
    @discardableResult
    package func post(_ action: @escaping @Sendable () -> Void) -> Bool {
        enqueueRemote { remote in remote.actions.append(action) }
    }

    /// Ends the loop when its queues are empty; descriptors still registered are closed first.
    ///
    /// Returns at once. Later jobs run on the global executor.
    ///
    /// - Parameter onStop: runs once, on the loop, before the descriptors are closed. It does not
    ///   run if the loop was already stopped.
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
            // No thread drives the loop or ever will: only this thread can use the sockets.
            ownership.acquire()
            onStop()
            closeRegistered()
            let actions = remote.withLock { $0.drain(into: &local) }
            for action in actions { action() }
            // These are tasks that waited for a socket, and end now.
            while let job = local.popFirst() { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
            ownership.release()
        case .stopping, .stopped:
            break
        }
    }

    /// Adds to the remote queue and wakes the loop, starting its thread if necessary.
    ///
    /// - Returns: false if the loop has stopped or cannot be started (no descriptor, no thread).
    private func enqueueRemote(_ add: (inout RemoteQueue) -> Void) -> Bool {
        // After the lock is released, `self` must not be used: the loop may run the job at once,
        // and the job may release the loop.
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
            // Store, then load, against load-after-store in `prepareWait`: one of the two sees the
            // other.
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
    /// Like ``drive(_:)``, for an operation that stores its own result. It is not generic, so it is
    /// compiled once and costs a quarter as much.
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

    /// Runs passes until `isDone`.
    ///
    /// A pass reports readiness and expired timers, then runs the jobs that were queued at its
    /// start.
    private func run(until isDone: () -> Bool) {
        // Nothing has been polled yet, and the previous drive may have ended long ago.
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
            // Read here and not after `acquire`, which may wait for an inline run.
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
        // The last job may have released the loop, and another thread may own it now.
        while budget > 0, isCurrent, let job = local.popFirst() {
            budget -= 1
            // SAFETY: `self` outlives the pass; each job was removed from the queue once.
            unsafe job.runSynchronously(on: executor)
        }
    }

    /// Computes how long to wait, and publishes that the loop is about to sleep.
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
    /// Advances the simulation if no work is left; the poll after it does not wait.
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

    /// Returns whether the thread may end; closes descriptors that are still registered first.
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

    // MARK: - Inline runs

    /// Announces that the calling thread will queue a job that it can run inline.
    ///
    /// While the loop's thread sleeps, a job from another thread costs a wake-up: a write, a thread
    /// switch and a new wait. An inline run avoids this. The calling thread takes ownership of the
    /// loop, runs the job up to its first suspension, and releases the loop.
    ///
    /// The job must be one of this package's and short, because it runs inside ``enqueue(_:)``
    /// under any locks that the thread holds. It must call ``cancelInlineOffer()``, no matter how
    /// it was started.
    package func offerInlineRun() {
        if drive == .ownThread { ownership.offerInlineRun() }
    }

    /// Withdraws the offer of ``offerInlineRun()``, of any thread, if no job has used it.
    package func cancelInlineOffer() { ownership.cancelInlineOffer() }

    /// Runs `action` on this thread as the loop, if the loop's thread sleeps.
    ///
    /// - Parameter action: the action; it must be short, and must not wait.
    /// - Returns: false if the loop's thread is awake; then the action did not run.
    package func runInline(_ action: () -> Void) -> Bool {
        guard sleeping.load(ordering: .relaxed), ownership.tryAcquire() else { return false }
        // Checked again as the owner: only a sleeping thread is sure to wait for ownership.
        guard sleeping.load(ordering: .relaxed) else {
            ownership.release()
            return false
        }
        // `lastPoll` does not change: the loop has not yet received the events since then.
        isRunningInline = true
        action()
        isRunningInline = false
        let isWakeUpDue = local.count > 0 || timers.earliest < wakeUpDeadline
        let sleeper = isWakeUpDue && sleeping.exchange(false, ordering: .relaxed) ? poller : nil
        // After this the loop may be deallocated: only the job retains it, and another thread may
        // have ended the job.
        ownership.release()
        sleeper?.wake()
        return true
    }

    /// Releases the loop early, because the rest of the current job does not use it.
    ///
    /// This happens only if the job is also the last work of the loop. The job continues on another
    /// executor, which wakes another thread. That thread may make its next call before this thread
    /// reaches its sleep. With the loop released early, its inline run need not wait for that.
    package func releaseEarly() {
        guard drive == .ownThread, isCurrent, !isRunningInline, !isStopping else { return }
        prepareWait()
        if timeout != 0 { ownership.release() }
    }

    // MARK: - On the loop: descriptors and timers

    /// Registers a descriptor for its whole lifetime.
    ///
    /// The loop retains `target` until ``unregister(_:)``, which must be called before the close.
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

    /// Sends the events of a registered descriptor to another target.
    func retarget(_ registration: Registration, to target: any PollTarget) {
        registered.retarget(registration, to: target)
    }

    /// Changes which events of a registered descriptor are reported.
    ///
    /// The arguments are those of ``Poller/change(_:token:once:)``.
    func change(
        _ registration: Registration,
        _ descriptor: Int32,
        once events: PollEvents?
    ) throws(Errno) {
        let token = registered.token(of: registration)
        try poller?.change(descriptor, token: token, once: events)
    }

    /// Removes a registration; events already reported for it are dropped.
    func unregister(_ registration: Registration) {
        registered.remove(registration)
    }

    package func addTimer(_ target: any TimerTarget, at deadline: Deadline) -> TimerHandle {
        timers.add(target, at: deadline)
    }

    func moveTimer(_ handle: TimerHandle, to deadline: Deadline) {
        timers.move(handle, to: deadline)
    }

    package func removeTimer(_ handle: TimerHandle) {
        timers.remove(handle)
    }
}

extension EventLoop {
    /// Returns whether an idle socket without events is known to be open and to have no input.
    ///
    /// If so, the caller need not ask the kernel. Only a loop that has polled its sockets since it
    /// began to run can know this:
    ///
    /// - A caller-driven loop is not polled between two drives. Until its first poll of a drive the
    ///   answer is false, so a blocking call asks the kernel once.
    /// - An inline run takes place while the loop's thread sleeps in its poll. An event wakes that
    ///   thread, but the inline run may check the socket first. In this case a poll counts for
    ///   100 µs: long enough for one call directly after another.
    /// - A poll that filled its batch may have omitted events. The answer is false.
    /// - Jobs that compute for long delay the next poll. A poll counts for 1 ms, which is longer
    ///   than a pass with a hundred busy connections.
    ///
    /// - Parameters:
    ///   - time: the time when the socket became idle.
    ///   - now: the current time.
    /// - Returns: whether the loop would know by now if the peer had closed or sent anything.
    package func isKnownIdle(since time: Deadline, at now: Deadline) -> Bool {
        let grace: Int64 = isRunningInline ? 100_000 : 1_000_000
        return hasPolledAll && now <= max(time, lastPoll).advanced(byNanoseconds: grace)
    }
}

extension EventLoop {
    /// Runs `operation` with the calling thread as the loop and returns its result.
    ///
    /// Only for a loop created by ``callerDriven()``; one thread at a time.
    ///
    /// - Throws: `.descriptorsExhausted` if the loop cannot be set up.
    package func drive<Value>(
        _ operation: @escaping @Sendable () async -> sending Value
    ) throws(TransportError) -> Value {
        let result = DriveResult<Value>()
        try driveToCompletion { result.value = await operation() }
        guard let value = result.value.take() else {
            preconditionFailure("the operation has ended")
        }
        return value
    }

    /// Suspends the task until the loop resumes it; resumes at once if the loop has stopped.
    ///
    /// For a task that called ``releaseEarly()`` but stayed on the thread, because the code it
    /// called also prefers the loop. The runtime then sees no reason to queue the task when that
    /// code returns.
    package nonisolated(nonsending) func hopToLoop() async {
        // SAFETY: resumed once, by the loop or here.
        await unsafe withUnsafeContinuation { (task: UnsafeContinuation<Void, Never>) in
            let isQueued = post { unsafe task.resume() }
            if !isQueued { unsafe task.resume() }
        }
    }
}

/// A FIFO queue of jobs: a ring buffer that grows by doubling and never shrinks.
struct JobQueue {
    private var ring: [UnownedJob?]
    private var first = 0
    private(set) var count = 0

    init() {
        ring = Array(repeating: nil, count: 64)
    }

    mutating func append(_ job: UnownedJob) {
        if count == ring.count { grow() }
        ring[(first + count) & (ring.count - 1)] = job
        count += 1
    }

    mutating func popFirst() -> UnownedJob? {
        guard count > 0 else { return nil }
        let job = ring[first]
        first = (first + 1) & (ring.count - 1)
        count -= 1
        return job
    }

    private mutating func grow() {
        var larger: [UnownedJob?] = Array(repeating: nil, count: ring.count * 2)
        for offset in 0..<count {
            larger[offset] = ring[(first + offset) & (ring.count - 1)]
        }
        ring = larger
        first = 0
    }
}

/// The work that other threads have queued for a loop, and the loop's state.
struct RemoteQueue {
    enum State {
        /// The loop has no thread: it has not started, or no thread drives it.
        case idle
        case running
        /// The loop runs the queued work, then ends.
        case stopping
        /// The loop has ended: later jobs go to the global executor.
        case stopped
    }

    var state = State.idle
    var jobs = JobQueue()
    var actions: [@Sendable () -> Void] = []

    var isEmpty: Bool { jobs.count == 0 && actions.isEmpty }

    /// Moves the jobs to the end of `local`, and removes and returns the actions.
    mutating func drain(into local: inout JobQueue) -> [@Sendable () -> Void] {
        while let job = jobs.popFirst() { local.append(job) }
        guard !actions.isEmpty else { return [] }
        let actions = actions
        self.actions = []
        return actions
    }
}

/// The completion flag of an operation run by ``EventLoop/driveToCompletion(_:)``.
final class DriveCompletion: @unchecked Sendable {
    // Sendable because only the driving thread writes it (in a job) and reads it (between jobs).
    // For the same reason, accesses cannot overlap.
    @safe @exclusivity(unchecked) var isComplete = false
}

/// Storage for the result of the task in ``EventLoop/drive(_:)``.
final class DriveResult<Value>: @unchecked Sendable {
    // Sendable because only the driving thread writes it (in a job) and reads it (between jobs).
    var value: Value?
}

/// A container that carries a loop-confined value across threads without accessing it.
package struct LoopBound<Value>: @unchecked Sendable {
    // Sendable because `value` is accessible only on the loop's thread.
    private let confined: Value
    private let loop: EventLoop

    package init(_ value: Value, on loop: EventLoop) {
        confined = value
        self.loop = loop
    }

    /// The value; use it only on the loop's thread.
    package var value: Value {
        assert(loop.isCurrent, "a loop-confined value was accessed outside its loop")
        return confined
    }
}

private import Glibc

/// A `TaskExecutor` with a few threads that may wait for a disk.
///
/// Code that reads or writes files runs here, because neither an event loop nor Swift's threads may block.
///
/// No thread belongs to a task. Whenever it continues, its next job goes to a thread that is idle.
/// A write that waits for a slow disk therefore occupies one thread, and only while it waits. The tasks
/// of other files go on with the other threads. If all are occupied, jobs wait in their order.
package final class FileThreads: TaskExecutor, @unchecked Sendable {
    // Sendable because `state` synchronizes everything that changes.

    /// The maximum number of threads of one client.
    ///
    /// Four: three stalled disks still leave one thread for the others. One thread writes faster than most
    /// networks deliver, so more threads do not increase the throughput. Each costs a stack and two
    /// descriptors.
    package static let maxThreads = 4
    /// How long a thread waits for a job before it ends, in milliseconds.
    ///
    /// Ten seconds: between two steps of a running download, its thread does not end.
    static let defaultIdleTime: Int32 = 10_000

    private struct State {
        /// The jobs that wait for a thread.
        var jobs = JobQueue()
        /// The threads that wait for a job, or are about to; the last one has worked most recently.
        var idle: [Poller] = []
        /// The threads that run a job.
        var busy: [Worker] = []
        /// The number of threads.
        var threads = 0
        /// Whether the threads end when no job is left.
        var isStopped = false
    }

    /// A thread, and the poller with which it waits.
    private struct Worker {
        let thread: UInt
        let poller: Poller
    }

    /// What follows after a job was queued.
    private enum Step {
        /// A busy thread takes the job later.
        case nothing
        case wake(Poller)
        case startThread
        /// No thread will take the job.
        case leave
    }

    private let state = Locked(State())
    private let idleTime: Int32

    /// Creates an executor, which starts its first thread with the first job.
    ///
    /// - Parameter idleTime: how long a thread waits for a job before it ends, in milliseconds; -1 without an end.
    package init(idleTime: Int32 = defaultIdleTime) {
        self.idleTime = idleTime
    }

    /// The number of threads that run or wait for a job.
    package var threadCount: Int { state.withLock { $0.threads } }

    /// Queues a job; Swift's runtime calls it for every task that prefers this executor.
    ///
    /// The job runs on the global executor if the threads were stopped, or if none can be started.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let step = state.withLock { state -> Step in
            guard !state.isStopped else { return .leave }
            state.jobs.append(job)
            if let thread = state.idle.popLast() { return .wake(thread) }
            guard state.threads < Self.maxThreads else { return .nothing }
            state.threads += 1
            return .startThread
        }
        switch step {
        case .nothing: break
        case .wake(let thread): thread.wake()
        case .startThread: startThread()
        case .leave: globalConcurrentExecutor.enqueue(ExecutorJob(job))
        }
    }

    /// Whether the calling code runs in a job of these threads.
    package var isCurrent: Bool {
        let thread = Self.currentThread
        return state.withLock { state in state.busy.contains { $0.thread == thread } }
    }

    /// Lets the calling thread take the next job, although its own has not ended.
    ///
    /// Call it when the job ends after a few more instructions that wait for nothing. A job that follows from its
    /// result can come before the thread looks for one, and would wake another thread or start one.
    package func releaseEarly() {
        let thread = Self.currentThread
        state.withLock { state in
            guard let worker = state.busy.first(where: { $0.thread == thread }),
                !state.isStopped, state.jobs.count == 0,
                !state.idle.contains(where: { $0 === worker.poller })
            else { return }
            state.idle.append(worker.poller)
        }
    }

    private static var currentThread: UInt { UInt(pthread_self()) }

    /// Ends the threads when the queued jobs are done.
    ///
    /// Returns at once. Later jobs run on the global executor.
    package func stop() {
        let idle = state.withLock { state in
            state.isStopped = true
            defer { state.idle = [] }
            return state.idle
        }
        for thread in idle { thread.wake() }
    }

    private func startThread() {
        do throws(Errno) {
            let poller = try Poller()
            try SystemThread.start { self.run(waitingOn: poller) }
        } catch {
            // The other threads take the job, if there are any.
            let rest = state.withLock { state in
                state.threads -= 1
                var rest: [UnownedJob] = []
                if state.threads == 0 {
                    while let job = state.jobs.popFirst() { rest.append(job) }
                }
                return rest
            }
            for job in rest { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
        }
    }

    /// Runs jobs until none has come for a while.
    private func run(waitingOn poller: Poller) {
        // Writing to a pipe without a reader returns an error instead of ending the process.
        Syscalls.blockBrokenPipeSignal()
        let executor = unsafe asUnownedTaskExecutor()
        while let job = nextJob(poller) {
            // SAFETY: `self` outlives the thread; each job was removed from the queue once.
            unsafe job.runSynchronously(on: executor)
        }
    }

    /// Waits for a job and removes it from the queue; nil if the thread has to end.
    private func nextJob(_ poller: Poller) -> UnownedJob? {
        while true {
            let (job, isStopped) = state.withLock { state -> (UnownedJob?, Bool) in
                // After an early release, it may be there.
                state.idle.removeAll { $0 === poller }
                if let job = state.jobs.popFirst() {
                    if !state.busy.contains(where: { $0.poller === poller }) {
                        state.busy.append(Worker(thread: Self.currentThread, poller: poller))
                    }
                    return (job, false)
                }
                state.busy.removeAll { $0.poller === poller }
                if state.isStopped {
                    state.threads -= 1
                    return (nil, true)
                }
                state.idle.append(poller)
                return (nil, false)
            }
            if let job { return job }
            if isStopped { return nil }
            // A signal ends the wait early, and then the thread, if it may end. The next job starts another one.
            let isWoken = poller.wait(milliseconds: idleTime) > 0 || idleTime < 0
            let isIdle = state.withLock { state in
                // If it is not there, a job was queued for this thread, or the threads were stopped.
                guard let index = state.idle.firstIndex(where: { $0 === poller }) else {
                    return false
                }
                state.idle.remove(at: index)
                if !isWoken { state.threads -= 1 }
                return !isWoken
            }
            if isIdle { return nil }
        }
    }
}

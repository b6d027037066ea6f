internal import SocketTransport

/// Lets a bounded number of requests through at a time; the others wait, the most urgent first.
///
///     let queue = HTTPClientQueue(maxSimultaneousRequests: 3)
///     let client = HTTPClient.shared.with { $0.queue = queue }
///
/// A client with a queue is used like any other: ``HTTPClient/send(_:)-(HTTPRequest)``,
/// ``HTTPClient/stream(_:)-(HTTPRequest)``, endpoints, downloads, running and blocking calls all wait for their
/// turn. ``HTTPRequest/priority`` says who goes first; among equals who came first does. A streamed response
/// keeps its place until its body has been read to its end or dropped.
///
/// A request waits for as long as it takes, however long the batch in front of it, unless
/// ``waitLimit`` or its own ``HTTPTimeouts/total`` says otherwise: then it ends with
/// `.timedOut(.queue)` or `.timedOut(.total)`, also while the queue is suspended, and nothing was
/// sent. ``HTTPTimeouts/queue`` does not count here: it bounds waiting for a connection, which begins
/// when the turn has come. An ``HTTPDedicatedConnection``, an upgrade and a tunnel do not wait here.
///
/// ## Topics
/// ### Making one
/// - ``init(maxSimultaneousRequests:waitLimit:)``
/// ### Steering it
/// - ``maxSimultaneousRequests``
/// - ``waitLimit``
/// - ``suspend()``
/// - ``resume()``
/// - ``cancelAll()``
/// ### Looking into it
/// - ``runningCount``
/// - ``waitingCount``
/// - ``isSuspended``
public final class HTTPClientQueue: Sendable {
    /// Says how a wait for a turn ended.
    private enum WaitEnd: Sendable {
        case admitted
        case cancelled
        case timedOut
    }

    /// Says what came of wanting a turn.
    enum Admission: Sendable {
        case admitted(Permit)
        /// The task or the queue was cancelled before the turn came.
        case cancelled
        /// The deadline passed before the turn came.
        case timedOut
    }

    /// What is known of somebody in the queue.
    private enum WaiterState: Sendable {
        /// The continuation is there as soon as they have begun to wait.
        case waiting(CheckedContinuation<WaitEnd, Never>?)
        /// Not to wait at all, though they do not know it yet.
        case ended(WaitEnd)
        case running(cancel: (@Sendable () -> Void)?)
        /// Under way, and to be cancelled as soon as it is known how.
        case cancelled
    }

    private struct Shared: Sendable {
        var state: QueueState
        var waiters: [QueueState.ID: WaiterState] = [:]

        /// Lets them go; gives what is to be resumed.
        mutating func admit(_ ids: [QueueState.ID]) -> [CheckedContinuation<WaitEnd, Never>] {
            ids.compactMap { id in
                let waiter = waiters.updateValue(.running(cancel: nil), forKey: id)
                guard case .waiting(let continuation) = waiter else { return nil }
                return continuation
            }
        }
    }

    /// How long a request may wait for its turn; nil when only the bound of the whole call counts.
    ///
    /// It counts from the moment when the request comes, also while the queue is suspended. A request
    /// that has waited for so long ends with `.timedOut(.queue)`. With zero none waits that cannot go
    /// at once.
    public let waitLimit: Duration?

    private let shared: Locked<Shared>

    /// Makes a queue.
    ///
    /// - Parameters:
    ///   - limit: requests under way at the same time; at least 1. Default 5.
    ///   - waitLimit: how long each may wait for its turn. Default nil: how long a batch takes is
    ///     known to nobody but its maker, and what waits here burdens no server.
    public init(maxSimultaneousRequests limit: Int = 5, waitLimit: Duration? = nil) {
        shared = Locked(Shared(state: QueueState(limit: limit)))
        self.waitLimit = waitLimit
    }

    /// How many requests may be under way at the same time; at least 1.
    ///
    /// Takes effect at once: a larger number lets others go, with a smaller one those that are under
    /// way are finished first.
    public var maxSimultaneousRequests: Int {
        get { shared.withLock { $0.state.limit } }
        set { change { $0.setLimit(newValue) } }
    }

    /// Requests that are under way.
    public var runningCount: Int { shared.withLock { $0.state.running.count } }

    /// Requests that wait for their turn.
    public var waitingCount: Int { shared.withLock { $0.state.waitingCount } }

    /// Whether nobody is let go at present.
    public var isSuspended: Bool { shared.withLock { $0.state.isSuspended } }

    /// Lets nobody go until ``resume()``; what is under way goes on.
    ///
    /// Idempotent.
    public func suspend() {
        shared.withLock { $0.state.suspend() }
    }

    /// Lets requests go again.
    ///
    /// Idempotent.
    public func resume() {
        change { $0.resume() }
    }

    /// Cancels every request that waits or is under way; each throws `.cancelled`.
    ///
    /// Requests that come later are served as before.
    public func cancelAll() {
        let (waiting, running) = shared.withLock { shared in
            let members = shared.state.clear()
            var waiting: [CheckedContinuation<WaitEnd, Never>] = []
            for id in members.waiting {
                if case .waiting(let continuation?) = shared.waiters.removeValue(forKey: id) {
                    waiting.append(continuation)
                }
            }
            var running: [@Sendable () -> Void] = []
            for id in members.running {
                let waiter = shared.waiters.updateValue(.cancelled, forKey: id)
                if case .running(let cancel?) = waiter { running.append(cancel) }
            }
            return (waiting, running)
        }
        for continuation in waiting { continuation.resume(returning: .cancelled) }
        for cancel in running { cancel() }
    }

    private func change(_ decide: (inout QueueState) -> [QueueState.ID]) {
        let admitted = shared.withLock { shared in
            let ids = decide(&shared.state)
            return shared.admit(ids)
        }
        for continuation in admitted { continuation.resume(returning: .admitted) }
    }

    // MARK: - Places

    /// Holds a turn until it is given back, at the latest when the last reference is gone.
    final class Permit: Sendable {
        private let queue: HTTPClientQueue
        private let id: QueueState.ID

        fileprivate init(_ queue: HTTPClientQueue, _ id: QueueState.ID) {
            self.queue = queue
            self.id = id
        }

        /// Gives the turn back.
        ///
        /// Idempotent.
        func release() {
            queue.release(id)
        }

        /// Says what ``HTTPClientQueue/cancelAll()`` is to do; it is done at once when that was
        /// called meanwhile.
        ///
        /// It must not refer to the place.
        func onCancel(_ cancel: @escaping @Sendable () -> Void) {
            queue.record(cancel, of: id)
        }

        deinit {
            queue.release(id)
        }
    }

    /// Waits for a turn.
    ///
    /// - Parameters:
    ///   - priority: larger numbers go first.
    ///   - deadline: when to give up.
    ///   - loop: has the timer for that.
    /// - Returns: the place, or why there is none.
    nonisolated(nonsending) func enter(
        priority: Int8,
        until deadline: Deadline,
        on loop: EventLoop
    ) async -> Admission {
        let entry = shared.withLock { shared in
            let entry = shared.state.enter(priority: priority)
            shared.waiters[entry.id] = entry.isAdmitted ? .running(cancel: nil) : .waiting(nil)
            return entry
        }
        if entry.isAdmitted { return .admitted(Permit(self, entry.id)) }
        var bound: AdmissionTimeout?
        if deadline != .never {
            bound = AdmissionTimeout(on: loop, at: deadline) { self.cancel(entry.id, .timedOut) }
        }
        let end = await withTaskCancellationHandler {
            await withCheckedContinuation { wait(for: entry.id, $0) }
        } onCancel: {
            cancel(entry.id, .cancelled)
        }
        bound?.cancel()
        return switch end {
        case .admitted: .admitted(Permit(self, entry.id))
        case .cancelled: .cancelled
        case .timedOut: .timedOut
        }
    }

    private func wait(for id: QueueState.ID, _ continuation: CheckedContinuation<WaitEnd, Never>) {
        let end = shared.withLock { shared -> WaitEnd? in
            switch shared.waiters[id] {
            case .waiting:
                shared.waiters[id] = .waiting(continuation)
                return nil
            case .ended(let end):
                shared.waiters[id] = nil
                return end
            case .running, .cancelled: return .admitted
            case nil: return .cancelled
            }
        }
        if let end { continuation.resume(returning: end) }
    }

    private func cancel(_ id: QueueState.ID, _ end: WaitEnd) {
        let waiting = shared.withLock { shared -> CheckedContinuation<WaitEnd, Never>? in
            guard shared.state.cancel(id) else { return nil }
            guard case .waiting(let continuation?) = shared.waiters.removeValue(forKey: id) else {
                shared.waiters[id] = .ended(end)
                return nil
            }
            return continuation
        }
        waiting?.resume(returning: end)
    }

    private func release(_ id: QueueState.ID) {
        change { $0.release(id) }
        shared.withLock { $0.waiters[id] = nil }
    }

    private func record(_ cancel: @escaping @Sendable () -> Void, of id: QueueState.ID) {
        let isCancelled = shared.withLock { shared in
            switch shared.waiters[id] {
            case .cancelled: return true
            case .running:
                shared.waiters[id] = .running(cancel: cancel)
                return false
            case .waiting, .ended, nil: return false
            }
        }
        if isCancelled { cancel() }
    }
}

/// Ends a wait for a turn when its time is over, by a timer of the loop that carries the call out.
///
/// May be made and cancelled on any thread. Sendable because one thread alone touches what it holds,
/// the loop's.
final class AdmissionTimeout: @unchecked Sendable {
    private let loop: EventLoop
    private var timer: LoopTimer?
    /// It may be over before the loop has come to begin.
    private var isOver = false

    /// Calls `action` on the loop when the deadline has passed; never, when the loop cannot run.
    ///
    /// What waits for its turn finds that out by itself as soon as it goes to the loop.
    init(on loop: EventLoop, at deadline: Deadline, _ action: @escaping @Sendable () -> Void) {
        self.loop = loop
        onLoop {
            guard !self.isOver else { return }
            self.timer = LoopTimer(on: loop, at: deadline, action: action)
        }
    }

    /// Forgets the action, soon: it may be under way on another thread.
    func cancel() {
        onLoop {
            self.isOver = true
            self.timer?.cancel()
            self.timer = nil
        }
    }

    private func onLoop(_ body: @escaping @Sendable () -> Void) {
        if loop.isCurrent { body() } else { loop.post(body) }
    }
}

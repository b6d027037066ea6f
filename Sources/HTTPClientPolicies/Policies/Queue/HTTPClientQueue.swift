internal import SocketTransport

/// A queue that runs a limited number of requests at a time; waiting requests start by priority.
///
///     let queue = HTTPClientQueue(maxSimultaneousRequests: 3)
///     let client = HTTPClient.shared.with { $0.queue = queue }
///
/// A client with a queue is used like any other: ``HTTPClient/send(_:)-(HTTPRequest)``,
/// ``HTTPClient/stream(_:)``, endpoints, downloads, started and blocking calls all wait for their
/// turn. ``HTTPRequest/priority`` determines the order; requests of equal priority start in order of arrival. A
/// streamed response counts as running until its body has been read to its end or dropped.
///
/// By default a request waits without a time limit. With ``waitLimit`` or its own ``HTTPTimeouts/total``, it
/// ends with `.timedOut(.queue)` or `.timedOut(.total)` without having been sent, even while the queue is
/// suspended. ``HTTPTimeouts/queue`` does not apply here: it limits the wait for a connection, which begins
/// when the queue admits the request. An ``HTTPDedicatedConnection``, an upgrade and a tunnel do not wait here.
///
/// ## Topics
/// ### Creating a queue
/// - ``init(maxSimultaneousRequests:waitLimit:)``
/// ### Controlling a queue
/// - ``maxSimultaneousRequests``
/// - ``waitLimit``
/// - ``suspend()``
/// - ``resume()``
/// - ``cancelAll()``
/// ### Inspecting a queue
/// - ``runningCount``
/// - ``waitingCount``
/// - ``isSuspended``
public final class HTTPClientQueue: Sendable {
    /// The end of a wait for admission.
    private enum WaitEnd: Sendable {
        case admitted
        case cancelled
        case timedOut
    }

    /// The result of a request for admission.
    package enum Admission: Sendable {
        case admitted(Permit)
        /// The task or the queue was canceled before admission.
        case cancelled
        /// The deadline passed before admission.
        case timedOut
    }

    /// The state of a request in the queue.
    private enum WaiterState: Sendable {
        /// The continuation is set when the task has begun to wait.
        case waiting(CheckedContinuation<WaitEnd, Never>?)
        /// The wait has ended before the task has begun to wait.
        case ended(WaitEnd)
        case running(cancel: (@Sendable () -> Void)?)
        /// Running, and to be canceled as soon as its cancellation closure is known.
        case cancelled
    }

    private struct Shared: Sendable {
        var state: QueueState
        var waiters: [QueueState.ID: WaiterState] = [:]

        /// Admits waiting requests; returns the continuations to resume.
        mutating func admit(_ ids: [QueueState.ID]) -> [CheckedContinuation<WaitEnd, Never>] {
            ids.compactMap { id in
                let waiter = waiters.updateValue(.running(cancel: nil), forKey: id)
                guard case .waiting(let continuation) = waiter else { return nil }
                return continuation
            }
        }
    }

    /// The maximum wait for admission; nil when only the timeout of the whole call applies.
    ///
    /// The wait begins when the request arrives, also while the queue is suspended. A request that has
    /// waited this long ends with `.timedOut(.queue)`. With zero, a request that cannot start immediately
    /// ends.
    public let waitLimit: Duration?

    private let shared: Locked<Shared>

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of requests that run at the same time; at least 1. Default 5.
    ///   - waitLimit: the maximum wait of each request. Default nil, because only the caller knows how
    ///     long a batch takes, and waiting requests burden no server.
    public init(maxSimultaneousRequests limit: Int = 5, waitLimit: Duration? = nil) {
        shared = Locked(Shared(state: QueueState(limit: limit)))
        self.waitLimit = waitLimit
    }

    /// The maximum number of requests that run at the same time; at least 1.
    ///
    /// A change takes effect at once. A larger number admits more requests. With a smaller number, running
    /// requests finish first.
    public var maxSimultaneousRequests: Int {
        get { shared.withLock { $0.state.limit } }
        set { change { $0.setLimit(newValue) } }
    }

    /// The number of running requests.
    public var runningCount: Int { shared.withLock { $0.state.running.count } }

    /// The number of waiting requests.
    public var waitingCount: Int { shared.withLock { $0.state.waitingCount } }

    /// Whether the queue is suspended and admits no requests.
    public var isSuspended: Bool { shared.withLock { $0.state.isSuspended } }

    /// Stops admitting requests until ``resume()``; running requests continue.
    ///
    /// Idempotent.
    public func suspend() {
        shared.withLock { $0.state.suspend() }
    }

    /// Admits requests again.
    ///
    /// Idempotent.
    public func resume() {
        change { $0.resume() }
    }

    /// Cancels every waiting or running request; each throws `.cancelled`.
    ///
    /// Later requests are not affected.
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

    // MARK: - Permits

    /// A permit to run, held until it is released, at the latest with its last reference.
    package final class Permit: Sendable {
        private let queue: HTTPClientQueue
        private let id: QueueState.ID

        fileprivate init(_ queue: HTTPClientQueue, _ id: QueueState.ID) {
            self.queue = queue
            self.id = id
        }

        /// Releases the permit.
        ///
        /// Idempotent.
        package func release() {
            queue.release(id)
        }

        /// Sets the closure that ``HTTPClientQueue/cancelAll()`` calls.
        ///
        /// If that was called already, the closure runs at once. The closure must not refer to the permit.
        package func onCancel(_ cancel: @escaping @Sendable () -> Void) {
            queue.record(cancel, of: id)
        }

        deinit {
            queue.release(id)
        }
    }

    /// Waits for admission.
    ///
    /// - Parameters:
    ///   - priority: larger numbers go first.
    ///   - deadline: the time at which the wait ends.
    ///   - loop: the event loop that runs the timer of the deadline.
    ///   - onWait: called if the request must wait.
    /// - Returns: the permit, or the reason why there is none.
    package nonisolated(nonsending) func enter(
        priority: Int8,
        until deadline: Deadline,
        on loop: EventLoop,
        onWait: () -> Void
    ) async -> Admission {
        let entry = shared.withLock { shared in
            let entry = shared.state.enter(priority: priority)
            shared.waiters[entry.id] = entry.isAdmitted ? .running(cancel: nil) : .waiting(nil)
            return entry
        }
        if entry.isAdmitted { return .admitted(Permit(self, entry.id)) }
        onWait()
        var bound: LoopTimeout?
        if deadline != .never {
            bound = LoopTimeout(on: loop, at: deadline) { self.cancel(entry.id, .timedOut) }
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

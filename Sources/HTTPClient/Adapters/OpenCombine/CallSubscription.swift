#if OpenCombine
internal import OpenCombine
internal import SocketTransport

/// The source of a subscription's call.
enum CallSource<Value: Sendable>: Sendable {
    /// The subscription starts the call, and cancels it when the subscription is canceled.
    case newCall(@Sendable () -> HTTPCall<Value>)
    /// The call is already running, and others can observe it.
    case existingCall(HTTPCall<Value>)

    func call() -> HTTPCall<Value> {
        switch self {
        case .newCall(let start): start()
        case .existingCall(let call): call
        }
    }
}

/// A subscription that delivers the events of a call to one subscriber, one at a time and on
/// demand.
///
/// Subscribers and their closures are not Sendable, but the events of a call arrive on any thread.
/// So only the thread that has set `isDelivering` calls or releases the subscriber. The lock
/// protects all other state.
final class CallSubscription<Value: Sendable, Output: Sendable>: Subscription,
    // Only the thread that has set `isDelivering` accesses `listener`, and only one thread does so at a time.
    @unchecked Sendable
{
    typealias Event = HTTPCall<Value>.Event

    /// A type-erased subscriber; its type cannot be named where events arrive.
    private struct Listener {
        let send: (Output) -> Subscribers.Demand
        let end: (Subscribers.Completion<HTTPError>) -> Void
    }

    private enum End: Sendable {
        case finished
        case failed(HTTPError)
    }

    private struct State: Sendable {
        /// The number of further events that the subscriber accepts; `Int.max` means all.
        var requestedCount = 0
        /// The events not yet delivered.
        ///
        /// Newer progress replaces older progress. So there are at most six, and one more for each
        /// further attempt that receives a response head.
        var pending: [Event] = []
        var end: End?
        var call: HTTPCall<Value>?
        var hasStarted = false
        /// Stays true after the end, so that the subscriber is not called again.
        var isDelivering = false
        var isCancelled = false

        /// Adds a demand; unlimited demand does not overflow.
        mutating func add(_ demand: Subscribers.Demand) {
            let (sum, hasOverflowed) = requestedCount.addingReportingOverflow(demand.max ?? .max)
            requestedCount = hasOverflowed ? .max : sum
        }
    }

    private enum Step: Sendable {
        case send(Event)
        case end(End)
        case release
    }

    private let state = Locked(State())
    private let token = HTTPObserverToken()
    private let source: CallSource<Value>
    private let executor: HTTPCallbackExecutor
    private let output: @Sendable (Event) -> Output?
    private var listener: Listener?

    /// Creates a subscription.
    ///
    /// - Parameters:
    ///   - subscriber: the subscriber, which nothing else calls.
    ///   - source: the source of the call, used at the first demand of the subscriber.
    ///   - executor: the executor that calls the subscriber.
    ///   - output: a closure that returns the output for an event, or nil if the subscriber does not
    ///     get the event.
    init<Downstream: Subscriber>(
        _ subscriber: Downstream,
        _ source: CallSource<Value>,
        _ executor: HTTPCallbackExecutor,
        _ output: @escaping @Sendable (Event) -> Output?
    ) where Downstream.Input == Output, Downstream.Failure == HTTPError {
        self.source = source
        self.executor = executor
        self.output = output
        listener = Listener {
            subscriber.receive($0)
        } end: {
            subscriber.receive(completion: $0)
        }
    }

    // MARK: - Subscriber

    func request(_ demand: Subscribers.Demand) {
        let isFirst = state.withLock { state in
            guard demand != .none, !state.isCancelled else { return false }
            state.add(demand)
            defer { state.hasStarted = true }
            return !state.hasStarted
        }
        if isFirst { start() } else { deliver() }
    }

    func cancel() {
        let call = state.withLock { state in
            state.isCancelled = true
            defer { state.call = nil }
            return state.call
        }
        if let call { detach(call) }
        deliver()
    }

    private func start() {
        let call = source.call()
        state.withLock { $0.call = call }
        call.record.add(
            CallRecord.Subscriber(
                interest: .everything,
                token: token,
                put: { self.enqueue($0) },
                deliver: { self.deliver() },
                // `next()` ends the subscription: after the pending events, or after a cancellation.
                close: {}
            )
        )
        // The subscription may have been canceled before the call existed.
        if state.withLock({ $0.isCancelled }) { detach(call) }
    }

    private func detach(_ call: HTTPCall<Value>) {
        call.removeObservers(token)
        if case .newCall = source { call.cancel() }
    }

    // MARK: - Call

    private func enqueue(_ event: Event) {
        let isWanted = output(event) != nil
        state.withLock { state in
            if isWanted {
                state.pending.removeAll { CallRecord<Value>.supersedes(event, $0) }
                state.pending.append(event)
            }
            switch event {
            case .result(.success): state.end = .finished
            case .result(.failure(let error)): state.end = .failed(error)
            default: break
            }
        }
    }

    /// Schedules the delivery of events, unless a delivery is already in progress.
    private func deliver() {
        let shouldStart = state.withLock { state in
            guard !state.isDelivering else { return false }
            state.isDelivering = true
            return true
        }
        if shouldStart { executor.schedule { self.drain() } }
    }

    private func drain() {
        while let step = next() {
            switch step {
            case .send(let event):
                guard let listener, let output = output(event) else { continue }
                let more = listener.send(output)
                state.withLock { $0.add(more) }
            case .end(let end):
                let last = listener
                listener = nil
                switch end {
                case .finished: last?.end(.finished)
                case .failed(let error): last?.end(.failure(error))
                }
                return
            case .release:
                listener = nil
                return
            }
        }
    }

    /// Returns the next step; nil if there is none, and then another thread may deliver.
    private func next() -> Step? {
        state.withLock { state in
            if state.isCancelled {
                state.pending = []
                return .release
            }
            if !state.pending.isEmpty, state.requestedCount > 0 {
                if state.requestedCount < .max { state.requestedCount -= 1 }
                return .send(state.pending.removeFirst())
            }
            if state.pending.isEmpty, let end = state.end {
                state.call = nil
                return .end(end)
            }
            state.isDelivering = false
            return nil
        }
    }
}

extension HTTPCallbackExecutor {
    /// Creates an executor for an actor; if it is nil, callbacks run inline.
    init(_ isolation: (any Actor)?) {
        self = isolation.map { .actor($0) } ?? .inline
    }
}
#endif

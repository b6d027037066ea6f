#if OpenCombine
internal import OpenCombine
internal import SocketTransport

/// Says where the call of a subscription comes from.
enum CallSource<Value: Sendable>: Sendable {
    /// The subscription starts it, and takes it along when it is cancelled.
    case newCall(@Sendable () -> HTTPCall<Value>)
    /// It is under way, and others may watch it.
    case existingCall(HTTPCall<Value>)

    func call() -> HTTPCall<Value> {
        switch self {
        case .newCall(let start): start()
        case .existingCall(let call): call
        }
    }
}

/// Brings the events of a call to one subscriber: as many as it asks for, one at a time.
///
/// Neither subscribers nor what they are made of are Sendable, while the news of a call comes on any
/// thread. So only who has set `isDelivering` calls the subscriber or forgets it; all else is in the
/// lock.
final class CallSubscription<Value: Sendable, Output: Sendable>: Subscription,
    // `listener` is touched only by who has set `isDelivering`, which is one at a time.
    @unchecked Sendable
{
    typealias Event = HTTPCall<Value>.Event

    /// A subscriber without its type, which could not be named where news comes from.
    private struct Listener {
        let send: (Output) -> Subscribers.Demand
        let end: (Subscribers.Completion<HTTPError>) -> Void
    }

    private enum End: Sendable {
        case finished
        case failed(HTTPError)
    }

    private struct State: Sendable {
        /// How many more events the subscriber takes; `Int.max` means all.
        var requestedCount = 0
        /// What it has not taken; progress makes older progress needless, so these are six at most.
        var pending: [Event] = []
        var end: End?
        var call: HTTPCall<Value>?
        var hasStarted = false
        /// Stays true behind the end: nobody calls the subscriber any more.
        var isDelivering = false
        var isCancelled = false

        /// All is never too much.
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

    /// - Parameters:
    ///   - subscriber: is called by nobody else.
    ///   - source: asked when the subscriber wants something for the first time.
    ///   - executor: where the subscriber is called.
    ///   - output: what the subscriber gets of an event; nil when it is not told of it.
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

    // MARK: - What the subscriber says

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
                // Whoever wants nothing more has cancelled.
                close: {}
            )
        )
        // It may have been cancelled before there was a call to leave.
        if state.withLock({ $0.isCancelled }) { detach(call) }
    }

    private func detach(_ call: HTTPCall<Value>) {
        call.removeObservers(token)
        if case .newCall = source { call.cancel() }
    }

    // MARK: - What the call says

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

    /// Has the subscriber told what it wants to know, unless somebody does so already.
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

    /// What to do next; nil when there is nothing, and then somebody else may deliver.
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
    /// Calls on an actor, or at once where there is none.
    init(_ isolation: (any Actor)?) {
        self = isolation.map { .actor($0) } ?? .inline
    }
}
#endif

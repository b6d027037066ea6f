#if OpenCombine
internal import OpenCombine
internal import SocketTransport

/// Says where the call of a subscription comes from.
enum CallSource<Value: Sendable>: Sendable {
    /// The subscription starts it, and takes it along when it is cancelled.
    case own(@Sendable () -> HTTPCall<Value>)
    /// It is under way, and others may watch it.
    case others(HTTPCall<Value>)

    func call() -> HTTPCall<Value> {
        switch self {
        case .own(let start): start()
        case .others(let call): call
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
        let give: (Output) -> Subscribers.Demand
        let end: (Subscribers.Completion<HTTPError>) -> Void
    }

    private enum End: Sendable {
        case finished
        case failed(HTTPError)
    }

    private struct State: Sendable {
        /// How many more events the subscriber takes; `Int.max` means all.
        var wanted = 0
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
            let (sum, isTooMuch) = wanted.addingReportingOverflow(demand.max ?? .max)
            wanted = isTooMuch ? .max : sum
        }
    }

    private enum Step: Sendable {
        case give(Event)
        case end(End)
        case forget
    }

    private let state = Locked(State())
    private let token = HTTPObserverToken()
    private let source: CallSource<Value>
    private let delivery: HTTPDelivery
    private let output: @Sendable (Event) -> Output?
    private var listener: Listener?

    /// - Parameters:
    ///   - subscriber: is called by nobody else.
    ///   - source: asked when the subscriber wants something for the first time.
    ///   - delivery: where the subscriber is called.
    ///   - output: what the subscriber gets of an event; nil when it is not told of it.
    init<Downstream: Subscriber>(
        _ subscriber: Downstream,
        _ source: CallSource<Value>,
        _ delivery: HTTPDelivery,
        _ output: @escaping @Sendable (Event) -> Output?
    ) where Downstream.Input == Output, Downstream.Failure == HTTPError {
        self.source = source
        self.delivery = delivery
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
        if let call { leave(call) }
        deliver()
    }

    private func start() {
        let call = source.call()
        state.withLock { $0.call = call }
        call.record.add(
            CallRecord.Watcher(
                interest: .everything,
                token: token,
                put: { self.put($0) },
                deliver: { self.deliver() },
                // Whoever wants nothing more has cancelled.
                close: {}
            )
        )
        // It may have been cancelled before there was a call to leave.
        if state.withLock({ $0.isCancelled }) { leave(call) }
    }

    private func leave(_ call: HTTPCall<Value>) {
        call.removeObservers(token)
        if case .own = source { call.cancel() }
    }

    // MARK: - What the call says

    private func put(_ event: Event) {
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
        let begins = state.withLock { state in
            guard !state.isDelivering else { return false }
            state.isDelivering = true
            return true
        }
        if begins { delivery.schedule { self.empty() } }
    }

    private func empty() {
        while let step = next() {
            switch step {
            case .give(let event):
                guard let listener, let output = output(event) else { continue }
                let more = listener.give(output)
                state.withLock { $0.add(more) }
            case .end(let end):
                let last = listener
                listener = nil
                switch end {
                case .finished: last?.end(.finished)
                case .failed(let error): last?.end(.failure(error))
                }
                return
            case .forget:
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
                return .forget
            }
            if !state.pending.isEmpty, state.wanted > 0 {
                if state.wanted < .max { state.wanted -= 1 }
                return .give(state.pending.removeFirst())
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

extension HTTPDelivery {
    /// Calls on an actor, or at once where there is none.
    init(_ isolation: (any Actor)?) {
        self = isolation.map { .actor($0) } ?? .inline
    }
}
#endif

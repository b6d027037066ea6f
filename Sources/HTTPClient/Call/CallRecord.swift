internal import SocketTransport
internal import Wire

/// A record of the events of a call, which delivers them to the observers.
final class CallRecord<Value: Sendable>: Sendable {
    typealias Event = HTTPCall<Value>.Event
    typealias State = HTTPCall<Value>.State

    /// The events that a subscriber wants.
    enum Interest: Sendable {
        case informational
        case progress
        case response
        case result
        case everything
    }

    /// A subscriber to the events of a call.
    struct Subscriber: Sendable {
        let interest: Interest
        let token: HTTPObserverToken?
        /// A closure that queues an event; called under the record's lock.
        let put: @Sendable (Event) -> Void
        /// A closure that delivers the queued events; called without the lock.
        let deliver: @Sendable () -> Void
        /// A closure that ends the subscription; no event follows.
        let close: @Sendable () -> Void

        func wants(_ event: Event) -> Bool {
            switch (interest, event) {
            case (.everything, _), (.informational, .informational), (.progress, .progress),
                (.response, .response), (.result, .result):
                true
            default: false
            }
        }
    }

    private struct Shared: Sendable {
        var state: State
        var subscribers: [Subscriber] = []
        /// Whether an attempt has begun.
        var hasBegun = false
        var keepsPartialFile = false
        /// The past events, for late observers; only the newest progress of each direction.
        var past: [Event] = []
        /// The engine and the request of the call while it runs, for threads that wait for it.
        var running: (engine: Engine, request: HTTPRequest)?

        var wantsProgress: Bool {
            subscribers.contains { $0.interest == .progress || $0.interest == .everything }
        }
    }

    /// The reporter of the call's progress.
    let progress: ProgressReporter
    /// The pause of the call.
    let gate: PauseGate
    private let shared: Locked<Shared>
    /// The directions whose progress the call reports.
    private let directions: [HTTPProgress.Direction]
    /// The delivery of the events of the loop.
    private let delivery: DeliveryTask

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - request: the request of the call.
    ///   - client: the client that runs it.
    ///   - directions: the directions whose progress the call reports.
    init(_ request: HTTPRequest, in client: ClientCore, _ directions: [HTTPProgress.Direction]) {
        self.directions = directions
        delivery = DeliveryTask(on: client.engine.loop.simulatedExecutor)
        progress = ProgressReporter(on: client.engine.loop, directions)
        gate = PauseGate(on: client.engine.loop)
        var shared = Shared(state: client.queue == nil ? .running : .waiting)
        shared.running = (client.engine, request)
        self.shared = Locked(shared)
    }

    var state: State { shared.withLock { $0.state } }

    /// The engine and the request of the call; nil when it is over.
    var running: (engine: Engine, request: HTTPRequest)? { shared.withLock { $0.running } }

    /// The result of the call; nil while it runs.
    var result: Result<Value, HTTPError>? {
        shared.withLock { shared in
            guard case .result(let result)? = shared.past.last else { return nil }
            return result
        }
    }

    /// Whether a canceled download keeps its partial file.
    var keepsPartialFile: Bool { shared.withLock { $0.keepsPartialFile } }

    func keepPartialFile() {
        shared.withLock { $0.keepsPartialFile = true }
    }

    // MARK: - Events

    /// Records that an attempt begins, and reports `.running` for the first one.
    func begin() {
        let isFirst = shared.withLock { shared in
            defer {
                shared.state = .running
                shared.hasBegun = true
            }
            return !shared.hasBegun
        }
        if isFirst { notify(.running) }
    }

    /// Records an event and delivers it to the subscribers that want it.
    ///
    /// Progress after the final progress of its direction is ignored. The writer of a file calls this
    /// with the number of bytes; the speed and the phase are added here.
    func notify(_ event: Event) {
        var event = event
        if case .progress(let counted) = event { event = .progress(progress.completing(counted)) }
        for subscriber in put(event) { subscriber.deliver() }
    }

    /// Records an event at once and delivers it in a task; for events on the loop.
    ///
    /// Observers must not run on the loop. The order of the events is that in which they were recorded.
    /// ``finish(_:of:in:)`` waits for the task.
    func notifyOffLoop(_ event: Event) {
        guard !put(event).isEmpty else { return }
        delivery.request {
            for subscriber in self.shared.withLock({ $0.subscribers }) { subscriber.deliver() }
        }
    }

    /// Records an event and queues it for the subscribers that want it.
    ///
    /// - Returns: these subscribers; the caller delivers the event to them.
    private func put(_ event: Event) -> [Subscriber] {
        shared.withLock { shared in
            guard !shared.past.contains(where: { Self.isLast($0, before: event) }) else {
                return []
            }
            shared.past.removeAll { Self.supersedes(event, $0) }
            shared.past.append(event)
            if case .informational = event { Self.dropOldestInformational(&shared.past) }
            let notified = shared.subscribers.filter { $0.wants(event) }
            // Under the lock, so that all subscribers get the events in the same order.
            for subscriber in notified { subscriber.put(event) }
            return notified
        }
    }

    /// Reports the final progress and the result, and releases the subscribers.
    ///
    /// - Parameters:
    ///   - result: the result of the call.
    ///   - request: the request of the call.
    ///   - client: the client of the call, whose encoder determines the length of a JSON body.
    func finish(
        _ result: Result<Value, HTTPError>,
        of request: HTTPRequest,
        in client: ClientCore
    ) async {
        progress.end()
        endPauses(after: result)
        await delivery.finish()
        await endSampling()
        notifyFinalProgress(of: request, in: client)
        let isCancelled: Bool
        if case .failure(let error) = result {
            isCancelled = error.isCancellation
        } else {
            isCancelled = false
        }
        shared.withLock { $0.state = isCancelled ? .cancelled : .finished }
        notify(.result(result))
        // No event follows.
        let subscribers = shared.withLock { shared in
            defer {
                shared.subscribers = []
                shared.running = nil
            }
            return shared.subscribers
        }
        for subscriber in subscribers where subscriber.interest == .everything {
            subscriber.close()
        }
    }

    /// Ends the pause of the call; that of a streamed body ends with the body.
    private func endPauses(after result: Result<Value, HTTPError>) {
        if case .success(let value) = result, let response = value as? HTTPStreamedResponse,
            let body = response.bodySource.received
        {
            body.onEnd { [gate] in _ = gate.set(.over) }
        } else {
            _ = gate.set(.over)
        }
    }

    /// Reports the final progress of each direction for which a failed call has reported none.
    private func notifyFinalProgress(of request: HTTPRequest, in client: ClientCore) {
        let download = shared.withLock { shared in
            shared.past.compactMap { Self.downloadProgress(in: $0) }.last
        }
        if !progress.hasBegun, let unsent = unsentProgress(of: request, in: client) {
            notify(.progress(unsent))
        }
        guard directions.contains(.download), download?.isFinal != true else { return }
        notify(
            .progress(
                HTTPProgress(
                    .download,
                    completed: download?.completed ?? 0,
                    total: download?.total,
                    resumedOffset: download?.resumedOffset ?? 0,
                    isFinal: true
                )
            )
        )
    }

    /// Returns the final progress of an upload that sent no bytes; nil if the request has no content.
    private func unsentProgress(of request: HTTPRequest, in client: ClientCore) -> HTTPProgress? {
        var request = request
        request.encodeBody(with: client.configuration.settings.coders)
        guard !request.body.isKnownEmpty else { return nil }
        return HTTPProgress(.upload, completed: 0, total: request.body.length, isFinal: true)
    }

    private static func downloadProgress(in event: Event) -> HTTPProgress? {
        guard case .progress(let progress) = event, progress.direction == .download else {
            return nil
        }
        return progress
    }

    /// Returns whether `new` replaces `old`: both are progress of the same direction.
    @Sendable static func supersedes(_ new: Event, _ old: Event) -> Bool {
        guard case .progress(let new) = new, case .progress(let old) = old else { return false }
        return new.direction == old.direction
    }

    /// Removes the oldest 1xx response if there are too many, because each attempt can add some.
    private static func dropOldestInformational(_ past: inout [Event]) {
        let places = past.indices.filter {
            if case .informational = past[$0] { true } else { false }
        }
        if places.count > WireLimits.default.informationalCount { past.remove(at: places[0]) }
    }

    private static func isLast(_ old: Event, before new: Event) -> Bool {
        guard case .progress(let old) = old, old.isFinal else { return false }
        return supersedes(new, .progress(old))
    }

    // MARK: - Subscribers

    func add(
        _ interest: Interest,
        _ executor: HTTPCallbackExecutor,
        _ token: HTTPObserverToken?,
        _ body: @escaping @Sendable (Event) -> Void
    ) {
        let queue = EventQueue(executor, supersedes: Self.supersedes, body)
        add(
            Subscriber(
                interest: interest,
                token: token,
                put: { queue.put($0) },
                deliver: { queue.deliver() },
                close: { queue.close() }
            )
        )
    }

    func add(_ buffer: EventBuffer<Event>) {
        let isOver = add(
            Subscriber(
                interest: .everything,
                token: nil,
                put: { buffer.put($0, supersedes: Self.supersedes) },
                deliver: { buffer.deliver() },
                close: { buffer.end() }
            )
        )
        if isOver { buffer.end() }
    }

    /// Adds a subscriber and delivers the past events to it.
    ///
    /// - Returns: whether the call is over, so that no more events follow.
    @discardableResult
    func add(_ subscriber: Subscriber) -> Bool {
        let isOver = shared.withLock { shared in
            for event in shared.past where subscriber.wants(event) { subscriber.put(event) }
            if case .result = shared.past.last { return true }
            shared.subscribers.append(subscriber)
            return false
        }
        subscriber.deliver()
        if !isOver { watchProgress() }
        return isOver
    }

    func removeObservers(_ token: HTTPObserverToken) {
        let removed = shared.withLock { shared in
            let removed = shared.subscribers.filter { $0.token == token }
            shared.subscribers.removeAll { $0.token == token }
            return removed
        }
        for subscriber in removed { subscriber.close() }
    }

    // MARK: - Progress

    /// Begins to report progress if an observer wants it.
    ///
    /// It does not stop when the observer is removed. Another one may come, and gets the newest progress.
    private func watchProgress() {
        guard shared.withLock({ $0.wantsProgress }) else { return }
        progress.watch { self.notifyOffLoop(.progress($0)) }
    }

    /// Ends the progress of the attempts, and reports the final progress.
    ///
    /// Call it when the last attempt has ended: with its body, or with its head if the body is streamed.
    func endSampling() async {
        for last in progress.finish() { notify(.progress(last)) }
    }
}

/// An observer that records the attempts of a call for its ``HTTPCall``.
struct RecordedAttempts<Value: Sendable>: AttemptObserver {
    private let record: CallRecord<Value>
    /// The policies that decide which head is final; nil to record no head and no download.
    private let policies: Policies?

    init(_ record: CallRecord<Value>, _ policies: Policies?) {
        self.record = record
        self.policies = policies
        record.progress.count(downloadsBy: policies == nil ? .writer : .connection)
    }

    var progress: ProgressReporter? { record.progress }
    var gate: PauseGate? { record.gate }

    func attemptWillRun(_ attempt: RequestAttempt, on engine: Engine) {
        record.begin()
        attempt.liveObserver = RecordedHeads(record, policies, after: attempt.liveObserver)
    }

    func headIsFinal(_ head: ResponseHead) {
        if policies != nil { record.notify(.head(head)) }
    }
}

/// A buffer of the events that an iterator has not returned yet.
final class EventBuffer<Event: Sendable>: Sendable {
    /// A stream with an element whenever events may be available; it ends after the last event.
    let signals: AsyncStream<Void>

    private let signal: AsyncStream<Void>.Continuation
    private let pending = Locked<[Event]>([])

    init() {
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds an event and removes the events that it supersedes.
    func put(_ event: Event, supersedes: (Event, Event) -> Bool) {
        pending.withLock { pending in
            pending.removeAll { supersedes(event, $0) }
            pending.append(event)
        }
    }

    /// Resumes an iterator that waits for events.
    func deliver() {
        signal.yield()
    }

    /// Ends the signals after the last event; buffered events can still be taken.
    func end() {
        signal.finish()
    }

    func takeFirst() -> Event? {
        pending.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

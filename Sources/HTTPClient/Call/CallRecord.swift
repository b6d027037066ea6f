internal import SocketTransport

/// Keeps what has happened to a call, and tells those who watch.
final class CallRecord<Value: Sendable>: Sendable {
    typealias Event = HTTPCall<Value>.Event
    typealias State = HTTPCall<Value>.State

    /// Says which events an observer wants.
    enum Interest: Sendable {
        case progress
        case response
        case result
        case everything
    }

    /// Somebody who watches.
    struct Subscriber: Sendable {
        let interest: Interest
        let token: HTTPObserverToken?
        /// Takes an event, under a lock.
        let put: @Sendable (Event) -> Void
        /// Tells of what was taken, under none.
        let deliver: @Sendable () -> Void
        /// Forgets what was not told; nothing more comes.
        let close: @Sendable () -> Void

        func wants(_ event: Event) -> Bool {
            switch (interest, event) {
            case (.everything, _), (.progress, .progress), (.response, .response),
                (.result, .result):
                true
            default: false
            }
        }
    }

    /// Who looks how far the bytes are, as long as there is somebody to tell.
    private enum Sampling: Sendable {
        /// The call has not begun, ended, or tells by itself.
        case none
        /// Nobody wants to know so far.
        case possible(ProgressSampler)
        case inProgress(ProgressSampler, Task<Void, Never>)
        /// The attempt is over.
        case over(ProgressSampler)
    }

    private struct Shared: Sendable {
        var state: State
        var subscribers: [Subscriber] = []
        var sampling = Sampling.none
        /// Its turn has come before.
        var hasBegun = false
        /// The call has begun, so that who samples knows of its upload.
        var wasSampled = false
        var keepsPartialFile = false
        /// What who comes late is told; never more than one of a kind.
        var past: [Event] = []

        var wantsProgress: Bool {
            subscribers.contains { $0.interest == .progress || $0.interest == .everything }
        }
    }

    private let shared: Locked<Shared>

    init(_ state: State) {
        shared = Locked(Shared(state: state))
    }

    var state: State { shared.withLock { $0.state } }

    /// Whether what a cancelled download has received is to be kept.
    var keepsPartialFile: Bool { shared.withLock { $0.keepsPartialFile } }

    func keepPartialFile() {
        shared.withLock { $0.keepsPartialFile = true }
    }

    // MARK: - Telling

    /// The call's turn has come.
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

    /// Keeps an event and tells those who want it; what comes behind the last news of a direction
    /// is none.
    func notify(_ event: Event) {
        for subscriber in put(event) { subscriber.deliver() }
    }

    /// The same on the loop, where nobody may be called: only the order is settled there.
    func notifyOffLoop(_ event: Event) {
        let notified = put(event)
        guard !notified.isEmpty else { return }
        Task { for subscriber in notified { subscriber.deliver() } }
    }

    /// Keeps an event and gives it to those who want it; they are still to be told.
    private func put(_ event: Event) -> [Subscriber] {
        shared.withLock { shared in
            guard !shared.past.contains(where: { Self.isLast($0, before: event) }) else {
                return []
            }
            shared.past.removeAll { Self.supersedes(event, $0) }
            shared.past.append(event)
            let notified = shared.subscribers.filter { $0.wants(event) }
            // Under the lock, so that all are told in the same order.
            for subscriber in notified { subscriber.put(event) }
            return notified
        }
    }

    /// The call is over.
    ///
    /// - Parameters:
    ///   - result: how it ended.
    ///   - request: what was to be sent.
    ///   - client: the client of the call, whose encoder makes the length of a body of JSON.
    func finish(
        _ result: Result<Value, HTTPError>,
        of request: HTTPRequest,
        in client: HTTPClient
    ) async {
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
        // Nothing comes any more, so nobody needs to be kept.
        let subscribers = shared.withLock { shared in
            defer { shared.subscribers = [] }
            return shared.subscribers
        }
        for subscriber in subscribers where subscriber.interest == .everything {
            subscriber.close()
        }
    }

    /// Tells the last of each direction of which nobody has told it: the call failed too early.
    private func notifyFinalProgress(of request: HTTPRequest, in client: HTTPClient) {
        let (wasSampled, download) = shared.withLock { shared in
            (shared.wasSampled, shared.past.compactMap { Self.download($0) }.last)
        }
        if !wasSampled, let unsent = HTTPProgress.nothingSent(of: request, in: client) {
            notify(.progress(unsent))
        }
        guard download?.isFinal != true else { return }
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

    private static func download(_ event: Event) -> HTTPProgress? {
        guard case .progress(let progress) = event, progress.direction == .download else {
            return nil
        }
        return progress
    }

    /// Newer progress makes older of the same direction needless.
    @Sendable static func supersedes(_ new: Event, _ old: Event) -> Bool {
        guard case .progress(let new) = new, case .progress(let old) = old else { return false }
        return new.direction == old.direction
    }

    private static func isLast(_ old: Event, before new: Event) -> Bool {
        guard case .progress(let old) = old, old.isFinal else { return false }
        return supersedes(new, .progress(old))
    }

    // MARK: - Watching

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

    /// Adds somebody, who is told what has happened; returns whether that is all there will be.
    @discardableResult
    func add(_ subscriber: Subscriber) -> Bool {
        let isOver = shared.withLock { shared in
            for event in shared.past where subscriber.wants(event) { subscriber.put(event) }
            if case .result = shared.past.last { return true }
            shared.subscribers.append(subscriber)
            startSampling(&shared)
            return false
        }
        subscriber.deliver()
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

    // MARK: - Looking how far it is

    /// From now on the bytes of `sampler`'s call move.
    func sample(_ sampler: ProgressSampler) {
        shared.withLock { shared in
            shared.wasSampled = true
            shared.sampling = .possible(sampler)
            startSampling(&shared)
        }
    }

    private func startSampling(_ shared: inout Shared) {
        guard case .possible(let sampler) = shared.sampling, shared.wantsProgress else { return }
        let task = Task { await sampler.run { self.notify(.progress($0)) } }
        shared.sampling = .inProgress(sampler, task)
    }

    /// An attempt is over and may have been the last: nobody looks any more, and ``endSampling()`` can
    /// still tell where it stood.
    func pauseSampling() async {
        // Decided and stored under one lock: an observer that is added meanwhile would start a task that
        // nothing ends.
        let task = shared.withLock { shared -> Task<Void, Never>? in
            switch shared.sampling {
            case .none, .over: return nil
            case .possible(let sampler):
                shared.sampling = .over(sampler)
                return nil
            case .inProgress(let sampler, let task):
                shared.sampling = .over(sampler)
                return task
            }
        }
        guard let task else { return }
        task.cancel()
        await task.value
    }

    /// Nobody is at work on the call, on the loop or elsewhere: tells where it stands, for the last
    /// time.
    func endSampling() async {
        let sampling = shared.withLock { shared in
            defer { shared.sampling = .none }
            return shared.sampling
        }
        switch sampling {
        case .none: return
        case .possible(let sampler), .over(let sampler):
            for progress in sampler.last() { notify(.progress(progress)) }
        case .inProgress(let sampler, let task):
            task.cancel()
            await task.value
            for progress in sampler.last() { notify(.progress(progress)) }
        }
    }
}

/// Keeps the events that a sequence has not asked for yet.
final class EventBuffer<Event: Sendable>: Sendable {
    /// Comes whenever there may be something to take; ends behind the last event.
    let signals: AsyncStream<Void>

    private let signal: AsyncStream<Void>.Continuation
    private let pending = Locked<[Event]>([])

    init() {
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds an event, in place of those that it makes needless.
    func put(_ event: Event, supersedes: (Event, Event) -> Bool) {
        pending.withLock { pending in
            pending.removeAll { supersedes(event, $0) }
            pending.append(event)
        }
    }

    /// Wakes who waits for events.
    func deliver() {
        signal.yield()
    }

    /// Says that the last event is in.
    func end() {
        signal.finish()
    }

    func takeFirst() -> Event? {
        pending.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

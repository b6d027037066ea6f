internal import SocketTransport

/// A queue that delivers events to one observer, in order and one at a time, on its executor.
///
/// Adding and delivering an event are two steps. So several queues can get an event under one lock,
/// and deliver it after the lock is released. The queue stays short even if the observer is slow:
/// newer progress replaces undelivered older progress.
final class EventQueue<Event: Sendable>: Sendable {
    private struct Contents: Sendable {
        var pending: [Event] = []
        var isDelivering = false
        var isClosed = false
    }

    private let contents = Locked(Contents())
    private let executor: HTTPCallbackExecutor
    private let supersedes: @Sendable (Event, Event) -> Bool
    private let body: @Sendable (Event) -> Void

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - executor: the executor of the observer.
    ///   - supersedes: a closure that returns whether the first event replaces the second, older one.
    ///   - body: the observer; it gets each event.
    init(
        _ executor: HTTPCallbackExecutor,
        supersedes: @escaping @Sendable (Event, Event) -> Bool,
        _ body: @escaping @Sendable (Event) -> Void
    ) {
        self.executor = executor
        self.supersedes = supersedes
        self.body = body
    }

    /// Adds an event; call ``deliver()`` afterwards.
    func put(_ event: Event) {
        contents.withLock { contents in
            guard !contents.isClosed else { return }
            contents.pending.removeAll { supersedes(event, $0) }
            contents.pending.append(event)
        }
    }

    /// Schedules the delivery of the queued events, unless a delivery is in progress.
    func deliver() {
        let begins = contents.withLock { contents in
            guard !contents.pending.isEmpty, !contents.isDelivering else { return false }
            contents.isDelivering = true
            return true
        }
        if begins { executor.schedule { self.drain() } }
    }

    /// Discards the undelivered events and ignores later ones.
    func close() {
        contents.withLock { contents in
            contents.isClosed = true
            contents.pending = []
        }
    }

    private func drain() {
        while let event = next() { body(event) }
    }

    private func next() -> Event? {
        contents.withLock { contents in
            guard !contents.pending.isEmpty else {
                contents.isDelivering = false
                return nil
            }
            return contents.pending.removeFirst()
        }
    }
}

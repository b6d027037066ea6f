internal import SocketTransport

/// Brings events to one observer: in order, one at a time, where it wants them.
///
/// Putting an event in and delivering are two steps, so that many boxes can be filled under one
/// lock and emptied after it. It holds little however slow the observer is: newer progress takes the
/// place of older that was not delivered.
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

    /// - Parameters:
    ///   - executor: where `body` is called.
    ///   - supersedes: whether the first event makes the second, older one needless.
    ///   - body: gets each event.
    init(
        _ executor: HTTPCallbackExecutor,
        supersedes: @escaping @Sendable (Event, Event) -> Bool,
        _ body: @escaping @Sendable (Event) -> Void
    ) {
        self.executor = executor
        self.supersedes = supersedes
        self.body = body
    }

    /// Puts an event in; ``deliver()`` must follow.
    func put(_ event: Event) {
        contents.withLock { contents in
            guard !contents.isClosed else { return }
            contents.pending.removeAll { supersedes(event, $0) }
            contents.pending.append(event)
        }
    }

    /// Has the observer called with what is there, unless it is being called already.
    func deliver() {
        let begins = contents.withLock { contents in
            guard !contents.pending.isEmpty, !contents.isDelivering else { return false }
            contents.isDelivering = true
            return true
        }
        if begins { executor.schedule { self.drain() } }
    }

    /// Forgets what was not delivered, and takes nothing more.
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

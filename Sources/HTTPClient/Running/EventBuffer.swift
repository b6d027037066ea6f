internal import SocketTransport

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

public import HTTPClient
internal import SocketTransport

/// An observer that provides the steps of all calls as an asynchronous sequence.
///
///     let log = HTTPEventLog()
///     let client = HTTPClient().with { $0.observers.append(log) }
///     Task {
///         for await event in log { print(event.callID, event.step) }
///     }
///
/// The log is for one reader. Tasks that read at the same time share the events, and each event goes to
/// one of them. The log buffers events until they are read. At the limit it drops the oldest events and
/// counts them in ``dropped``. Calls never wait for a reader. Events of one call are in order.
///
/// The sequence ends when the reading task is canceled, or after ``finish()`` once the buffered events
/// have been read. From then on the log buffers nothing and counts no drops.
public final class HTTPEventLog: HTTPObserver, AsyncSequence {
    /// The element of the sequence.
    public typealias Element = Event
    /// Reading never fails.
    public typealias Failure = Never

    /// The steps that the log has.
    public let interests: HTTPStep.Interests

    private let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let lost = Locked(0)

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - limit: how many events are buffered for a reader; at least 1. Default 1024, the steps of
    ///     about 200 calls: enough for a reader that reads once a second. Events have no bodies, so they need
    ///     little memory.
    ///   - interests: the steps to log. Default `.calls`; `.all` adds the phases of attempts.
    public init(limit: Int = 1024, interests: HTTPStep.Interests = .calls) {
        self.interests = interests
        (events, continuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(Swift.max(limit, 1))
        )
    }

    /// The number of events that were dropped to make room for newer ones.
    public var dropped: Int { lost.withLock { $0 } }

    /// Adds a step to the log.
    public func observe(_ step: HTTPStep, _ context: HTTPContext) {
        guard case .dropped = continuation.yield(Event(step, context)) else { return }
        lost.withLock { $0 += 1 }
    }

    /// Ends the sequence after the events that are buffered.
    public func finish() {
        continuation.finish()
    }

    /// Returns an iterator that continues where the last reader stopped.
    public func makeAsyncIterator() -> Iterator {
        Iterator(events: events)
    }

    /// An iterator over the events.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        /// All iterators of a stream share its buffer.
        fileprivate let events: AsyncStream<Event>

        /// Returns the next event when there is one; nil at the end.
        public mutating func next() async -> Event? {
            var iterator = events.makeAsyncIterator()
            return await iterator.next()
        }

        /// Returns the next event when there is one; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? {
            var iterator = events.makeAsyncIterator()
            return await iterator.next(isolation: actor)
        }
    }
}

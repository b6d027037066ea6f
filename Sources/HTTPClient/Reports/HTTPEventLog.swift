internal import SocketTransport

/// Gives the steps of all calls as a sequence: an observer to be read in a loop.
///
///     let log = HTTPEventLog()
///     let client = HTTPClient().with { $0.observers.append(log) }
///     Task {
///         for await event in log { print(event.callID, event.step) }
///     }
///
/// It is for one reader; tasks that read at the same time share the events, and each event goes to one of
/// them. What happens before somebody reads is kept, up to the limit: the oldest events make room for new
/// ones, and are counted in ``dropped``. Calls never wait for a reader. Events of one call are in order.
///
/// The sequence ends when the reading task is cancelled, or by ``finish()`` behind what is there already.
/// From then on the log keeps nothing and drops nothing.
public final class HTTPEventLog: HTTPObserver, AsyncSequence {
    /// Is what the log gives.
    public typealias Element = HTTPEvent
    /// Reading never fails.
    public typealias Failure = Never

    private let events: AsyncStream<HTTPEvent>
    private let continuation: AsyncStream<HTTPEvent>.Continuation
    private let lost = Locked(0)

    /// Makes a log.
    ///
    /// - Parameter limit: how many events are kept for a reader; at least 1. Default 1024, the steps of
    ///   some 200 calls: enough for a reader who looks once a second, and little memory, as events have
    ///   no bodies.
    public init(limit: Int = 1024) {
        (events, continuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(Swift.max(limit, 1))
        )
    }

    /// How many events nobody will read, because newer ones took their place.
    public var dropped: Int { lost.withLock { $0 } }

    /// Keeps a step.
    public func observe(_ step: HTTPStep, _ context: HTTPContext) {
        guard case .dropped = continuation.yield(HTTPEvent(step, context)) else { return }
        lost.withLock { $0 += 1 }
    }

    /// Ends the sequence behind the events that are there.
    public func finish() {
        continuation.finish()
    }

    /// Begins to read where the last reader stopped.
    public func makeAsyncIterator() -> Iterator {
        Iterator(events: events)
    }

    /// Reads the events.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        /// All iterators of a stream share what is in it.
        fileprivate let events: AsyncStream<HTTPEvent>

        /// Waits for the next event; nil at the end.
        public mutating func next() async -> HTTPEvent? {
            var iterator = events.makeAsyncIterator()
            return await iterator.next()
        }

        /// Waits for the next event; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> HTTPEvent? {
            var iterator = events.makeAsyncIterator()
            return await iterator.next(isolation: actor)
        }
    }
}

#if OpenCombine
public import OpenCombine

/// A publisher of the events of a call: its start after queueing, the response head, progress, the
/// response, and the result if it is a value.
///
///     let subscription = request.eventPublisher(in: client).progress
///         .sink { completion in … } receiveValue: { bar.draw($0) }
///
/// It fails with the ``HTTPError`` of a failed call. A subscriber with little demand misses only
/// outdated progress. So at most six events are pending, and one more for each further attempt that
/// receives a response head.
///
/// Subscribers are called on the same actor as those of ``HTTPPublisher``.
public struct HTTPEventPublisher<Value: Sendable>: Publisher, Sendable {
    /// An event of the call.
    public typealias Output = HTTPCall<Value>.Event
    /// The error of a failed call.
    public typealias Failure = HTTPError

    private let source: CallSource<Value>
    private let executor: HTTPCallbackExecutor

    /// Creates a publisher of calls that a closure starts, such as downloads.
    ///
    /// Canceling a subscription cancels its call.
    ///
    /// - Parameters:
    ///   - isolation: the actor on which subscribers are called. Default: the caller's.
    ///   - start: a closure that starts a call. It runs once per subscriber, at its first demand,
    ///     on any thread.
    public init(
        isolation: (any Actor)? = #isolation,
        _ start: @escaping @Sendable () -> HTTPCall<Value>
    ) {
        source = .newCall(start)
        executor = HTTPCallbackExecutor(isolation)
    }

    fileprivate init(watching call: HTTPCall<Value>, _ isolation: (any Actor)?) {
        source = .existingCall(call)
        executor = HTTPCallbackExecutor(isolation)
    }

    /// Gives the subscriber a subscription, which it can use to request events.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == HTTPError {
        let subscription = CallSubscription(subscriber, source, executor) { event in
            if case .result(.failure) = event { nil } else { event }
        }
        subscriber.receive(subscription: subscription)
    }

    /// A publisher of only the progress events.
    public var progress: Publishers.CompactMap<HTTPEventPublisher, HTTPProgress> {
        compactMap { event in
            if case .progress(let progress) = event { progress } else { nil }
        }
    }
}

extension HTTPCall {
    /// Returns a publisher of this call's events; each subscriber first gets the events so far.
    ///
    /// The call can have other observers. So canceling a subscription does not cancel the call, nor
    /// does ending a loop over ``events``.
    ///
    /// - Parameter isolation: the actor on which subscribers are called. Default: the caller's.
    /// - Returns: a publisher of events.
    public func eventPublisher(
        isolation: (any Actor)? = #isolation
    ) -> HTTPEventPublisher<Value> {
        HTTPEventPublisher(watching: self, isolation)
    }
}

extension HTTPRequestProtocol {
    /// Returns a publisher that sends the request for each subscriber and publishes the events.
    ///
    /// - Parameters:
    ///   - client: the client to use. Default ``HTTPClient/shared``.
    ///   - isolation: the actor on which subscribers are called. Default: the caller's.
    /// - Returns: a publisher of events.
    public func eventPublisher(
        in client: HTTPClient = .shared,
        isolation: (any Actor)? = #isolation
    ) -> HTTPEventPublisher<Value> {
        HTTPEventPublisher(isolation: isolation) { [endpoint] in client.start(endpoint) }
    }
}
#endif

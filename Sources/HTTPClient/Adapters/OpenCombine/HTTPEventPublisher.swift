#if OpenCombine
public import OpenCombine

/// Publishes what happens to a call: its turn has come, the head of the response has, progress, the
/// response, and the result when that is a value.
///
///     let subscription = request.eventPublisher(in: client).progress
///         .sink { completion in … } receiveValue: { bar.draw($0) }
///
/// Fails with the ``HTTPError`` of a call that failed. A subscriber that asks for little misses
/// outdated progress and nothing else, so that never more than six events wait for it.
///
/// Subscribers are called where those of ``HTTPPublisher`` are.
public struct HTTPEventPublisher<Value: Sendable>: Publisher, Sendable {
    /// What happened.
    public typealias Output = HTTPCall<Value>.Event
    /// What can go wrong.
    public typealias Failure = HTTPError

    private let source: CallSource<Value>
    private let executor: HTTPCallbackExecutor

    /// Makes a publisher of calls that a closure starts, such as downloads.
    ///
    /// Cancelling a subscription cancels its call.
    ///
    /// - Parameters:
    ///   - isolation: the actor on which subscribers are called. Default that of the caller.
    ///   - start: called once for each subscriber, when that asks for an event; anywhere.
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

    /// Gives the subscriber a subscription, with which it can ask for events.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == HTTPError {
        let subscription = CallSubscription(subscriber, source, executor) { event in
            if case .result(.failure) = event { nil } else { event }
        }
        subscriber.receive(subscription: subscription)
    }

    /// The same without everything but progress.
    public var progress: Publishers.CompactMap<HTTPEventPublisher, HTTPProgress> {
        compactMap { event in
            if case .progress(let progress) = event { progress } else { nil }
        }
    }
}

extension HTTPCall {
    /// Publishes what happens to this call; each subscriber begins with what has happened already.
    ///
    /// Others may watch the call too, so cancelling a subscription only ends that: it does not
    /// cancel the call, as a loop over ``events`` does not.
    ///
    /// - Parameter isolation: the actor on which subscribers are called. Default that of the caller.
    /// - Returns: a publisher of events.
    public func eventPublisher(
        isolation: (any Actor)? = #isolation
    ) -> HTTPEventPublisher<Value> {
        HTTPEventPublisher(watching: self, isolation)
    }
}

extension HTTPRequest {
    /// Returns a publisher that sends the request for each subscriber and tells what happens.
    ///
    /// - Parameters:
    ///   - client: default ``HTTPClient/shared``.
    ///   - isolation: the actor on which subscribers are called. Default that of the caller.
    /// - Returns: a publisher of events; any status is a response.
    public func eventPublisher(
        in client: HTTPClient = .shared,
        isolation: (any Actor)? = #isolation
    ) -> HTTPEventPublisher<HTTPResponse> {
        HTTPEventPublisher(isolation: isolation) { client.run(self) }
    }
}

extension HTTPEndpoint {
    /// Returns a publisher that sends the request for each subscriber and tells what happens.
    ///
    /// - Parameters:
    ///   - client: default ``HTTPClient/shared``.
    ///   - isolation: the actor on which subscribers are called. Default that of the caller.
    /// - Returns: a publisher of events.
    public func eventPublisher(
        in client: HTTPClient = .shared,
        isolation: (any Actor)? = #isolation
    ) -> HTTPEventPublisher<Value> {
        HTTPEventPublisher(isolation: isolation) { client.run(self) }
    }
}
#endif

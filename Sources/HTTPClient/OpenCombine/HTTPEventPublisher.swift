#if OpenCombine
public import OpenCombine

/// Publishes what happens to a call: progress, the response, and the result when that is a value.
///
///     let subscription = request.eventPublisher(in: client).progress
///         .sink { completion in … } receiveValue: { bar.draw($0) }
///
/// Fails with the ``HTTPError`` of a call that failed. A subscriber that asks for little misses
/// outdated progress and nothing else, so that never more than four events wait for it.
///
/// Subscribers are called where the news comes from, as those of ``HTTPPublisher``.
public struct HTTPEventPublisher<Value: Sendable>: Publisher, Sendable {
    /// What happened.
    public typealias Output = HTTPCall<Value>.Event
    /// What can go wrong.
    public typealias Failure = HTTPError

    private let source: CallSource<Value>

    /// Makes a publisher of calls that a closure starts, such as downloads.
    ///
    /// Cancelling a subscription cancels its call.
    ///
    /// - Parameter start: called once for each subscriber, when that asks for an event.
    public init(_ start: @escaping @Sendable () -> HTTPCall<Value>) {
        source = .own(start)
    }

    fileprivate init(watching call: HTTPCall<Value>) {
        source = .others(call)
    }

    /// Gives the subscriber a subscription, with which it can ask for events.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == HTTPError {
        let subscription = CallSubscription(subscriber, source) { event in
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
    public var eventPublisher: HTTPEventPublisher<Value> { HTTPEventPublisher(watching: self) }
}

extension HTTPRequest {
    /// Returns a publisher that sends the request for each subscriber and tells what happens.
    ///
    /// - Parameter client: default ``HTTPClient/shared``.
    /// - Returns: a publisher of events; any status is a response.
    public func eventPublisher(
        in client: HTTPClient = .shared
    ) -> HTTPEventPublisher<HTTPResponse> {
        HTTPEventPublisher { client.run(self) }
    }
}

extension HTTPEndpoint {
    /// Returns a publisher that sends the request for each subscriber and tells what happens.
    ///
    /// - Parameter client: default ``HTTPClient/shared``.
    /// - Returns: a publisher of events.
    public func eventPublisher(in client: HTTPClient = .shared) -> HTTPEventPublisher<Value> {
        HTTPEventPublisher { client.run(self) }
    }
}
#endif

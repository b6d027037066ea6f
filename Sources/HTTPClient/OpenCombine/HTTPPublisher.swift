#if OpenCombine
public import OpenCombine

/// Publishes the value of a call, one call for each subscriber.
///
///     let subscription = endpoint.publisher(in: client)
///         .sink { completion in … } receiveValue: { user in … }
///
/// Nothing is sent before a subscriber asks for a value, and each that does has a call of its own.
/// It gets one value and the end, or an ``HTTPError``. Cancelling the subscription cancels its call.
///
/// Subscribers are called where the news comes from, on one of the threads of Swift's concurrent
/// pool; `receive(on:)` brings it elsewhere.
public struct HTTPPublisher<Output: Sendable>: Publisher, Sendable {
    /// What can go wrong.
    public typealias Failure = HTTPError

    private let start: @Sendable () -> HTTPCall<Output>

    /// Makes a publisher of calls that a closure starts, such as downloads.
    ///
    ///     HTTPPublisher { request.runDownload(to: path) }
    ///
    /// - Parameter start: called once for each subscriber, when that asks for a value.
    public init(_ start: @escaping @Sendable () -> HTTPCall<Output>) {
        self.start = start
    }

    /// Gives the subscriber a subscription, with which it can ask for the value.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == HTTPError {
        let subscription = CallSubscription(subscriber, .own(start)) { event in
            guard case .result(.success(let value)) = event else { return nil }
            return value
        }
        subscriber.receive(subscription: subscription)
    }
}

extension HTTPRequest {
    /// Returns a publisher that sends the request for each subscriber.
    ///
    /// - Parameter client: default ``HTTPClient/shared``.
    /// - Returns: a publisher of the response, whatever its status.
    public func publisher(in client: HTTPClient = .shared) -> HTTPPublisher<HTTPResponse> {
        HTTPPublisher { client.run(self) }
    }
}

extension HTTPEndpoint {
    /// Returns a publisher that sends the request for each subscriber.
    ///
    /// - Parameter client: default ``HTTPClient/shared``.
    /// - Returns: a publisher of the value.
    public func publisher(in client: HTTPClient = .shared) -> HTTPPublisher<Value> {
        HTTPPublisher { client.run(self) }
    }
}
#endif

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
/// Subscribers are called on the actor on which the publisher was made, so that what their closures
/// reach is theirs; `isolation` names another. Where there is none, they are called where the news
/// comes from, on a thread of Swift's concurrent pool. `receive(on:)` brings it elsewhere, but cannot
/// tell the compiler: a closure of main actor code stops the process when it is called outside.
public struct HTTPPublisher<Output: Sendable>: Publisher, Sendable {
    /// What can go wrong.
    public typealias Failure = HTTPError

    private let start: @Sendable () -> HTTPCall<Output>
    private let executor: HTTPCallbackExecutor

    /// Makes a publisher of calls that a closure starts, such as downloads.
    ///
    ///     HTTPPublisher { request.runDownload(to: path) }
    ///
    /// - Parameters:
    ///   - isolation: the actor on which subscribers are called. Default that of the caller.
    ///   - start: called once for each subscriber, when that asks for a value; anywhere.
    public init(
        isolation: (any Actor)? = #isolation,
        _ start: @escaping @Sendable () -> HTTPCall<Output>
    ) {
        self.start = start
        executor = HTTPCallbackExecutor(isolation)
    }

    /// Gives the subscriber a subscription, with which it can ask for the value.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == HTTPError {
        let subscription = CallSubscription(subscriber, .newCall(start), executor) { event in
            guard case .result(.success(let value)) = event else { return nil }
            return value
        }
        subscriber.receive(subscription: subscription)
    }
}

extension HTTPRequest {
    /// Returns a publisher that sends the request for each subscriber.
    ///
    /// - Parameters:
    ///   - client: default ``HTTPClient/shared``.
    ///   - isolation: the actor on which subscribers are called. Default that of the caller.
    /// - Returns: a publisher of the response, whatever its status.
    public func publisher(
        in client: HTTPClient = .shared,
        isolation: (any Actor)? = #isolation
    ) -> HTTPPublisher<HTTPResponse> {
        HTTPPublisher(isolation: isolation) { client.run(self) }
    }
}

extension HTTPEndpoint {
    /// Returns a publisher that sends the request for each subscriber.
    ///
    /// - Parameters:
    ///   - client: default ``HTTPClient/shared``.
    ///   - isolation: the actor on which subscribers are called. Default that of the caller.
    /// - Returns: a publisher of the value.
    public func publisher(
        in client: HTTPClient = .shared,
        isolation: (any Actor)? = #isolation
    ) -> HTTPPublisher<Value> {
        HTTPPublisher(isolation: isolation) { client.run(self) }
    }
}
#endif

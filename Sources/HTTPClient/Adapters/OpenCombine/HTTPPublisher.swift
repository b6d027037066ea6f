#if OpenCombine
public import OpenCombine

/// A publisher that starts a call for each subscriber and publishes its value.
///
///     let subscription = endpoint.publisher(in: client)
///         .sink { completion in … } receiveValue: { user in … }
///
/// The client sends a request when a subscriber requests a value. The subscriber gets one value and
/// the completion, or an ``HTTPError``. Canceling the subscription cancels its call.
///
/// Subscribers are called on the actor on which the publisher was created, so that their closures
/// can access its state; `isolation` sets another actor. Without an actor, they are called on a
/// thread of Swift's concurrent pool. `receive(on:)` moves the calls elsewhere, which the compiler
/// cannot check: a closure that is isolated to the main actor stops the process if it is called on
/// another thread.
public struct HTTPPublisher<Output: Sendable>: Publisher, Sendable {
    /// The error of a failed call.
    public typealias Failure = HTTPError

    private let start: @Sendable () -> HTTPCall<Output>
    private let executor: HTTPCallbackExecutor

    /// Creates a publisher of calls that a closure starts, such as downloads.
    ///
    ///     HTTPPublisher { request.startDownload(to: path) }
    ///
    /// - Parameters:
    ///   - isolation: the actor on which subscribers are called. Default: the caller's.
    ///   - start: a closure that starts a call. It runs once per subscriber, at its first demand,
    ///     on any thread.
    public init(
        isolation: (any Actor)? = #isolation,
        _ start: @escaping @Sendable () -> HTTPCall<Output>
    ) {
        self.start = start
        executor = HTTPCallbackExecutor(isolation)
    }

    /// Gives the subscriber a subscription, which it can use to request the value.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == HTTPError {
        let subscription = CallSubscription(subscriber, .newCall(start), executor) { event in
            guard case .result(.success(let value)) = event else { return nil }
            return value
        }
        subscriber.receive(subscription: subscription)
    }
}

extension HTTPRequestProtocol {
    /// Returns a publisher that sends the request for each subscriber.
    ///
    /// - Parameters:
    ///   - client: the client to use. Default ``HTTPClient/shared``.
    ///   - isolation: the actor on which subscribers are called. Default: the caller's.
    /// - Returns: a publisher of the value: the response of an ``HTTPRequest``, whatever its status, and
    ///   the parsed value of an ``HTTPEndpoint``.
    public func publisher(
        in client: HTTPClient = .shared,
        isolation: (any Actor)? = #isolation
    ) -> HTTPPublisher<Value> {
        HTTPPublisher(isolation: isolation) { [endpoint] in client.start(endpoint) }
    }
}
#endif

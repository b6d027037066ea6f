/// A type that wraps the sending of each request.
///
/// An interceptor can modify, answer or retry a request, and modify its response.
///
///     struct Signing: HTTPInterceptor {
///         func intercept(
///             _ request: HTTPRequest, _ context: HTTPContext, next: HTTPNext
///         ) async throws -> HTTPResponse {
///             var request = request
///             request.headers["X-Signature"] = sign(request)
///             return try await next(request)
///         }
///     }
///
/// The client's interceptors are outside the request's. Within a list, the first interceptor is the
/// outermost. Requests pass through them in that order, and responses in the reverse order.
///
/// For a streamed response, ``HTTPResponse/body`` is empty. An interceptor can modify the head. The
/// caller then reads the body of the response that the interceptors returned. A response that an
/// interceptor creates is delivered with its own body.
///
/// ``HTTPStagedInterceptor`` is simpler for interceptors that do not need `next`.
public protocol HTTPInterceptor: Sendable {
    /// How often the client calls the interceptor; default ``HTTPInterceptorScope/attempt``.
    var scope: HTTPInterceptorScope { get }

    /// Intercepts a request.
    ///
    /// - Parameters:
    ///   - request: the request, as the outer interceptors left it.
    ///   - context: the state of the call.
    ///   - next: sends the request through the inner interceptors. One call can send as many
    ///     requests as ``HTTPRetryOptions/maxRequests`` allows; then `next` throws
    ///     `.interceptorFailed`. An interceptor that calls `next` in a loop must leave the loop on
    ///     errors, because nothing else ends it.
    /// - Returns: the response for the outer interceptors.
    /// - Throws: the error of `next`, an ``HTTPError``, or any other error. The caller gets any other
    ///   error as `.interceptorFailed` with ``HTTPError/underlying``.
    func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPResponse
}

extension HTTPInterceptor {
    /// The default scope: every attempt.
    public var scope: HTTPInterceptorScope { .attempt }
}

/// How often the client calls an interceptor.
public enum HTTPInterceptorScope: Sendable, Hashable {
    /// Once per call, outside redirects and retries. `next` returns the final result of the call.
    case call
    /// For each request that is sent, including redirects and retries.
    case attempt
}

/// A function that sends a request through the inner interceptors.
public struct HTTPNext: Sendable {
    typealias Permit =
        @Sendable (HTTPRetryStrategy, Result<HTTPResponse, HTTPError>) -> RetryGrant?

    private let send: @Sendable (HTTPRequest) async throws -> HTTPResponse
    /// Returns a grant if the retry options allow another attempt.
    let permit: Permit

    init(
        permit: @escaping Permit,
        _ send: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) {
        self.permit = permit
        self.send = send
    }

    /// Sends the request through the inner interceptors.
    ///
    /// - Throws: an ``HTTPError``, or an internal error by which an inner interceptor requests a
    ///   retry of the call. Rethrow internal errors.
    public func callAsFunction(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await send(request)
    }
}

/// A request to retry the whole call, thrown through the interceptors to the retry loop.
struct RetryRequest: Error {
    let strategy: HTTPRetryStrategy
    let permit: RetryGrant
    /// The result of the call if it is not retried.
    let outcome: Result<HTTPResponse, HTTPError>
}

/// An interceptor with three stages: before a request is sent, after a failure, and after a
/// response.
///
/// The client calls all `prepare` methods in order, its own interceptors first. It calls `handle`
/// and `process` in the reverse order. The first interceptor that requests a retry ends the
/// attempt, and the outer interceptors do not see its result. The request then passes through all
/// of them again, with ``HTTPContext/retryCount`` increased by one. If ``HTTPRetryOptions`` does not
/// permit the retry, the outer interceptors get the result.
public protocol HTTPStagedInterceptor: HTTPInterceptor {
    /// Modifies a request before it is sent.
    ///
    /// - Throws: an ``HTTPError``, which ends the call, or any other error, which ends it as
    ///   `.interceptorFailed`.
    func prepare(_ request: inout HTTPRequest, _ context: HTTPContext) async throws

    /// Returns whether to retry after an error.
    func handle(_ error: HTTPError, _ context: HTTPContext) async -> HTTPRetryDecision

    /// Inspects or modifies a response, and returns whether to retry.
    ///
    /// - Throws: an ``HTTPError``, which ends the call, or any other error, which ends it as
    ///   `.interceptorFailed`.
    func process(
        _ response: inout HTTPResponse,
        _ context: HTTPContext
    ) async throws -> HTTPRetryDecision
}

/// The decision of a staged interceptor after an attempt.
public enum HTTPRetryDecision: Sendable {
    /// Continues with this result.
    case proceed
    /// Retries the request with this strategy.
    ///
    /// If ``HTTPRetryOptions`` does not permit it, the call continues with this result.
    case retry(HTTPRetryStrategy)

    /// Retries the request immediately.
    public static let retry = HTTPRetryDecision.retry(.immediate)

    /// Retries the request after a delay.
    public static func retryAfter(_ delay: Duration) -> HTTPRetryDecision {
        .retry(.delayed(delay))
    }
}

extension HTTPStagedInterceptor {
    /// Leaves the request unchanged.
    public func prepare(_ request: inout HTTPRequest, _ context: HTTPContext) async throws {}

    /// Continues with the error.
    public func handle(_ error: HTTPError, _ context: HTTPContext) async -> HTTPRetryDecision {
        .proceed
    }

    /// Continues with the response.
    public func process(
        _ response: inout HTTPResponse,
        _ context: HTTPContext
    ) async throws -> HTTPRetryDecision { .proceed }

    /// Calls the three stages.
    public func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPResponse {
        var request = request
        try await prepare(&request, context)
        var response: HTTPResponse
        do {
            response = try await next(request)
        } catch let error as HTTPError {
            guard case .retry(let strategy) = await handle(error, context),
                let permit = next.permit(strategy, .failure(error))
            else { throw error }
            throw RetryRequest(strategy: strategy, permit: permit, outcome: .failure(error))
        }
        guard case .retry(let strategy) = try await process(&response, context),
            let permit = next.permit(strategy, .success(response))
        else { return response }
        throw RetryRequest(strategy: strategy, permit: permit, outcome: .success(response))
    }
}

/// A function that modifies responses before validators see them.
public struct HTTPResponseTransformer: Sendable {
    let transform: @Sendable (inout HTTPResponse, HTTPRequest) async throws -> Void

    /// Creates a transformer.
    ///
    /// - Parameter transform: a closure that modifies a response; it also gets the request. An
    ///   ``HTTPError`` that it throws ends the call. Any other error ends the call as
    ///   `.interceptorFailed`.
    public init(
        _ transform: @escaping @Sendable (inout HTTPResponse, HTTPRequest) async throws -> Void
    ) {
        self.transform = transform
    }
}

/// The permission to retry a request.
package struct RetryGrant: Sendable, Hashable {
    /// The delay before the request is sent.
    package let delay: Duration
    /// Whether the retry is withdrawn from the budget.
    package let chargesBudget: Bool
}

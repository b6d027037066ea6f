/// A type that wraps the sending of each request.
///
/// An interceptor can modify, answer or retry a request, and modify its response.
///
///     struct Signing: HTTPInterceptor {
///         func intercept(
///             _ request: HTTPRequest, _ context: HTTPContext, next: HTTPNext
///         ) async throws -> HTTPInterceptorResult {
///             var request = request
///             request.headers["X-Signature"] = sign(request)
///             return try await next(request)
///         }
///     }
///
/// The client's interceptors are outside the request's. Within a list, the first interceptor is the
/// outermost. Requests pass through them in that order, and responses in the reverse order.
///
/// For a streamed response, ``HTTPResponse/body`` is empty. An interceptor can modify the head, and pass
/// the body through an ``HTTPBodyTransformer`` (``HTTPResponse/transformBody(_:)``). The caller
/// then reads the body of the response that the interceptors returned. A response that an interceptor
/// creates is delivered with its own body.
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
    ///     `.interceptorFailed`. An interceptor that calls `next` in a loop must leave the loop when
    ///     `next` throws, or the call never ends.
    /// - Returns: the response for the outer interceptors, or a request to retry
    ///   (``HTTPInterceptorResult``).
    /// - Throws: the error of `next`, an ``HTTPError``, or any other error. The caller gets any other
    ///   error as `.interceptorFailed` with ``HTTPError/underlying``.
    func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPInterceptorResult
}

extension HTTPInterceptor {
    /// The default scope: every attempt.
    public var scope: HTTPInterceptorScope { .attempt }
}

/// How often the client calls an interceptor.
public enum HTTPInterceptorScope: Sendable, Hashable {
    /// Once per call, outside redirects and retries. `next` returns the final result of the call.
    case call
    /// For the first request, each redirect and each retry.
    ///
    /// The client answers challenges, and repeats a request after 417, 421 or 425, inside `next`.
    case attempt
}

/// A function that sends a request through the inner interceptors.
public struct HTTPNext: Sendable {
    private let send: @Sendable (HTTPRequest) async throws -> HTTPInterceptorResult

    package init(_ send: @escaping @Sendable (HTTPRequest) async throws -> HTTPInterceptorResult) {
        self.send = send
    }

    /// Sends the request through the inner interceptors.
    ///
    /// - Returns: their result. ``HTTPInterceptorResult/retry(_:)`` means that an inner interceptor
    ///   requests a retry and that ``HTTPRetryOptions`` permits it. To have the request retried,
    ///   return that result.
    /// - Throws: an ``HTTPError``.
    public func callAsFunction(_ request: HTTPRequest) async throws -> HTTPInterceptorResult {
        try await send(request)
    }
}

/// The result of an interceptor: a response, or a request to retry.
///
///     var result = try await next(request)
///     result.response?.headers["X-Cache"] = "miss"
///     return result
public enum HTTPInterceptorResult: Sendable {
    /// The response for the outer interceptors, and in the end for the caller.
    indirect case response(HTTPResponse)
    /// The request is sent again from the start, through all interceptors.
    ///
    /// The client sends it after the delay of the strategy. A retry that ``HTTPRetryOptions`` does not
    /// permit is replaced with ``HTTPInterceptorResult/Retry/outcome`` at once, so that outer interceptors
    /// see only retries that will happen.
    case retry(Retry)

    /// A request to retry.
    ///
    /// - Parameters:
    ///   - strategy: the delay, and the work to do before the retry.
    ///   - outcome: the result if the retry is not permitted.
    /// - Returns: the result.
    public static func retry(
        _ strategy: HTTPRetryOptions.Strategy,
        orElse outcome: Result<HTTPResponse, HTTPError>
    ) -> HTTPInterceptorResult {
        .retry(Retry(strategy: strategy, outcome: outcome))
    }

    /// The response; nil for a retry.
    ///
    /// Setting it to a response replaces the result, and cancels a retry. Setting it to nil has no
    /// effect.
    public var response: HTTPResponse? {
        get { if case .response(let response) = self { response } else { nil } }
        set { if let newValue { self = .response(newValue) } }
    }

    /// The response, or in case of a retry the outcome that is the reason for it.
    public var outcome: Result<HTTPResponse, HTTPError> {
        switch self {
        case .response(let response): .success(response)
        case .retry(let retry): retry.outcome
        }
    }
}

extension HTTPInterceptorResult {
    /// A request of an interceptor to retry.
    public struct Retry: Sendable {
        /// The delay, and the work to do before the retry.
        public let strategy: HTTPRetryOptions.Strategy
        /// The response or the error that is the reason for the retry.
        public let outcome: Result<HTTPResponse, HTTPError>
        /// The permission; nil until the rules of the call were applied.
        package var grant: RetryGrant?

        package init(strategy: HTTPRetryOptions.Strategy, outcome: Result<HTTPResponse, HTTPError>)
        {
            self.strategy = strategy
            self.outcome = outcome
        }
    }
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
    func handle(_ error: HTTPError, _ context: HTTPContext) async -> HTTPRetryOptions.Decision

    /// Inspects or modifies a response, and returns whether to retry.
    ///
    /// - Throws: an ``HTTPError``, which ends the call, or any other error, which ends it as
    ///   `.interceptorFailed`.
    func process(
        _ response: inout HTTPResponse,
        _ context: HTTPContext
    ) async throws -> HTTPRetryOptions.Decision
}

extension HTTPRetryOptions {
    /// The decision of a staged interceptor after an attempt.
    public enum Decision: Sendable {
        /// Continues with this result.
        case proceed
        /// Retries the request with this strategy.
        ///
        /// If ``HTTPRetryOptions`` does not permit it, the call continues with this result.
        case retry(HTTPRetryOptions.Strategy)

        /// Retries the request immediately.
        public static let retry = Decision.retry(.immediate)

        /// Retries the request after a delay.
        public static func retryAfter(_ delay: Duration) -> Decision {
            .retry(.delayed(delay))
        }
    }
}

extension HTTPStagedInterceptor {
    /// Leaves the request unchanged.
    public func prepare(_ request: inout HTTPRequest, _ context: HTTPContext) async throws {}

    /// Continues with the error.
    public func handle(
        _ error: HTTPError,
        _ context: HTTPContext
    ) async -> HTTPRetryOptions.Decision {
        .proceed
    }

    /// Continues with the response.
    public func process(
        _ response: inout HTTPResponse,
        _ context: HTTPContext
    ) async throws -> HTTPRetryOptions.Decision { .proceed }

    /// Calls the three stages.
    public func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPInterceptorResult {
        var request = request
        try await prepare(&request, context)
        let result: HTTPInterceptorResult
        do {
            result = try await next(request)
        } catch let error as HTTPError {
            guard case .retry(let strategy) = await handle(error, context) else { throw error }
            return .retry(strategy, orElse: .failure(error))
        }
        guard case .response(var response) = result else { return result }
        guard case .retry(let strategy) = try await process(&response, context) else {
            return .response(response)
        }
        return .retry(strategy, orElse: .success(response))
    }
}

/// A function that modifies responses before validators see them.
public struct HTTPResponseTransformer: Sendable {
    package let transform: @Sendable (inout HTTPResponse, HTTPRequest) async throws -> Void

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

    package init(
        delay: Duration,
        chargesBudget: Bool
    ) {
        self.delay = delay
        self.chargesBudget = chargesBudget
    }
}

/// Stands around the sending of requests: may change them, answer them, send them again, or change
/// what comes.
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
/// The client's stand outside the request's; within a list the first stands outermost. So requests pass
/// them in that order, and responses in the reverse.
///
/// A response whose body is streamed passes without it: ``HTTPResponse/body`` is empty, the head may
/// be changed, and the body that the reader gets is that of the response returned. One that an
/// interceptor made itself is delivered with the body it has.
///
/// ``HTTPStagedInterceptor`` is for those who need no `next`.
public protocol HTTPInterceptor: Sendable {
    /// How often it is asked; default ``HTTPInterceptorScope/attempt``.
    var scope: HTTPInterceptorScope { get }

    /// Lets the request pass, or not.
    ///
    /// - Parameters:
    ///   - request: as those outside left it.
    ///   - context: which call it is.
    ///   - next: sends it, through those inside. May be called as often as ``HTTPRetryOptions/maxRequests``
    ///     allows for a whole call; then it throws `.interceptorFailed`. Whoever calls it in a loop must
    ///     end that loop on what it throws: nobody else can.
    /// - Returns: the response for those outside.
    /// - Throws: what `next` threw, an ``HTTPError``, or anything else, which the caller sees as
    ///   `.interceptorFailed` with ``HTTPError/underlying``.
    func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPResponse
}

extension HTTPInterceptor {
    /// Asked for every attempt.
    public var scope: HTTPInterceptorScope { .attempt }
}

/// Says how often an interceptor is asked.
public enum HTTPInterceptorScope: Sendable, Hashable {
    /// Once for a call, outside of redirects and retries: `next` ends with what the caller would get.
    case call
    /// For each request that is sent: again for redirects and retries.
    case attempt
}

/// Sends a request on behalf of an interceptor.
public struct HTTPNext: Sendable {
    typealias Permit =
        @Sendable (HTTPRetryStrategy, Result<HTTPResponse, HTTPError>) -> RetryGrant?

    private let send: @Sendable (HTTPRequest) async throws -> HTTPResponse
    /// Asks whether what is outside of this interceptor may be done again.
    let permit: Permit

    init(
        permit: @escaping Permit,
        _ send: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) {
        self.permit = permit
        self.send = send
    }

    /// Sends the request through those inside.
    ///
    /// - Throws: an ``HTTPError``; or what is only for this module to read, and to be thrown on: an
    ///   interceptor inside wants the call retried.
    public func callAsFunction(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await send(request)
    }
}

/// Asks for the whole call to be tried again; thrown through the interceptors to who counts.
struct RetryRequest: Error {
    let strategy: HTTPRetryStrategy
    let permit: RetryGrant
    /// What would stand if it were not tried again.
    let outcome: Result<HTTPResponse, HTTPError>
}

/// Intercepts in three stages: before a request is sent, when it fails, and when a response came.
///
/// All `prepare` are called in order, the client's first; `handle` and `process` in the reverse. The
/// first that wants a retry ends the attempt: those outside of it do not see the outcome, and the
/// request goes through all of them again, with ``HTTPContext/retryCount`` one higher. Where
/// ``HTTPRetryOptions`` do not allow it, the outcome proceeds to those outside.
public protocol HTTPStagedInterceptor: HTTPInterceptor {
    /// Changes a request that is about to be sent.
    ///
    /// - Throws: what ends the call as `.interceptorFailed`; an ``HTTPError`` as it is.
    func prepare(_ request: inout HTTPRequest, _ context: HTTPContext) async throws

    /// Decides what becomes of a failure.
    func handle(_ error: HTTPError, _ context: HTTPContext) async -> HTTPRetryDecision

    /// Looks at a response, and may change it.
    ///
    /// - Throws: what ends the call as `.interceptorFailed`; an ``HTTPError`` as it is.
    func process(
        _ response: inout HTTPResponse,
        _ context: HTTPContext
    ) async throws -> HTTPRetryDecision
}

/// Says how a call goes on.
public enum HTTPRetryDecision: Sendable {
    /// With this outcome.
    case proceed
    /// By sending the request again, after that; with this outcome where ``HTTPRetryOptions`` do not allow it.
    case retry(HTTPRetryStrategy)

    /// By sending the request again at once.
    public static let retry = HTTPRetryDecision.retry(.immediate)

    /// By sending the request again after a while.
    public static func retryAfter(_ delay: Duration) -> HTTPRetryDecision {
        .retry(.delayed(delay))
    }
}

extension HTTPStagedInterceptor {
    /// Changes nothing.
    public func prepare(_ request: inout HTTPRequest, _ context: HTTPContext) async throws {}

    /// Proceeds.
    public func handle(_ error: HTTPError, _ context: HTTPContext) async -> HTTPRetryDecision {
        .proceed
    }

    /// Proceeds.
    public func process(
        _ response: inout HTTPResponse,
        _ context: HTTPContext
    ) async throws -> HTTPRetryDecision { .proceed }

    /// Calls the stages.
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

/// Changes responses before validators see them.
public struct HTTPResponseTransformer: Sendable {
    let transform: @Sendable (inout HTTPResponse, HTTPRequest) async throws -> Void

    /// Makes a transformer.
    ///
    /// - Parameter transform: gets the response, and the request that it answers. What it throws ends the
    ///   call: an ``HTTPError`` as it is, all else as `.interceptorFailed`.
    public init(
        _ transform: @escaping @Sendable (inout HTTPResponse, HTTPRequest) async throws -> Void
    ) {
        self.transform = transform
    }
}

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

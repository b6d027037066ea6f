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

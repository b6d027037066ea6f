/// A validator that sends one refresh request and then retries all requests that were rejected.
///
///     let silentLogin = HTTPRefreshRequestValidator { _, _, _ in
///         HTTPRequest("https://api.example.com/login", method: .post)
///     } onReceive: { response, request in
///         request.headers["X-Session"] = try response.decode(Login.self).session
///     }
///     let client = client.with { $0.validators.append(silentLogin) }
///
/// The refresh request uses the same connections, but no credentials, validators, interceptors and
/// retries (``HTTPContext/send(_:)``). If it fails, all calls that waited for it fail with its
/// error. If its status is not 2xx, they fail with `.rejectedStatus`. Otherwise it works as
/// ``HTTPRefreshTaskValidator``.
public final class HTTPRefreshRequestValidator: HTTPResponseValidator {
    /// A closure that creates the refresh request.
    ///
    /// It gets the result that requires the refresh, its request and its context.
    public typealias Provide =
        @concurrent @Sendable (
            Result<HTTPResponse, HTTPError>, HTTPRequest, HTTPContext
        ) async throws -> HTTPRequest

    /// A closure that modifies a rejected request with the refresh response before the retry.
    public typealias Receive =
        @concurrent @Sendable (HTTPResponse, inout HTTPRequest) async throws -> Void

    private let validator: HTTPRefreshTaskValidator<HTTPResponse>

    /// Creates a validator.
    ///
    /// - Parameters:
    ///   - statuses: the statuses that start a refresh. Default 401 and 403.
    ///   - includesFailures: whether calls without a response also start a refresh. Default false.
    ///     A canceled call never does.
    ///   - delay: the delay before a rejected call starts or joins the refresh. Default zero.
    ///   - limit: the maximum number of refresh requests until ``reset()``. Afterwards responses
    ///     are accepted unchanged. Default nil: no limit.
    ///   - request: a closure that creates the refresh request.
    ///   - receive: a closure that modifies each rejected request. Default nil: it is retried
    ///     unchanged.
    public init(
        on statuses: HTTPStatusSet = [.unauthorized, .forbidden],
        includesFailures: Bool = false,
        delay: Duration = .zero,
        limit: Int? = nil,
        request: @escaping Provide,
        onReceive receive: Receive? = nil
    ) {
        validator = HTTPRefreshTaskValidator(
            on: statuses,
            includesFailures: includesFailures,
            delay: delay,
            limit: limit,
            task: { outcome, refused, context in
                let other = try await request(outcome, refused, context)
                let response = try await context.send(other)
                guard response.isSuccess else {
                    throw response.error(.rejectedStatus(response.status), in: .validating)
                }
                return response
            },
            apply: receive
        )
    }

    /// Resets the count of refresh requests and discards the last result.
    public func reset() { validator.reset() }

    /// Requests a retry after a refresh if the result is one of those that start a refresh.
    public func validate(
        _ outcome: Result<HTTPResponse, HTTPError>,
        of request: HTTPRequest,
        _ context: HTTPContext
    ) async throws -> HTTPValidationResult {
        try await validator.validate(outcome, of: request, context)
    }
}

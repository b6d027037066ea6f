/// Sends another request when requests are refused, and has them sent again: once, however many were.
///
///     let silentLogin = HTTPRefreshRequestValidator { _, _, _ in
///         HTTPRequest("https://api.example.com/login", method: .post)
///     } onReceive: { response, request in
///         request.headers["X-Session"] = try response.decode(Login.self).session
///     }
///     let client = client.with { $0.validators.append(silentLogin) }
///
/// The other request goes over the same connections without credentials, validators, interceptors and
/// retries (``HTTPContext/plainClient``). When it fails, that is the error of all calls that waited for
/// it; so is `.rejectedStatus` when its own status is not 2xx. In all else as
/// ``HTTPRefreshTaskValidator``.
public final class HTTPRefreshRequestValidator: HTTPResponseValidator {
    /// Makes the other request, of the outcome that asks for it, its request and context.
    public typealias Provide =
        @concurrent @Sendable (
            Result<HTTPResponse, HTTPError>, HTTPRequest, HTTPContext
        ) async throws -> HTTPRequest

    /// Changes a refused request by the other's response, before it is sent again.
    public typealias Receive =
        @concurrent @Sendable (HTTPResponse, inout HTTPRequest) async throws -> Void

    private let validator: HTTPRefreshTaskValidator<HTTPResponse>

    /// Makes a validator.
    ///
    /// - Parameters:
    ///   - statuses: which statuses start the other request; default 401 and 403.
    ///   - includesFailures: whether calls that brought no response start it, too; default no. A
    ///     cancelled call never does.
    ///   - delay: how long a call waits before it waits for the other; default not at all.
    ///   - limit: how many other requests are sent until ``reset()``; behind that responses stand as
    ///     they are. Default nil, as many as are needed.
    ///   - request: makes the other request.
    ///   - receive: changes each refused request; default nil, it is sent as it was.
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
                let response = try await context.plainClient.send(other)
                guard response.isSuccess else {
                    throw response.error(.rejectedStatus(response.status))
                }
                return response
            },
            apply: receive
        )
    }

    /// Forgets how many other requests were sent, and what came of the last.
    public func reset() { validator.reset() }

    /// Asks for a retry behind the other request when the outcome is one of those that start it.
    public func validate(
        _ outcome: Result<HTTPResponse, HTTPError>,
        of request: HTTPRequest,
        _ context: HTTPContext
    ) async throws -> HTTPValidationResult {
        try await validator.validate(outcome, of: request, context)
    }
}

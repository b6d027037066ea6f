internal import Wire

// To change which failures and statuses are retried, change the default validator in this file. `StandardRetriesTests`
// needs no socket. Whether a retry is permitted is decided by `RetryRules`.

/// A type that accepts, replaces, rejects or retries the result of a request: a response or an
/// error.
///
///     let client = client.with {
///         $0.validators.append(HTTPClosureValidator { outcome, _, _ in
///             guard case .success(let response) = outcome, response.status == .ok else { return .accept }
///             return response.headers["X-App-Error"] == nil ? .accept : .fail(AppError())
///         })
///     }
///
/// Validators run after redirects and ``HTTPInterceptor``s: the client's in order, then the request's.
/// After `.accept` and `.replace`, the next validator runs. `.fail` and an allowed `.retry` end the
/// list.
///
/// For a streamed response, ``HTTPResponse/body`` is empty, and validators see only the head.
public protocol HTTPResponseValidator: Sendable {
    /// Validates a result.
    ///
    /// - Parameters:
    ///   - outcome: the result of the last attempt.
    ///   - request: the request that was sent last, before interceptors.
    ///   - context: the state of the call; ``HTTPContext/retryCount`` is the number of retries.
    /// - Returns: the decision.
    /// - Throws: any error, which has the same effect as `.fail` with it.
    func validate(
        _ outcome: Result<HTTPResponse, HTTPError>,
        of request: HTTPRequest,
        _ context: HTTPContext
    ) async throws -> HTTPValidationResult
}

/// The decision of a validator.
public enum HTTPValidationResult: Sendable {
    /// The next validator gets the result; after the last one, the caller gets it.
    case accept
    /// This response replaces the result; the next validator gets it.
    case replace(HTTPResponse)
    /// The call fails.
    ///
    /// An ``HTTPError`` is thrown unchanged, a `CancellationError` as `.cancelled`, and any other
    /// error as `.rejectedResponse` with ``HTTPError/underlying``.
    case fail(any Error)
    /// The request is retried if ``HTTPRetryOptions`` permits it.
    ///
    /// Otherwise the call fails with the error, if there is one, or the next validator gets the
    /// result.
    case retry(HTTPRetryOptions.Strategy, orElse: (any Error)? = nil)
}

/// A validator that calls a closure.
public struct HTTPClosureValidator: HTTPResponseValidator {
    private let evaluate:
        @Sendable (Result<HTTPResponse, HTTPError>, HTTPRequest, HTTPContext) async throws ->
            HTTPValidationResult

    /// Creates a validator.
    ///
    /// - Parameter evaluate: a closure with the contract of
    ///   ``HTTPResponseValidator/validate(_:of:_:)``.
    public init(
        _ evaluate:
            @escaping @Sendable (
                Result<HTTPResponse, HTTPError>, HTTPRequest, HTTPContext
            ) async throws -> HTTPValidationResult
    ) {
        self.evaluate = evaluate
    }

    /// Calls the closure.
    public func validate(
        _ outcome: Result<HTTPResponse, HTTPError>,
        of request: HTTPRequest,
        _ context: HTTPContext
    ) async throws -> HTTPValidationResult {
        try await evaluate(outcome, request, context)
    }
}

/// A validator that retries temporary failures, and optionally rejects statuses and empty bodies.
///
/// It retries unresolved names and unreachable addresses of the server or the proxy, lost
/// connections, truncated responses, and the statuses in ``retriedStatuses``. It also retries all
/// timeouts except those of the queue and of the whole call. The rules of ``HTTPRetryOptions``
/// apply. A truncated body that is streamed is not retried. That of a download to a file is continued.
/// ``HTTPRetryOptions/standard`` adds this validator to a client that has none.
public struct HTTPDefaultValidator: HTTPResponseValidator {
    /// The accepted statuses; with any other status the call fails with `.rejectedStatus`.
    ///
    /// Default all: by default no status is an error.
    public var acceptedStatuses: HTTPStatusSet

    /// The statuses that are retried.
    ///
    /// Default ``temporaryFailures``. The client obeys Retry-After.
    public var retriedStatuses: HTTPStatusSet

    /// The statuses of failures that are often temporary: 408, 429, 500, 502, 503 and 504.
    ///
    /// 408 and 429 ask for the request later. 500, 502, 503 and 504 come from a server that restarts, is
    /// overloaded or fails for one request, or from the proxy or load balancer before it. Other statuses of
    /// the server, such as 501 and 505, do not change with time. As after every failure, only requests that
    /// cannot cause a side effect twice are retried (``HTTPRetryOptions``).
    public static let temporaryFailures: HTTPStatusSet = [
        .requestTimeout, .tooManyRequests, .internalServerError, .badGateway, .serviceUnavailable,
        .gatewayTimeout,
    ]

    /// Whether a 2xx response may be empty.
    ///
    /// Default true. If false, an empty response fails the call with `.emptyBody`. Responses with
    /// status 204 or 205, responses to HEAD and streamed responses are not checked.
    public var allowsEmptyResponses: Bool

    /// The delay before a retry.
    ///
    /// Default: exponential backoff from 0.2 to 10 s.
    public var strategy: HTTPRetryOptions.Strategy

    /// Creates the default validator.
    public init(
        accepting statuses: HTTPStatusSet = .any,
        allowsEmptyResponses: Bool = true
    ) {
        acceptedStatuses = statuses
        retriedStatuses = Self.temporaryFailures
        self.allowsEmptyResponses = allowsEmptyResponses
        strategy = .exponential()
    }

    /// Validates a result.
    public func validate(
        _ outcome: Result<HTTPResponse, HTTPError>,
        of request: HTTPRequest,
        _ context: HTTPContext
    ) async throws -> HTTPValidationResult {
        switch outcome {
        case .failure(let error):
            return error.isRetryable ? .retry(strategy) : .accept
        case .success(let response):
            let error = rejection(of: response)
            if retriedStatuses.contains(response.status) { return .retry(strategy, orElse: error) }
            return error.map { .fail($0) } ?? .accept
        }
    }

    /// Whether every 2xx response is accepted, regardless of its other properties.
    package var acceptsAllSuccesses: Bool {
        allowsEmptyResponses && acceptedStatuses.covers(200...299)
            && !retriedStatuses.overlaps(200...299)
    }

    /// Returns the error of a response that is not acceptable; nil for an acceptable one.
    package func rejection(of response: HTTPResponse) -> HTTPError? {
        guard acceptedStatuses.contains(response.status) else {
            return response.error(.rejectedStatus(response.status), in: .validating)
        }
        let mayBeEmpty =
            allowsEmptyResponses || !response.body.isEmpty || !response.isSuccess
            || response.isStreamed || response.status == .noContent
            || response.status == .resetContent || response.method == .head
        return mayBeEmpty ? nil : response.error(.emptyBody(response.status), in: .validating)
    }
}

extension HTTPError {
    /// Whether a retry of the same request may succeed.
    package var isRetryable: Bool {
        switch kind {
        case .resolveFailed, .connectFailed, .connectionLost, .truncatedResponse: true
        case .malformedResponse:
            !metrics.attempts.contains(where: \.hasResponseBegun)
        case .timedOut(.total), .timedOut(.queue): false
        case .timedOut: true
        case .proxyFailed(.unreachable), .proxyFailed(.unresolved): true
        default: false
        }
    }
}

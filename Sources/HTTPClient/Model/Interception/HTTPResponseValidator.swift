internal import Wire

/// Judges what a request came to: a response or an error.
///
///     let client = client.with {
///         $0.validators.append(HTTPClosureValidator { outcome, _, _ in
///             guard case .success(let response) = outcome, response.status == .ok else { return .accept }
///             return response.headers["X-App-Error"] == nil ? .accept : .fail(AppError())
///         })
///     }
///
/// The client's validators are asked in order, then the request's, behind redirects and
/// ``HTTPInterceptor``s. The first verdict that is not to accept counts. Of a streamed response they see the
/// head; its ``HTTPResponse/body`` is empty.
public protocol HTTPResponseValidator: Sendable {
    /// Judges an outcome.
    ///
    /// - Parameters:
    ///   - outcome: what the last attempt came to.
    ///   - request: as it was sent last, before interceptors.
    ///   - context: which call it is; ``HTTPContext/retryCount`` tells how often it was retried.
    /// - Returns: the verdict.
    /// - Throws: the same as `.fail` of it.
    func validate(
        _ outcome: Result<HTTPResponse, HTTPError>,
        of request: HTTPRequest,
        _ context: HTTPContext
    ) async throws -> HTTPValidationResult
}

/// Says what becomes of an outcome.
public enum HTTPValidationResult: Sendable {
    /// It goes to the next validator, and to the caller behind the last.
    case accept
    /// This response takes its place.
    case replace(HTTPResponse)
    /// The call fails: with an ``HTTPError`` as it is, with a `CancellationError` as `.cancelled`, with
    /// all else as `.rejectedResponse` and ``HTTPError/underlying``.
    case fail(any Error)
    /// The request is sent again, as far as ``HTTPRetryOptions`` allow. Else the call fails with the error; or,
    /// without one, the outcome goes to the next validator.
    case retry(HTTPRetryStrategy, orElse: (any Error)? = nil)
}

/// Validates by a closure.
public struct HTTPClosureValidator: HTTPResponseValidator {
    private let evaluate:
        @Sendable (Result<HTTPResponse, HTTPError>, HTTPRequest, HTTPContext) async throws ->
            HTTPValidationResult

    /// Makes a validator.
    ///
    /// - Parameter evaluate: as ``HTTPResponseValidator/validate(_:of:_:)``.
    public init(
        _ evaluate:
            @escaping @Sendable (
                Result<HTTPResponse, HTTPError>, HTTPRequest, HTTPContext
            ) async throws -> HTTPValidationResult
    ) {
        self.evaluate = evaluate
    }

    /// Asks the closure.
    public func validate(
        _ outcome: Result<HTTPResponse, HTTPError>,
        of request: HTTPRequest,
        _ context: HTTPContext
    ) async throws -> HTTPValidationResult {
        try await evaluate(outcome, request, context)
    }
}

/// Retries failures that are worth it, and rejects statuses and empty bodies if you set that.
///
/// It retries an unresolved name, an address that does not answer, a lost connection, a timeout of a phase
/// (not of the whole call), a response that breaks off, also in its body, and the statuses of
/// ``retriedStatuses``; each within the rules of ``HTTPRetryOptions``. A streamed or downloaded body that breaks
/// off is not retried. ``HTTPRetryOptions/standard`` adds this validator to a client that has none.
public struct HTTPDefaultValidator: HTTPResponseValidator {
    /// The statuses that are good; all others fail the call with `.rejectedStatus`.
    ///
    /// Default all: a status is data until somebody says what he wants.
    public var acceptedStatuses: HTTPStatusSet

    /// The statuses that are worth another try.
    ///
    /// Default 429 and 503: those that say "later". Retry-After is obeyed.
    public var retriedStatuses: HTTPStatusSet

    /// Whether a 2xx other than 204 and 205 to another method than HEAD may have no content.
    ///
    /// Default yes. If not, it fails the call with `.emptyBody`. Not looked at where the body is
    /// streamed.
    public var allowsEmptyResponses: Bool

    /// What is done before a retry.
    ///
    /// Default exponential, from 0.2 to 10 s.
    public var strategy: HTTPRetryStrategy

    /// Makes the default validator.
    public init(
        accepting statuses: HTTPStatusSet = .any,
        allowsEmptyResponses: Bool = true
    ) {
        acceptedStatuses = statuses
        retriedStatuses = [.tooManyRequests, .serviceUnavailable]
        self.allowsEmptyResponses = allowsEmptyResponses
        strategy = .exponential()
    }

    /// Judges an outcome.
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

    /// Whether every 2xx is accepted, whatever else is in the response.
    var acceptsAllSuccesses: Bool {
        allowsEmptyResponses && acceptedStatuses.covers(200...299)
            && !retriedStatuses.overlaps(200...299)
    }

    /// The error of a response that may not be; nil when it may.
    func rejection(of response: HTTPResponse) -> HTTPError? {
        guard acceptedStatuses.contains(response.status) else {
            return response.error(.rejectedStatus(response.status))
        }
        let mayBeEmpty =
            allowsEmptyResponses || !response.body.isEmpty || !response.isSuccess
            || response.isStreamed || response.status == .noContent
            || response.status == .resetContent || response.method == .head
        return mayBeEmpty ? nil : response.error(.emptyBody(response.status))
    }
}

extension HTTPError {
    /// Whether the same request may fare better a moment later.
    var isRetryable: Bool {
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

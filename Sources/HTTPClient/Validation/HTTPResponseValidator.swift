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

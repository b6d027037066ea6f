internal import Wire

extension HTTPError {
    /// Whether sending the request again can do no more than the one that failed was meant to do.
    ///
    /// True on evidence alone: nothing of the last attempt left this machine; or its method is
    /// idempotent (RFC 9110 §9.2.2) and not one byte of a response had come. False when an attempt
    /// before it may have done what must not be done twice, such as a POST that was redirected. It
    /// does not say that another try would go better.
    public var isRetrySafe: Bool {
        if info.mayHaveSideEffects { return false }
        // Whoever made an error without measurements knew only that nothing had begun.
        guard let last = metrics.attempts.last else { return phase == .preparing }
        return last.bytesSent == 0 || (info.isIdempotent && !last.hasResponseBegun)
    }

    /// Whether somebody gave up: the task, the call or its queue was cancelled.
    ///
    /// Functions of this module throw `HTTPError` alone, so ask this where other code is asked for
    /// a `CancellationError`.
    public var isCancellation: Bool { kind == .cancelled }

    /// Makes the error of the same meaning, for code that throws `HTTPError` alone.
    public init(_ cancellation: CancellationError) {
        self = HTTPError(.cancelled, phase: .preparing).changed { $0.underlying = cancellation }
    }
}

extension HTTPError {
    /// Makes the error of what reading a response threw: an `HTTPError` stays as it is, a
    /// cancellation stays one, and all else means that the body is not what was wanted.
    init(_ error: any Error, reading response: HTTPResponse) {
        if let error = error as? HTTPError {
            self = error
            return
        }
        let kind: Kind =
            error is CancellationError
            ? .cancelled
            : .decodingFailed(reason: DecodingErrorDescription.reason(error, in: response.body))
        self = response.error(kind).changed { $0.underlying = error }
    }

    /// Gives what the body of a refused response was decoded into.
    ///
    /// There is something when the call was made with ``HTTPResponseParser/orError(_:decoder:)`` or
    /// its like, and one of the types fitted.
    ///
    /// - Parameter type: the type wanted.
    /// - Returns: nil when nothing was decoded, or another type.
    public func failureBody<Body: Sendable>(as type: Body.Type = Body.self) -> Body? {
        info.failureBody as? Body
    }
}

extension HTTPError {
    /// What ``request`` says of a request.
    ///
    /// - Parameters:
    ///   - method: of the request.
    ///   - url: without credentials.
    /// - Returns: both.
    static func summary(_ method: HTTPMethod, _ url: String) -> String {
        "\(method.rawValue) \(url)"
    }

    /// Returns the same error with the name of the request, unless it has one.
    func naming(_ method: HTTPMethod, _ url: String) -> HTTPError {
        guard request.isEmpty else { return self }
        return changed { $0.request = Self.summary(method, url) }
    }
}

extension HTTPError {
    /// Returns the same error with what the client reads JSON with.
    func carrying(_ coders: (any AnyObject & Sendable)?) -> HTTPError {
        coders == nil ? self : changed { $0.coders = coders }
    }
}

extension HTTPResponse {
    /// Makes an error that holds all of this response.
    func error(_ kind: HTTPError.Kind, in phase: HTTPPhase = .decoding) -> HTTPError {
        HTTPError(
            kind,
            phase: phase,
            request: HTTPError.summary(method, url.publicText),
            metrics: metrics,
            head: head,
            informational: informational,
            proxyHeads: proxyHeads,
            partialBody: body
        ).carrying(coders)
    }
}

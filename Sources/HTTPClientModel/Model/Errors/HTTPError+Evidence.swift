package import Wire

extension HTTPError {
    /// Whether the request can be sent again without the risk of a duplicate side effect.
    ///
    /// True only on evidence: none of the last attempt was sent, or its method is idempotent (RFC 9110
    /// §9.2.2) and no byte of a response had arrived. False if an earlier attempt may have had a side effect
    /// that must not happen twice, such as a POST that was redirected. True does not mean that another
    /// attempt would succeed.
    public var isRetrySafe: Bool {
        if info.mayHaveSideEffects { return false }
        // Without an attempt in the metrics, only the phase shows whether anything was sent.
        guard let last = metrics.attempts.last else { return phase == .preparing }
        return last.bytesSent == 0 || (info.isIdempotent && !last.hasResponseBegun)
    }

    /// Whether the task, the call or its queue was canceled.
    ///
    /// Functions of this module throw only `HTTPError`. Use this property where other code would check for
    /// a `CancellationError`.
    public var isCancellation: Bool { kind == .cancelled }

    /// Whether the last attempt failed because no connection could be made.
    ///
    /// False for a cancellation and for the total timeout, which can also end an attempt while it connects.
    package var isConnectFailure: Bool {
        switch kind {
        case .resolveFailed, .connectFailed, .addressesRefused, .bindFailed, .proxyFailed,
            .tlsFailed, .dialerFailed:
            return true
        case .timedOut(let phase):
            return phase.isOpening
        default: return false
        }
    }

    /// Creates the error for a cancellation, for code that throws only `HTTPError`.
    public init(_ cancellation: CancellationError) {
        self = HTTPError(.cancelled, phase: .preparing).changed { $0.underlying = cancellation }
    }
}

extension HTTPError {
    /// Creates the error for an error thrown while a response was read.
    ///
    /// An `HTTPError` stays unchanged and a cancellation becomes `.cancelled`. Any other error means that
    /// the body could not be decoded.
    package init(_ error: any Error, reading response: HTTPResponse) {
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

    /// Returns the decoded body of a rejected response.
    ///
    /// There is one if the call used ``HTTPResponseParser/orError(_:decoder:)`` or a similar method, and one
    /// of its types matched.
    ///
    /// - Parameter type: the expected type.
    /// - Returns: nil if no body was decoded, or one of another type.
    public func failureBody<Body: Sendable>(as type: Body.Type = Body.self) -> Body? {
        info.failureBody as? Body
    }
}

extension HTTPError {
    /// Returns the text of ``request``.
    ///
    /// - Parameters:
    ///   - method: the method of the request.
    ///   - url: the URL without credentials.
    /// - Returns: the method and the URL.
    package static func summary(_ method: HTTPMethod, _ url: String) -> String {
        "\(method.rawValue) \(url)"
    }

    /// Returns the error with the name of the request, unless it already has one.
    package func naming(_ method: HTTPMethod, _ url: String) -> HTTPError {
        guard request.isEmpty else { return self }
        return changed { $0.request = Self.summary(method, url) }
    }
}

extension HTTPError {
    /// Returns the error with the client's JSON coders.
    package func carrying(_ coders: (any AnyObject & Sendable)?) -> HTTPError {
        coders == nil ? self : changed { $0.coders = coders }
    }
}

extension HTTPResponse {
    /// Returns an error with all of this response.
    package func error(_ kind: HTTPError.Kind, in phase: HTTPPhase = .decoding) -> HTTPError {
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

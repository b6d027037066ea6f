internal import SocketTransport
internal import Wire

/// An error that ended an exchange early.
enum ExchangeError: Error {
    case transport(TransportError)
    case wire(WireError)
    /// The proxy did not connect to the origin.
    case proxy(HTTPError.ProxyReason)
    /// The decoded body is longer than the caller's collect limit.
    case collectLimit(Int)
    /// A 206 does not match the requested range.
    case range(HTTPError.RangeError)
    /// The dedicated connection rejects this request.
    case rejectedByLease(ConnectionLease.Rejection)
    /// The body of the request could not be produced, or could not be produced again.
    case body(BodyError)
    /// The client's dialer, or the peer of its stream, made the call fail.
    case dialer(HTTPDialRequest.DialError)
}

extension HTTPError {
    /// Creates the public error for an exchange that ended early.
    init(_ failure: ExchangeError, _ attempt: RequestAttempt) {
        if let dialError = attempt.plan.dialed?.failure, !attempt.scope.isCancelled {
            self.init(dialError, attempt)
            return
        }
        switch failure {
        case .dialer(let dialError): self.init(dialError, attempt)
        case .transport(let error): self = attempt.error(error)
        case .wire(let error): self = attempt.error(error)
        case .proxy(let reason): self = attempt.error(.proxyFailed(reason))
        case .collectLimit(let limit):
            self = attempt.error(
                .bodyTooLarge(limit: limit),
                detail: "raise collectLimit, or use stream or download"
            )
        case .range(let mismatch): self = attempt.error(.rangeMismatch(mismatch))
        case .rejectedByLease(let refusal): self = attempt.error(HTTPError.Kind(refusal))
        case .body(let failure):
            self = attempt.error(.bodyFailed(failure.reason), underlying: failure.underlying)
        }
    }
}

extension HTTPError {
    /// Creates the public error for a failure that the client's dialer determines.
    private init(_ failure: HTTPDialRequest.DialError, _ attempt: RequestAttempt) {
        if let phase = failure.phase { attempt.phase = phase }
        self = attempt.error(failure.kind, underlying: failure.underlying)
    }
}

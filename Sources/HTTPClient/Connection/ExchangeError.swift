internal import SocketTransport
internal import Wire

/// An error of the stream or of the messages on it that ended an exchange early.
enum ExchangeError: Error {
    case transport(TransportError)
    case wire(WireError)
    /// The proxy did not connect to the origin.
    case proxy(HTTPProxyFailureReason)
    /// The decoded body is longer than the caller's collect limit.
    case collectLimit(Int)
    /// A 206 does not match the requested range.
    case range(HTTPRangeError)
    /// The dedicated connection rejects this call.
    case rejectedByLease(ConnectionLease.Rejection)
    /// The body of the request could not be produced, or not a second time.
    case body(BodyError)
    /// The client's dialer, or the peer of its stream, makes the call fail.
    case dialer(HTTPDialError)
}

extension HTTPError {
    /// Creates the public error for an exchange that ended early.
    init(_ failure: ExchangeError, _ call: Attempt) {
        if let dialError = call.plan.dialed?.failure, !call.scope.isCancelled {
            self.init(dialError, call)
            return
        }
        switch failure {
        case .dialer(let dialError): self.init(dialError, call)
        case .transport(let error): self = call.error(error)
        case .wire(let error): self = call.error(error)
        case .proxy(let problem): self = call.error(.proxyFailed(problem))
        case .collectLimit(let limit): self = call.error(.bodyTooLarge(limit: limit))
        case .range(let mismatch): self = call.error(.rangeMismatch(mismatch))
        case .rejectedByLease(let refusal): self = call.error(HTTPError.Kind(refusal))
        case .body(let failure):
            self = call.error(.bodyFailed(failure.reason), underlying: failure.underlying)
        }
    }
}

extension HTTPError {
    /// Creates the public error for a failure that the client's dialer determines.
    private init(_ failure: HTTPDialError, _ call: Attempt) {
        if let phase = failure.phase { call.phase = phase }
        self = call.error(failure.kind, underlying: failure.underlying)
    }
}

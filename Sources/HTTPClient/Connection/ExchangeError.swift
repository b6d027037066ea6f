internal import SocketTransport
internal import Wire

/// What ended an exchange early: the stream, or what came over it.
enum ExchangeError: Error {
    case transport(TransportError)
    case wire(WireError)
    /// The proxy did not lead to the origin.
    case proxy(HTTPProxyFailureReason)
    /// The decoded body has more bytes than the caller collects.
    case collectLimit(Int)
    /// A 206 is not what was requested.
    case range(HTTPRangeError)
    /// The private connection carries nothing for this call.
    case rejectedByLease(ConnectionLease.Rejection)
    /// The body of the request could not be made, or not be made again.
    case body(BodyError)
    /// A stub says how the call ends.
    case stub(StubError)
}

extension HTTPError {
    /// Makes the public error of what ended an exchange early.
    init(_ failure: ExchangeError, _ call: Attempt) {
        if let stub = call.plan.stub, let stubError = stub.failure, !call.scope.isCancelled {
            self.init(stubError, call)
            return
        }
        switch failure {
        case .stub(let stubError): self.init(stubError, call)
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

internal import SocketTransport
internal import Wire

/// What ended an exchange early: the stream, or what came over it.
enum ExchangeFailure: Error {
    case transport(TransportError)
    case wire(WireError)
    /// The proxy did not lead to the origin.
    case proxy(ProxyProblem)
    /// The decoded body has more octets than the caller collects.
    case collectLimit(Int)
    /// A 206 is not what was requested.
    case range(HTTPRangeMismatch)
    /// The private connection carries nothing for this call.
    case refusedByLease(PrivateLease.Refusal)
    /// The body of the request could not be made, or not be made again.
    case body(BodyFailure)
    /// A stub says how the call ends.
    case stub(StubbedFailure)
}

extension HTTPError {
    /// Makes the public error of what ended an exchange early.
    init(_ failure: ExchangeFailure, _ call: Call) {
        if let stub = call.plan.stub, let told = stub.failure, !call.scope.isCancelled {
            self.init(told, call)
            return
        }
        switch failure {
        case .stub(let told): self.init(told, call)
        case .transport(let error): self = call.error(error)
        case .wire(let error): self = call.error(error)
        case .proxy(let problem): self = call.error(.proxyFailed(problem))
        case .collectLimit(let limit): self = call.error(.bodyTooLarge(limit: limit))
        case .range(let mismatch): self = call.error(.rangeMismatch(mismatch))
        case .refusedByLease(let refusal): self = call.error(HTTPError.Kind(refusal))
        case .body(let failure):
            self = call.error(.bodyFailed(failure.problem), underlying: failure.underlying)
        }
    }
}

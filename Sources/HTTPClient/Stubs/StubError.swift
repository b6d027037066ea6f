/// The error of a call that gets no response from a stub.
struct StubError: Error {
    let kind: HTTPError.Kind
    let phase: HTTPPhase
    var underlying: (any Error)?

    init(_ kind: HTTPError.Kind, in phase: HTTPPhase? = nil, underlying: (any Error)? = nil) {
        self.kind = kind
        self.phase = phase ?? Self.phase(of: kind)
        self.underlying = underlying
    }

    /// Returns the phase in which such an error usually occurs.
    private static func phase(of kind: HTTPError.Kind) -> HTTPPhase {
        switch kind {
        case .timedOut(let phase): phase
        case .resolveFailed: .resolve
        case .connectFailed, .addressesRefused, .bindFailed, .systemFailure: .connect
        case .proxyFailed: .proxyHandshake
        case .tlsFailed: .tlsHandshake
        case .bodyFailed: .sendingBody
        case .connectionLost, .malformedResponse, .limitExceeded: .responseHead
        case .truncatedResponse, .codingFailed, .bodyTooLarge: .body
        case .decodingFailed, .undecodableText: .decoding
        case .rejectedStatus, .rejectedResponse, .emptyBody, .redirectFailed, .interceptorFailed:
            .validating
        default: .preparing
        }
    }
}

extension HTTPError {
    /// Creates the public error of a stub's failure.
    init(_ failure: StubError, _ call: Attempt) {
        call.phase = failure.phase
        self = call.error(failure.kind, underlying: failure.underlying)
    }
}

/// Says how a call ends that gets no response of a stub.
struct StubError: Error {
    let kind: HTTPError.Kind
    let phase: HTTPPhase
    var underlying: (any Error)?

    init(_ kind: HTTPError.Kind, in phase: HTTPPhase? = nil, underlying: (any Error)? = nil) {
        self.kind = kind
        self.phase = phase ?? Self.phase(of: kind)
        self.underlying = underlying
    }

    /// Where a call mostly is when that happens.
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
    /// Makes the public error of a stub's word.
    init(_ failure: StubError, _ call: Attempt) {
        call.phase = failure.phase
        self = call.error(failure.kind, underlying: failure.underlying)
    }
}

extension HTTPError.Kind {
    /// The description of what happened below HTTP; nil for kinds that quote requests, responses,
    /// or what a closure threw, as those may hold anything.
    var publicReason: String? {
        switch self {
        case .resolveFailed, .connectFailed, .addressesRefused, .bindFailed, .proxyFailed,
            .tlsFailed,
            .connectionLost, .connectionClosed, .malformedResponse, .truncatedResponse,
            .codingFailed, .limitExceeded, .bodyTooLarge, .rejectedStatus, .emptyBody, .timedOut,
            .cancelled, .systemFailure:
            description
        default: nil
        }
    }
}

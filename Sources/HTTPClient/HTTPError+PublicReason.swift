internal import SocketTransport

extension HTTPError.Kind {
    /// What may be kept and shown to others: ``publicReason``, else the name of the case.
    package var publicText: String { publicReason ?? label }

    /// The description of what happened below HTTP; nil for kinds that quote requests, responses,
    /// paths, or what a closure threw, as those may hold anything.
    ///
    /// The text of the application's own ``HTTPResolver`` is left out.
    package var publicReason: String? {
        switch self {
        case .tlsFailed(let problem): problem.quotesApplication ? nil : description
        case .resolveFailed(let host, let reason) where !TransportError.isResolveReason(reason):
            "could not resolve \(host)"
        case .proxyFailed(.unresolved(let host, let reason))
        where !TransportError.isResolveReason(reason):
            "could not resolve the proxy \(host)"
        case .resolveFailed, .connectFailed, .addressesRefused, .bindFailed, .proxyFailed,
            .connectionLost, .connectionClosed, .malformedResponse, .truncatedResponse,
            .codingFailed, .limitExceeded, .bodyTooLarge, .rejectedStatus, .emptyBody, .timedOut,
            .cancelled, .systemFailure:
            description
        default: nil
        }
    }
}

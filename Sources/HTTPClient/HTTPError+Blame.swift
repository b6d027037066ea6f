extension HTTPError {
    /// Who has to change something; <doc:Errors> has a table.
    public var blame: Blame { kind.blame }
}

extension HTTPError.Kind {
    /// Who has to change something.
    package var blame: HTTPError.Blame {
        // Without a default: who adds a kind decides whose it is, and tells it in the article.
        switch self {
        case .invalidRequest, .addressesRefused, .bodyFailed, .cancelled: .caller
        case .authenticationFailed, .stubFailed: .caller
        case .resolveFailed, .connectFailed, .timedOut: .network
        case .bindFailed, .fileFailed, .systemFailure: .machine
        case .proxyFailed(.unresolved), .proxyFailed(.unreachable): .network
        case .proxyFailed(.socks(.invalidHostName)), .proxyFailed(.socks(.invalidCredentials)):
            .caller
        case .proxyFailed: .peer
        case .tlsFailed(let problem): problem.isOwn ? .caller : .peer
        case .connectionLost, .connectionClosed: .peer
        case .malformedResponse, .truncatedResponse, .codingFailed, .limitExceeded, .bodyTooLarge:
            .peer
        case .redirectFailed(.thrown), .interceptorFailed: .caller
        case .redirectFailed: .peer
        case .rejectedStatus, .rejectedResponse, .emptyBody: .peer
        case .decodingFailed, .undecodableText, .resumeFailed, .rangeMismatch: .peer
        }
    }
}

extension HTTPError.Kind {
    /// The name of the case, such as `timedOut`, without what it carries.
    ///
    /// One of few texts, none of which holds anything of a request or a response: fit to count
    /// failures by, and to be kept for long.
    public var label: String {
        switch self {
        case .invalidRequest: "invalidRequest"
        case .resolveFailed: "resolveFailed"
        case .connectFailed: "connectFailed"
        case .addressesRefused: "addressesRefused"
        case .bindFailed: "bindFailed"
        case .proxyFailed: "proxyFailed"
        case .tlsFailed: "tlsFailed"
        case .authenticationFailed: "authenticationFailed"
        case .bodyFailed: "bodyFailed"
        case .connectionLost: "connectionLost"
        case .connectionClosed: "connectionClosed"
        case .malformedResponse: "malformedResponse"
        case .truncatedResponse: "truncatedResponse"
        case .codingFailed: "codingFailed"
        case .limitExceeded: "limitExceeded"
        case .bodyTooLarge: "bodyTooLarge"
        case .rangeMismatch: "rangeMismatch"
        case .rejectedStatus: "rejectedStatus"
        case .redirectFailed: "redirectFailed"
        case .rejectedResponse: "rejectedResponse"
        case .emptyBody: "emptyBody"
        case .interceptorFailed: "interceptorFailed"
        case .decodingFailed: "decodingFailed"
        case .undecodableText: "undecodableText"
        case .resumeFailed: "resumeFailed"
        case .fileFailed: "fileFailed"
        case .timedOut: "timedOut"
        case .cancelled: "cancelled"
        case .stubFailed: "stubFailed"
        case .systemFailure: "systemFailure"
        }
    }
}

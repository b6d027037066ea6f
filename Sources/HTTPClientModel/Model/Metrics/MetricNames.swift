internal import SocketTransport

// Texts use the names of enum cases, which are the same in every version.

extension HTTPMetrics.Attempt.Reason {
    /// The name of the case.
    package var name: String {
        switch self {
        case .first: "first"
        case .lostConnection: "lostConnection"
        case .proxyChallenge: "proxyChallenge"
        case .redirect: "redirect"
        case .challenge: "challenge"
        case .expectationFailed: "expectationFailed"
        case .misdirected: "misdirected"
        case .tooEarly: "tooEarly"
        case .retry: "retry"
        case .segment: "segment"
        }
    }
}

extension HTTPMetrics.Attempt.Outcome {
    /// The name of the case, and the name of its error.
    package var name: String {
        switch self {
        case .inProgress: "inProgress"
        case .complete: "complete"
        case .lost(let kind): "lost: \(kind.name)"
        case .challenged: "challenged"
        case .failed(let kind, _): "failed: \(kind.name)"
        case .upgraded: "upgraded"
        }
    }

    /// The kind of error with which the attempt failed or was lost.
    package var kind: HTTPError.Kind? {
        switch self {
        case .lost(let kind), .failed(let kind, _): kind
        case .inProgress, .complete, .challenged, .upgraded: nil
        }
    }
}

extension HTTPSecurity.Version {
    /// The version as the RFCs write it.
    package var name: String {
        switch self {
        case .tls12: "TLS 1.2"
        case .tls13: "TLS 1.3"
        }
    }
}

extension HTTPError.Kind {
    /// The label of the kind; a timeout includes its phase: `timedOut(connect)`.
    package var name: String {
        if case .timedOut(let phase) = self { "\(label)(\(phase))" } else { label }
    }
}

// What texts call the cases of enums: their own names, and so the same in every version.

extension HTTPMetrics.Attempt.Reason {
    /// The name of the case.
    var name: String {
        switch self {
        case .first: "first"
        case .lostConnection: "lostConnection"
        case .proxyChallenge: "proxyChallenge"
        case .redirect: "redirect"
        case .challenge: "challenge"
        case .retry: "retry"
        }
    }
}

extension HTTPMetrics.Attempt.Outcome {
    /// The name of the case, and of its error's.
    var name: String {
        switch self {
        case .inProgress: "inProgress"
        case .complete: "complete"
        case .lost(let kind): "lost: \(kind.name)"
        case .challenged: "challenged"
        case .failed(let kind, _): "failed: \(kind.name)"
        case .upgraded: "upgraded"
        }
    }

    /// What it failed with, or was lost to.
    var kind: HTTPError.Kind? {
        switch self {
        case .lost(let kind), .failed(let kind, _): kind
        case .inProgress, .complete, .challenged, .upgraded: nil
        }
    }
}

extension HTTPSecurity.Version {
    /// As the RFCs write it.
    var name: String {
        switch self {
        case .tls12: "TLS 1.2"
        case .tls13: "TLS 1.3"
        }
    }
}

extension HTTPError.Kind {
    /// Its label; of a time-out, with the phase: `timedOut(connect)`.
    var name: String {
        if case .timedOut(let phase) = self { "\(label)(\(phase))" } else { label }
    }
}

internal import HTTPClient

/// Prints each deviation from RFC 9112 that `--forensic` accepted in the heads of a response.
final class DeviationDisplay: HTTPObserver {
    private let console: Console

    init(_ console: Console) {
        self.console = console
    }

    /// Prints the deviations of what was received.
    func observe(_ step: HTTPStep, _ context: HTTPContext) {
        switch step {
        case .received(let response): show(response.metrics)
        case .failed(let error): show(error.metrics)
        default: break
        }
    }

    /// Prints those of the last exchange, and of the attempts that a proxy or a lost connection ended.
    private func show(_ metrics: HTTPMetrics) {
        let attempts = metrics.attempts
        let start = attempts.lastIndex {
            $0.reason != .lostConnection && $0.reason != .proxyChallenge
        }
        for attempt in attempts[(start ?? 0)...] { console.deviations(attempt.deviations) }
    }
}

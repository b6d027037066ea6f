internal import HTTPClient

/// An observer that prints each deviation from RFC 9112 that `--forensic` accepted in a head.
final class DeviationDisplay: HTTPObserver {
    private let console: Console

    init(_ console: Console) {
        self.console = console
    }

    /// Prints the deviations of a received response.
    func observe(_ step: HTTPStep, _ context: HTTPContext) {
        switch step {
        case .received(let response): show(response.metrics)
        case .failed(let error): show(error.metrics)
        default: break
        }
    }

    /// Prints the deviations of the last exchange, and of attempts that ended at a proxy or with a
    /// lost connection.
    private func show(_ metrics: HTTPMetrics) {
        let attempts = metrics.attempts
        let start = attempts.lastIndex {
            $0.reason != .lostConnection && $0.reason != .proxyChallenge
        }
        for attempt in attempts[(start ?? 0)...] { console.deviations(attempt.deviations) }
    }
}

package import HTTPClient

/// Says when a transfer that failed is made once more, as curl does it.
package struct RetryOptions: Sendable, Hashable {
    /// How often; 0 for never.
    package var maxRetries = 0
    /// Between two tries; nil for 1 s, and twice as much each time.
    package var delay: Duration?
    /// How long after the first try another may be decided on, or waited for when the server says how
    /// long; nil for no bound.
    package var maxTime: Duration?
    /// Any failure, whatever it is.
    package var retriesAllErrors = false
    /// A refused connection as well.
    package var retriesConnectionRefused = false

    /// Waits longer than this are not worth it, and a server that asks for one is not believed.
    package static let maxWait = Duration.seconds(600)

    package init() {}

    /// Whether an answer with this status says that another try may do better.
    package static func isTransient(_ status: HTTPStatus) -> Bool {
        [408, 429, 500, 502, 503, 504, 522, 524].contains(status.code)
    }

    /// Whether a transfer that ended so may be made again.
    package func isRetryable(_ outcome: Outcome) -> Bool {
        if retriesAllErrors, outcome.code != .done { return true }
        if let status = outcome.status, Self.isTransient(status) { return true }
        switch outcome.code {
        case .timedOut, .unresolvedHost, .unresolvedProxy: return true
        case .notConnected: return retriesConnectionRefused
        default: return false
        }
    }

    /// How a try ended.
    package struct Outcome: Sendable {
        package let code: ExitCode
        /// The status of the answer; nil when there was none, or its body failed.
        package let status: HTTPStatus?
        /// What Retry-After asks for.
        package let retryAfter: Duration?

        package init(code: ExitCode, status: HTTPStatus? = nil, retryAfter: Duration? = nil) {
            self.code = code
            self.status = status
            self.retryAfter = retryAfter
        }
    }

    /// How long to wait before the next try.
    ///
    /// - Parameters:
    ///   - outcome: how the last one ended.
    ///   - retries: tries so far, the first transfer not counted.
    ///   - elapsed: since the first one began.
    ///   - transferTimeout: what the caller allows for one transfer.
    /// - Returns: nil when there is to be none.
    package func wait(
        after outcome: Outcome,
        retries: Int,
        elapsed: Duration,
        transferTimeout: Duration?
    ) -> Duration? {
        guard retries < maxRetries, isRetryable(outcome) else { return nil }
        if let maxTime, elapsed >= maxTime { return nil }
        var wait = delay ?? min(.seconds(1 << min(retries, 10)), Self.maxWait)
        if let retryAfter = outcome.retryAfter, retryAfter > wait {
            if let maxTime, elapsed + retryAfter > maxTime { return nil }
            guard retryAfter <= min(transferTimeout ?? Self.maxWait, Self.maxWait) else {
                return nil
            }
            wait = retryAfter
        }
        return wait
    }
}

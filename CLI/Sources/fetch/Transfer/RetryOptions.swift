package import HTTPClient

/// The rules for retrying a failed transfer, as in curl.
package struct RetryOptions: Sendable, Hashable {
    /// The number of retries; 0 for none.
    package var maxRetries = 0
    /// The delay between two attempts; nil for 1 s, doubled each time.
    package var delay: Duration?
    /// The time after the start of the first attempt in which a retry may be decided; nil for no limit.
    ///
    /// A delay that the server requests must also end within it.
    package var maxTime: Duration?
    /// Whether any failure is retried.
    package var retriesAllErrors = false
    /// Whether a refused connection is retried as well.
    package var retriesConnectionRefused = false

    /// The longest delay.
    ///
    /// A transfer is not retried if the server requests a longer one.
    package static let maxWait = Duration.seconds(600)

    package init() {}

    /// Whether a response with this status indicates a temporary failure.
    package static func isTransient(_ status: HTTPStatus) -> Bool {
        [408, 429, 500, 502, 503, 504, 522, 524].contains(status.code)
    }

    /// Whether a transfer with this outcome may be retried.
    package func isRetryable(_ outcome: Outcome) -> Bool {
        if retriesAllErrors, outcome.code != .done { return true }
        if let status = outcome.status, Self.isTransient(status) { return true }
        switch outcome.code {
        case .timedOut, .unresolvedHost, .unresolvedProxy: return true
        case .notConnected: return retriesConnectionRefused
        default: return false
        }
    }

    /// The outcome of an attempt.
    package struct Outcome: Sendable {
        package let code: ExitCode
        /// The status of the response; nil when there was none, or its body failed.
        package let status: HTTPStatus?
        /// The delay that Retry-After requests.
        package let retryAfter: Duration?

        package init(code: ExitCode, status: HTTPStatus? = nil, retryAfter: Duration? = nil) {
            self.code = code
            self.status = status
            self.retryAfter = retryAfter
        }
    }

    /// Returns the delay before the next attempt.
    ///
    /// - Parameters:
    ///   - outcome: the outcome of the last attempt.
    ///   - retries: the number of retries so far.
    ///   - elapsed: the time since the first attempt began.
    ///   - transferTimeout: the timeout of one transfer.
    /// - Returns: nil when the transfer is not retried.
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

package import HTTPClient

/// Says when a transfer that failed is made once more, as curl does it.
package struct RetryRule: Sendable, Hashable {
    /// How often; 0 for never.
    package var tries = 0
    /// Between two tries; nil for 1 s, and twice as much each time.
    package var delay: Duration?
    /// How long after the first try another may be decided on, or waited for when the server says how
    /// long; nil for no bound.
    package var maximum: Duration?
    /// Any failure, whatever it is.
    package var takesAllFailures = false
    /// A refused connection as well.
    package var takesRefusals = false

    /// Waits longer than this are not worth it, and a server that asks for one is not believed.
    package static let longestWait = Duration.seconds(600)

    package init() {}

    /// Whether an answer with this status says that another try may do better.
    package static func isTransient(_ status: HTTPStatus) -> Bool {
        [408, 429, 500, 502, 503, 504, 522, 524].contains(status.code)
    }

    /// Whether a transfer that ended so may be made again.
    package func covers(_ outcome: Outcome) -> Bool {
        if takesAllFailures, outcome.code != .done { return true }
        if let status = outcome.status, Self.isTransient(status) { return true }
        switch outcome.code {
        case .timedOut, .unresolvedHost, .unresolvedProxy: return true
        case .notConnected: return takesRefusals
        default: return false
        }
    }

    /// How a try ended.
    package struct Outcome: Sendable {
        package let code: ExitCode
        /// The status of the answer; nil when there was none, or its body failed.
        package let status: HTTPStatus?
        /// What Retry-After asks for.
        package let asked: Duration?

        package init(code: ExitCode, status: HTTPStatus? = nil, asked: Duration? = nil) {
            self.code = code
            self.status = status
            self.asked = asked
        }
    }

    /// How long to wait before the next try.
    ///
    /// - Parameters:
    ///   - outcome: how the last one ended.
    ///   - made: tries so far, the first transfer not counted.
    ///   - elapsed: since the first one began.
    ///   - longest: what the caller allows for one transfer.
    /// - Returns: nil when there is to be none.
    package func wait(
        after outcome: Outcome,
        made: Int,
        elapsed: Duration,
        longest: Duration?
    ) -> Duration? {
        guard made < tries, covers(outcome) else { return nil }
        if let maximum, elapsed >= maximum { return nil }
        var wait = delay ?? min(.seconds(1 << min(made, 10)), Self.longestWait)
        if let asked = outcome.asked, asked > wait {
            if let maximum, elapsed + asked > maximum { return nil }
            guard asked <= min(longest ?? Self.longestWait, Self.longestWait) else { return nil }
            wait = asked
        }
        return wait
    }
}

internal import SocketTransport

// To add a strategy, add a case and its delay here; `CallDriver+Retries` applies it. The tests are `RetryRulesTests`
// and `BackoffTests`.

extension HTTPRetryOptions {
    /// The action before a retry.
    ///
    /// If the response has a Retry-After (RFC 9110 §10.2.3), the client never retries earlier, whatever the
    /// strategy; see ``HTTPRetryOptions/maxRetryAfter``.
    public enum Strategy: Sendable {
        /// Retries at once.
        case immediate
        /// Waits for a fixed time.
        case delayed(Duration)
        /// Waits for a random part of a time that doubles with each retry (exponential backoff with jitter).
        ///
        /// The wait is drawn from the whole range, so that clients that failed together do not retry together.
        /// The defaults, 0.2 s and 10 s, outlast a server restart without delaying a caller for minutes.
        case exponential(base: Duration = .milliseconds(200), cap: Duration = .seconds(10))
        /// Waits for 1, 1, 2, 3, 5 … units, up to the cap.
        case fibonacci(unit: Duration = .seconds(1), cap: Duration = .seconds(60))
        /// Sends another request, then calls a closure that can use its response to change the retried request.
        ///
        /// The other request is sent without validators, interceptors and retries. If it fails, or if the
        /// closure throws, the call fails with that error.
        case afterRequest(
            HTTPRequest,
            delay: Duration = .zero,
            then: (@Sendable (HTTPResponse, inout HTTPRequest) async throws -> Void)? = nil
        )
        /// Runs a closure that can change the request; if the closure throws, the call fails with that error.
        case afterTask(
            delay: Duration = .zero,
            @Sendable (inout HTTPRequest) async throws -> Void
        )

        /// Whether only time makes the next attempt different from the last.
        package var onlyDelays: Bool {
            switch self {
            case .immediate, .delayed, .exponential, .fibonacci: true
            case .afterRequest, .afterTask: false
            }
        }

        /// Returns the delay of the strategy itself.
        ///
        /// - Parameters:
        ///   - number: the number of the retry, counted from 1.
        ///   - random: the source of randomness.
        /// - Returns: a delay that is never negative.
        package func delay(
            before number: Int,
            _ random: inout some RandomNumberGenerator
        ) -> Duration {
            switch self {
            case .immediate: .zero
            case .delayed(let delay), .afterRequest(_, let delay, _), .afterTask(let delay, _):
                max(delay, .zero)
            case .exponential(let base, let cap):
                Self.part(of: Self.doubled(base, number - 1, cap), &random)
            case .fibonacci(let unit, let cap): Self.fibonacci(unit, number, cap)
            }
        }

        private static func doubled(_ base: Duration, _ times: Int, _ cap: Duration) -> Duration {
            var span = max(base, .zero)
            var left = span > .zero ? times : 0
            while left > 0, span < cap {
                span *= 2
                left -= 1
            }
            return min(span, max(cap, .zero))
        }

        /// Returns a uniformly random part of the span.
        private static func part(
            of span: Duration,
            _ random: inout some RandomNumberGenerator
        ) -> Duration {
            let whole = span.wholeNanoseconds
            return .nanoseconds(whole > 0 ? Int64.random(in: 0...whole, using: &random) : 0)
        }

        private static func fibonacci(_ unit: Duration, _ number: Int, _ cap: Duration) -> Duration
        {
            var (last, next) = (Duration.zero, max(unit, .zero))
            var left = next > .zero ? number - 1 : 0
            while left > 0, next < cap {
                (last, next) = (next, last + next)
                left -= 1
            }
            return min(next, max(cap, .zero))
        }
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped to the range of `Int64`; 0 if negative.
    package var wholeNanoseconds: Int64 { Deadline(nanoseconds: 0).advanced(by: self).nanoseconds }
}

internal import SocketTransport

/// Says what is done before a request is sent again.
///
/// A response that says when to come back (Retry-After, RFC 9110 §10.2.3) is never asked sooner,
/// whatever the strategy; see ``HTTPRetryOptions/maxRetryAfter``.
public enum HTTPRetryStrategy: Sendable {
    /// Nothing.
    case immediate
    /// Waits.
    case delayed(Duration)
    /// Waits for a part, drawn anew each time, of a span that doubles with each retry.
    ///
    /// Drawing from all of it keeps clients that failed together from coming back together. The
    /// defaults, 0.2 s and 10 s, ride out a restart without holding a caller for minutes.
    case exponential(base: Duration = .milliseconds(200), cap: Duration = .seconds(10))
    /// Waits for 1, 1, 2, 3, 5 … units, and never longer than the cap.
    case fibonacci(unit: Duration = .seconds(1), cap: Duration = .seconds(60))
    /// Sends another request, and lets a closure change the one that is retried by the response.
    ///
    /// The other request goes out without validators, interceptors and retries of its own. When it
    /// fails, or the closure throws, that is the error of the call.
    case afterRequest(
        HTTPRequest,
        delay: Duration = .zero,
        then: (@Sendable (HTTPResponse, inout HTTPRequest) async throws -> Void)? = nil
    )
    /// Runs a closure, which may change the request; what it throws is the error of the call.
    case afterTask(
        delay: Duration = .zero,
        @Sendable (inout HTTPRequest) async throws -> Void
    )

    /// How long the strategy itself waits.
    ///
    /// - Parameters:
    ///   - number: of the retry, from 1 on.
    ///   - random: draws.
    /// - Returns: never negative.
    package func delay(before number: Int, _ random: inout some RandomNumberGenerator) -> Duration {
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

    /// Any part of the span is as likely as any other.
    private static func part(
        of span: Duration,
        _ random: inout some RandomNumberGenerator
    ) -> Duration {
        let whole = span.wholeNanoseconds
        return .nanoseconds(whole > 0 ? Int64.random(in: 0...whole, using: &random) : 0)
    }

    private static func fibonacci(_ unit: Duration, _ number: Int, _ cap: Duration) -> Duration {
        var (last, next) = (Duration.zero, max(unit, .zero))
        var left = next > .zero ? number - 1 : 0
        while left > 0, next < cap {
            (last, next) = (next, last + next)
            left -= 1
        }
        return min(next, max(cap, .zero))
    }
}

extension Duration {
    /// In nanoseconds, as many as an `Int64` holds; 0 for a negative one.
    var wholeNanoseconds: Int64 { Deadline(nanoseconds: 0).advanced(by: self).nanoseconds }
}

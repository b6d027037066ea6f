internal import SocketTransport

/// The limits of retries, and whether a client retries failed requests by itself.
///
///     configuration.retries = .standard
///     let request = HTTPRequest("https://example.com/").retries(.standard(maxRetries: 5))
///
/// By default only what never left this machine is sent again, and what a validator or an interceptor asks
/// for. With ``standard``, or a ``maxRetries`` that you set, the client also retries what ``HTTPDefaultValidator``
/// finds worth retrying: unresolved names, failed and lost connections, timeouts of a phase, responses that
/// break off, and the statuses 429 and 503.
///
/// A request is retried only when nothing can be done twice by it: its method is idempotent (RFC 9110
/// §9.2.2), it has an Idempotency-Key field, nothing of it left this machine, or the server says that it refused
/// it (401, 403, 421, 425). Its body must be replayable, and the call's total timeout must leave time for the
/// delay. A streamed or downloaded body that breaks off is not retried: its beginning was delivered.
public struct HTTPRetryOptions: Sendable {
    /// What makes the default validator judge calls.
    private enum Trigger: Sendable {
        /// Nothing: only validators and interceptors ask for retries.
        case onRequest
        /// A limit was set, and there are no other validators.
        case limit
        /// The standard retries: always, besides other validators.
        case standard
    }

    private var trigger = Trigger.onRequest

    /// Retries allowed per call, not counting the first attempt.
    ///
    /// Default 2, for retries that validators and interceptors ask for; 0 forbids them. Setting a limit above 0
    /// makes a client without validators retry as with ``standard``. ``HTTPRequest/maxRetries`` sets it for one
    /// request.
    public var maxRetries: Int {
        didSet {
            if maxRetries <= 0 {
                trigger = .onRequest
            } else if trigger == .onRequest {
                trigger = .limit
            }
        }
    }

    /// The longest Retry-After delay that the client waits; a response that asks for more is delivered.
    ///
    /// Default 60 s, so that no server can hold a caller for a day.
    public var maxRetryAfter: Duration

    /// Retries that the client can afford per call, in the long run; nil sets no budget.
    ///
    /// Default 0.2: when all calls fail, retries make the load a fifth larger and not three times as
    /// large. So ten calls with a limit of 3 that all fail make about 20 attempts, and not 40: a new client, or
    /// one that made few calls, can afford ten retries. Clients derived from one another share the budget.
    /// Retries after another request or a task are not counted: something has changed for them.
    public var budget: Double?

    /// Whether requests are retried that may have side effects twice.
    ///
    /// Default false.
    public var retriesUnsafeRequests: Bool

    /// The most requests that one call sends, whoever asks for them: 1000.
    ///
    /// It ends interceptors and validators that would go on for ever; the call fails with
    /// `.interceptorFailed`.
    public static let maxRequests = 1000

    /// At most two retries of what is worth one, on top of what validators ask for.
    public static let standard = standard(maxRetries: 2)

    /// No retries, whatever validators and interceptors ask for.
    public static let never = HTTPRetryOptions(maxRetries: 0)

    /// Retries of what is worth one, on top of what validators ask for.
    ///
    /// - Parameter maxRetries: retries per call, not counting the first attempt.
    /// - Returns: the standard retries with that limit.
    public static func standard(maxRetries: Int) -> HTTPRetryOptions {
        var retries = HTTPRetryOptions(maxRetries: maxRetries)
        if maxRetries > 0 { retries.trigger = .standard }
        return retries
    }

    /// Makes the default limits: two retries that validators and interceptors ask for, and no others.
    public init() {
        maxRetries = 2
        maxRetryAfter = .seconds(60)
        budget = 0.2
        retriesUnsafeRequests = false
    }

    /// Makes the default limits with another ``maxRetries``, as if it were set.
    public init(maxRetries: Int) {
        self.init()
        self.maxRetries = maxRetries
        trigger = maxRetries > 0 ? .limit : .onRequest
    }

    /// Adds the default validator behind others, if these retries need it.
    func completing(
        _ validators: [any HTTPResponseValidator]
    ) -> [any HTTPResponseValidator] {
        switch trigger {
        case .onRequest: return validators
        case .limit where !validators.isEmpty: return validators
        case .limit, .standard:
            let isThere = validators.contains { $0 is HTTPDefaultValidator }
            return isThere ? validators : validators + [HTTPDefaultValidator()]
        }
    }
}

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

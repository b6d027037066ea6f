public import Wire

/// The limits of retries, and whether a client retries failed requests by itself.
///
///     configuration.retries = .standard
///     let request = HTTPRequest("https://example.com/").retries(.standard(maxRetries: 5))
///
/// By default, the client retries a request only if a validator or an interceptor requests it. A request
/// whose reused connection is lost before any response is sent again at once, if none of it was sent or
/// its method is idempotent; that does not count as a retry. Neither does the second request after a 417, 421
/// or 425: the client sends it once for each status, if the body can still be sent.
///
/// With ``standard``, or if you set ``maxRetries``, the client also retries the failures that
/// ``HTTPDefaultValidator`` selects. These are failed lookups, failed and lost connections, timeouts
/// except of the queue and of the whole call, truncated responses, and the statuses 408, 429, 500, 502, 503
/// and 504 (``HTTPDefaultValidator/temporaryFailures``).
///
/// A request is retried only if that cannot cause a side effect twice. One of these must be true:
/// - its method is idempotent (RFC 9110 §9.2.2);
/// - it has an Idempotency-Key field;
/// - none of it was sent;
/// - the server rejected it without processing it (401, 403, 421, 425).
///
/// Its body must be replayable, and the call's total timeout must leave time for the delay. A streamed
/// body that is truncated is not retried, because its beginning was already delivered. In a download to a
/// file, the retry requests only the rest, if the server identifies the state of the resource
/// (``HTTPClient/download(_:to:options:)``).
public struct HTTPRetryOptions: Sendable {
    /// The condition under which the default validator applies.
    private enum Trigger: Sendable {
        /// Never: only validators and interceptors request retries.
        case onRequest
        /// A limit was set, and there are no other validators.
        case limit
        /// Always, in addition to other validators: the standard retries.
        case standard
    }

    private var trigger = Trigger.onRequest

    /// Retries allowed per call, not counting the first attempt.
    ///
    /// Default 2, for retries that validators and interceptors request; 0 forbids retries. Setting a limit
    /// above 0 makes a client without validators retry as with ``standard``. ``HTTPRequest/maxRetries``
    /// overrides the limit for one request.
    public var maxRetries: Int {
        didSet {
            if maxRetries <= 0 {
                trigger = .onRequest
            } else if trigger == .onRequest {
                trigger = .limit
            }
        }
    }

    /// The longest Retry-After delay that the client waits; a response with a longer delay is returned.
    ///
    /// Default 60 s, so that a server cannot delay a caller for hours.
    public var maxRetryAfter: Duration

    /// The waits before retries of responses with these statuses.
    ///
    ///     configuration.retries = .standard
    ///     configuration.retries.statusDelays = [429: .seconds(3)]
    ///
    /// Such a wait replaces the delay of the strategy, unless the strategy sends another request or runs a task. If
    /// the response has a Retry-After with a longer delay, the client waits for that time. Whether a status is
    /// retried does not depend on its wait (``HTTPDefaultValidator/retriedStatuses``).
    ///
    /// Default empty: the strategy determines each delay.
    public var statusDelays: [HTTPStatus: Duration] = [:]

    /// The retry budget: the average number of retries per call over time; nil sets no limit.
    ///
    /// Default 0.2: if all calls fail, retries increase the load by a fifth instead of tripling it. The
    /// budget starts with ten retries, which is also its maximum. For example, ten calls with a limit of 3
    /// that all fail make about 20 attempts instead of 40.
    ///
    /// Clients derived from one another share the budget. Retries after another request or a task do not
    /// count, because that request or task has changed something.
    public var budget: Double?

    /// Whether the client also retries requests that may then cause a side effect twice.
    ///
    /// Default false.
    public var retriesUnsafeRequests: Bool

    /// The maximum number of requests that one call sends, for any reason: 1000.
    ///
    /// The limit ends interceptors and validators that would retry without end. The call then fails with
    /// `.interceptorFailed`.
    public static let maxRequests = 1000

    /// The standard retries: at most two, of the failures that ``HTTPDefaultValidator`` selects.
    ///
    /// Other validators can still request retries.
    public static let standard = standard(maxRetries: 2)

    /// No retries, even if validators or interceptors request them.
    public static let never = HTTPRetryOptions(maxRetries: 0)

    /// Returns options for retries of the failures that ``HTTPDefaultValidator`` selects.
    ///
    /// Other validators can still request retries.
    ///
    /// - Parameter maxRetries: retries per call, not counting the first attempt.
    /// - Returns: the standard retries with that limit.
    public static func standard(maxRetries: Int) -> HTTPRetryOptions {
        var retries = HTTPRetryOptions(maxRetries: maxRetries)
        if maxRetries > 0 { retries.trigger = .standard }
        return retries
    }

    /// Creates the default options: two retries, only if validators or interceptors request them.
    public init() {
        maxRetries = 2
        maxRetryAfter = .seconds(60)
        budget = 0.2
        retriesUnsafeRequests = false
    }

    /// Creates the default options with another ``maxRetries``, as if the property were set.
    public init(maxRetries: Int) {
        self.init()
        self.maxRetries = maxRetries
        trigger = maxRetries > 0 ? .limit : .onRequest
    }

    /// Adds the default validator after the others, if these options need it.
    package func completing(
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

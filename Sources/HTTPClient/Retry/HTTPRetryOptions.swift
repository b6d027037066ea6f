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

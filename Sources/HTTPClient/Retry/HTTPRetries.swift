/// Bounds how often requests are sent again because a validator or an interceptor asks for it.
///
/// A request is sent again only when nothing can be done twice by it: its method is idempotent (RFC
/// 9110 §9.2.2), it has an Idempotency-Key field, nothing of it left this machine, or the server says that
/// it refused it (401, 403, 421, 425); and when its body can be made again, and the call's total bound
/// leaves time to wait. Else the outcome stands as it is.
public struct HTTPRetries: Sendable {
    /// How often a call may be retried.
    ///
    /// Default 2; 0 forbids it. ``HTTPRequest/maxRetries`` says it for one request.
    public var limit: Int

    /// The longest that Retry-After is obeyed; a response that wants more stands as it is.
    ///
    /// Default 60 s: nobody should be able to hold a caller for a day.
    public var longestRetryAfter: Duration

    /// How many retries the client affords for each call, in the long run; nil affords all.
    ///
    /// Default 0.2: when everything fails, retries make the load a fifth larger and not three times as
    /// large. Ten are free in the beginning and after a rest, so that a client that does little can
    /// retry at all. Clients that are derived of one another share what is left. Retries after another
    /// request or a task are not counted: they are made because something has changed.
    public var budget: Double?

    /// Whether to send again what may be done twice by it.
    ///
    /// Default no.
    public var repeatsUnsafeRequests: Bool

    /// The most requests that one call sends, whoever wants them: 1000.
    ///
    /// It ends interceptors and validators that would go on for ever; the call fails with
    /// `.interceptorFailed`.
    public static let mostRequests = 1000

    /// Makes the default bounds.
    public init(limit: Int = 2) {
        self.limit = limit
        longestRetryAfter = .seconds(60)
        budget = 0.2
        repeatsUnsafeRequests = false
    }
}

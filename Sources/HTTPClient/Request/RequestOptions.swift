internal import Wire

/// Holds what few requests set, so that all the others stay small and are copied cheaply.
struct RequestOptions: Sendable {
    var timeouts: HTTPTimeouts?
    /// Changes the bounds that count, the request's own or the client's.
    var timeoutChange: (@Sendable (inout HTTPTimeouts) -> Void)?
    /// The bound of the whole call; nil leaves it to the others.
    var timeout: Duration?
    var connectOptions: HTTPConnectOptions?
    var proxyTable: ProxyResolver?
    var settledSecurity: HashedSecurity?
    var rawTarget: String?
    var headModifier: (@Sendable (inout RequestHead) throws -> Void)?
    var tags = HTTPTags()
    var authentication: HTTPAuthentication?
    var redirectMode: HTTPRedirectMode?
    var maxRetries: Int?
    var strictness: Strictness?
    var retries: HTTPRetryOptions?
    var validators: [any HTTPResponseValidator] = []
    var interceptors: [any HTTPInterceptor] = []
    /// A redirect has led to another origin: what the client adds for its own stays at home.
    var hasCrossedOrigin = false

    /// Whether somebody has a say in the sending of the request, and not only in what is sent.
    var hasPolicies: Bool {
        authentication != nil || redirectMode != nil || maxRetries != nil || retries != nil
            || !validators.isEmpty || !interceptors.isEmpty
    }

    /// What is wrong with the template or the parameters that the URL was made of.
    var urlError: HTTPInvalidRequestReason?
    /// What is wrong with the credentials.
    var authorizationError: HTTPInvalidRequestReason?
    /// What is wrong with the numbers of fields, one entry a field.
    var headerErrors: [HTTPInvalidRequestReason] = []

    /// Whether the head is what it would be without these settings.
    var canUseCachedHead: Bool { rawTarget == nil && !hasCrossedOrigin }

    /// What must be said before anything is sent.
    var fault: HTTPInvalidRequestReason? { urlError ?? authorizationError ?? headerErrors.first }

    /// Finds the bounds of a request; nil when they are the client's.
    func timeouts(of client: HTTPTimeouts) -> HTTPTimeouts? {
        guard timeouts != nil || timeoutChange != nil || timeout != nil else { return nil }
        var result = timeouts ?? client
        timeoutChange?(&result)
        if let timeout { result.total = timeout }
        return result
    }

    /// Shares settings between copies of a request; a copy that is changed gets a box of its own.
    final class Box: Sendable {
        let settings: RequestOptions

        init(_ settings: RequestOptions) {
            self.settings = settings
        }
    }
}

public import Wire

extension HTTPRequest {
    /// Bounds for this request; nil means the client's.
    ///
    /// It replaces the client's bounds whole. To change one of them, use ``timeout`` or
    /// ``HTTPRequestProtocol/timeouts(_:)``; setting this undoes the latter.
    public var timeouts: HTTPTimeouts? {
        get { optionsBox?.settings.timeouts }
        set {
            options.timeouts = newValue
            options.timeoutChange = nil
        }
    }

    /// The bound of the whole call, from `send` to the last byte of the body; nil leaves it to
    /// ``timeouts`` or the client.
    ///
    /// The other bounds stay what they are.
    public var timeout: Duration? {
        get { optionsBox?.settings.timeout }
        set { options.timeout = newValue }
    }

    /// How this request's connection is opened; nil means as the client's configuration says.
    ///
    /// It replaces the client's settings whole, its ``AddressPolicy`` too: to change one, begin with a
    /// copy of ``HTTPClient/Settings/connectOptions``.
    public var connectOptions: HTTPConnectOptions? {
        get { optionsBox?.settings.connectOptions }
        set { options.connectOptions = newValue }
    }

    /// Which proxy is used for this request; nil means what the client's setting says.
    ///
    /// Requests made as copies of one another share connections through the same proxy, and so do
    /// those whose proxies are equal.
    public var proxy: HTTPProxySetting? {
        get { optionsBox?.settings.proxyTable?.setting }
        set { options.proxyTable = newValue.map { ProxyResolver($0) } }
    }

    /// Whom to trust for this request, and what to show; nil means the client's settings.
    ///
    /// Requests with other settings have connections and TLS sessions of their own. Setting it costs
    /// a hash of the settings: where many requests share them, copy a request that has them.
    public var security: HTTPSecurity? {
        get { optionsBox?.settings.settledSecurity?.security }
        set { options.settledSecurity = newValue.map { HashedSecurity($0) } }
    }

    /// What stands in the request line instead of the URL's path and query; nil means those.
    ///
    /// It is sent as it is: no dot segment is removed and nothing is percent-encoded. The URL still
    /// says where to connect, and what Host is. `*` is for OPTIONS alone, a whole URL goes out as
    /// such, and anything else begins with a slash (RFC 9112 §3.2). A target with a space, a control,
    /// a `#` or a byte outside ASCII is refused, as it would end the line early or be read in two
    /// ways: `.invalidRequest(.refused(.invalidTarget(offset:)))`.
    public var rawTarget: String? {
        get { optionsBox?.settings.rawTarget }
        set { options.rawTarget = newValue }
    }

    /// Changes the head as it is about to be sent, behind everything that is merged into it; nil
    /// changes nothing.
    ///
    /// It sees what the peer will: method, target, version and all fields, those of the client too.
    /// Credentials that a proxy asks for later are added behind it. What says where the body ends is
    /// not its business: if Content-Length or Transfer-Encoding are not what they were,
    /// `.invalidRequest(.framingField(…))` is thrown, and without exactly one Host field
    /// `.invalidRequest(.refused(…))`. An error that the closure throws becomes
    /// `.invalidRequest(.headModifier(…))`, unless it is an ``HTTPError``.
    ///
    /// It is called by whoever sends the request, once for each time it is sent, and for
    /// ``curlDescription(in:secrets:redacting:)``.
    public var headModifier: (@Sendable (inout RequestHead) throws -> Void)? {
        get { optionsBox?.settings.headModifier }
        set { options.headModifier = newValue }
    }

    /// What proves to the server who asks; nil means what the client's setting says.
    ///
    /// Not looked at when the request has an Authorization field, or its URL a user name.
    public var authentication: HTTPAuthentication? {
        get { optionsBox?.settings.authentication }
        set { options.authentication = newValue }
    }

    /// What becomes of redirects; nil means what the client's ``HTTPRedirectOptions`` say.
    public var redirectMode: HTTPRedirectMode? {
        get { optionsBox?.settings.redirectMode }
        set { options.redirectMode = newValue }
    }

    /// What is retried, in place of the client's ``HTTPClient/Settings/retries``; nil leaves it to the client.
    ///
    ///     request.retries = .standard
    public var retries: HTTPRetryOptions? {
        get { optionsBox?.settings.retries }
        set { options.retries = newValue }
    }

    /// Retries allowed for the call, not counting the first attempt; nil means ``HTTPRetryOptions/maxRetries``.
    ///
    /// With 5 the request is sent up to six times. Validators decide what is worth a retry. If neither the
    /// client nor the request has any, and this is 1 or more, ``HTTPDefaultValidator`` decides it.
    public var maxRetries: Int? {
        get { optionsBox?.settings.maxRetries }
        set { options.maxRetries = newValue }
    }

    /// Which deviations from RFC 9112 are accepted in the response; nil means what the client's
    /// ``HTTPClient/Settings/strictness`` says.
    public var strictness: Strictness? {
        get { optionsBox?.settings.strictness }
        set { options.strictness = newValue }
    }

    /// What judges the outcome, behind the client's validators.
    public var validators: [any HTTPResponseValidator] {
        get { optionsBox?.settings.validators ?? [] }
        set { options.validators = newValue }
    }

    /// What stands around the sending, inside of the client's interceptors.
    public var interceptors: [any HTTPInterceptor] {
        get { optionsBox?.settings.interceptors ?? [] }
        set { options.interceptors = newValue }
    }

    /// What the program notes about the request for itself; nothing of it is sent.
    public var tags: HTTPTags {
        get { optionsBox?.settings.tags ?? HTTPTags() }
        set { options.tags = newValue }
    }
}

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

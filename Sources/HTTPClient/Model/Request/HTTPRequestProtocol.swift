public import Wire

/// Is a request, or holds one: what the chainable modifiers are defined on.
///
/// Each returns a changed copy and leaves the original as it was:
///
///     let request = HTTPRequest("users")
///         .method(.post)
///         .header(.acceptLanguage, "it")
///         .timeout(.seconds(5))
///
/// None of them fails. What cannot be sent is said when the request is.
public protocol HTTPRequestProtocol {
    /// The request that the modifiers change.
    var request: HTTPRequest { get set }
}

extension HTTPRequest: HTTPRequestProtocol {
    /// The request itself.
    public var request: HTTPRequest {
        get { self }
        _modify { yield &self }
    }
}

extension HTTPRequestProtocol {
    func changed<Failure: Error>(
        _ change: (inout HTTPRequest) throws(Failure) -> Void
    ) throws(Failure) -> Self {
        var copy = self
        try change(&copy.request)
        return copy
    }

    // MARK: - What is asked of whom

    /// Changes the method.
    public func method(_ method: HTTPMethod) -> Self { changed { $0.method = method } }

    /// Changes the URL: absolute, or relative to the client's base URL.
    public func url(_ url: String) -> Self { changed { $0.url = url } }

    /// Changes the URL: absolute, or relative to the client's base URL.
    public func route(_ route: String) -> Self { changed { $0.url = route } }

    /// Changes the path; the rest of the URL stays.
    public func path(_ path: String) -> Self { changed { $0.path = path } }

    /// Changes what stands in the request line instead of the URL's path and query; see
    /// ``HTTPRequest/rawTarget``.
    public func rawTarget(_ target: String) -> Self { changed { $0.rawTarget = target } }

    // MARK: - Query

    /// Adds parameters to the query, behind those it has.
    ///
    ///     request.query(["type": "poi", "max": 5, "tags": ["a", "b"]])
    ///
    /// - Parameters:
    ///   - parameters: names and values in their order; an empty array sends nothing.
    ///   - style: how arrays, truth values and dates are spelled.
    /// - Returns: a changed copy; a value that no text stands for is said when it is sent.
    public func query(
        _ parameters: HTTPParameters,
        style: HTTPParameterStyle = HTTPParameterStyle()
    ) -> Self {
        changed { $0.add(parameters: parameters, style: style) }
    }

    /// Adds parameters to the query, behind those it has, sorted by name.
    ///
    /// A literal is an ``HTTPParameters``, which keeps its order; a dictionary has none of its own.
    @_disfavoredOverload
    public func query(
        _ parameters: [String: any HTTPParameterConvertible],
        style: HTTPParameterStyle = HTTPParameterStyle()
    ) -> Self {
        query(HTTPParameters(parameters), style: style)
    }

    /// Adds one parameter to the query, behind those it has.
    ///
    /// - Parameters:
    ///   - name: percent-encoded as needed.
    ///   - value: null, and nil, add the name alone.
    /// - Returns: a changed copy.
    public func query(_ name: String, _ value: some HTTPParameterConvertible) -> Self {
        query(HTTPParameters([HTTPParameters.Element(name, value.parameterValue)]))
    }

    /// Adds items to the query, behind those it has.
    public func query(_ items: [HTTPQueryItem]) -> Self {
        changed { $0.add(queryItems: items) }
    }

    // MARK: - Content

    /// Changes the content.
    public func body(_ body: HTTPBody) -> Self { changed { $0.body = body } }

    // MARK: - Time, trust and way

    /// Bounds the whole call; the other bounds stay what they are.
    public func timeout(_ timeout: Duration) -> Self { changed { $0.timeout = timeout } }

    /// Changes some bounds; the others stay the client's, or what they were.
    ///
    ///     request.timeouts { $0.connect = .seconds(1) }
    ///
    /// - Parameter change: gets the bounds that count, when the request is sent.
    /// - Returns: a changed copy.
    public func timeouts(_ change: @escaping @Sendable (inout HTTPTimeouts) -> Void) -> Self {
        changed { request in
            let before = request.options.timeoutChange
            request.options.timeoutChange = { timeouts in
                before?(&timeouts)
                change(&timeouts)
            }
        }
    }

    /// Changes whom to trust, and what to show; nil means the client's settings.
    public func security(_ security: HTTPSecurity?) -> Self { changed { $0.security = security } }

    /// Changes which proxy is used; nil means what the client's setting says.
    public func proxy(_ proxy: HTTPProxySetting?) -> Self { changed { $0.proxy = proxy } }

    /// Changes how the connection is opened; nil means as the client's configuration says.
    public func connectOptions(_ connectOptions: HTTPConnectOptions?) -> Self {
        changed { $0.connectOptions = connectOptions }
    }

    /// Changes whether the request may share a connection with others.
    public func connection(_ use: HTTPRequest.ConnectionUse) -> Self {
        changed { $0.connection = use }
    }

    /// Changes what proves to the server who asks.
    public func authentication(_ authentication: HTTPAuthentication) -> Self {
        changed { $0.authentication = authentication }
    }

    /// Changes what becomes of redirects.
    public func redirectMode(_ mode: HTTPRedirectMode) -> Self {
        changed { $0.redirectMode = mode }
    }

    /// Changes what is retried, such as `.standard` (``HTTPRequest/retries``).
    public func retries(_ retries: HTTPRetryOptions) -> Self { changed { $0.retries = retries } }

    /// Changes how often the call may be retried, not counting the first attempt
    /// (``HTTPRequest/maxRetries``).
    public func maxRetries(_ limit: Int) -> Self { changed { $0.maxRetries = limit } }

    /// Changes which deviations from RFC 9112 are accepted in the response.
    ///
    ///     request.strictness(.strict)
    public func strictness(_ strictness: Strictness) -> Self {
        changed { $0.strictness = strictness }
    }

    /// Adds a validator behind those it has.
    public func validator(_ validator: some HTTPResponseValidator) -> Self {
        changed { $0.validators.append(validator) }
    }

    /// Adds an interceptor inside of those it has.
    public func interceptor(_ interceptor: some HTTPInterceptor) -> Self {
        changed { $0.interceptors.append(interceptor) }
    }

    /// Changes who waits less when every connection is busy.
    public func priority(_ priority: HTTPPriority) -> Self { changed { $0.priority = priority } }

    // MARK: - Notes and the last word

    /// Notes something about the request; nothing of it is sent.
    public func tag(_ name: String, _ text: String) -> Self { changed { $0.tags[name] = text } }

    /// Notes something about the request, under a key that says what type it has.
    public func tag<Key: HTTPTagKey>(_ key: Key.Type, _ value: Key.Value) -> Self {
        changed { $0.tags[key] = value }
    }

    /// Changes the head as it is about to be sent, behind what was said here before; see
    /// ``HTTPRequest/headModifier``.
    public func headModifier(
        _ modify: @escaping @Sendable (inout RequestHead) throws -> Void
    ) -> Self {
        changed { request in
            guard let before = request.headModifier else {
                request.headModifier = modify
                return
            }
            request.headModifier = { head in
                try before(&head)
                try modify(&head)
            }
        }
    }
}

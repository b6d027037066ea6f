public import SocketTransport
public import Wire

/// A type that is or contains a request, and so has the chainable modifiers.
///
/// Each modifier returns a changed copy and leaves the original unchanged:
///
///     let request = HTTPRequest("users")
///         .method(.post)
///         .header(.acceptLanguage, "it")
///         .timeout(.seconds(5))
///
/// No modifier fails. If the result is invalid, sending the request fails.
public protocol HTTPRequestProtocol {
    /// The type of the value that a started call returns.
    ///
    /// Default ``HTTPResponse``.
    associatedtype Value: Sendable = HTTPResponse

    /// The request that the modifiers change.
    var request: HTTPRequest { get set }

    /// The request with the parser of its response.
    var endpoint: HTTPEndpoint<Value> { get }
}

extension HTTPRequestProtocol where Value == HTTPResponse {
    /// The request with a parser that returns every response.
    public var endpoint: HTTPEndpoint<HTTPResponse> { HTTPEndpoint(request, .passthrough) }
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

    // MARK: - Method and URL

    /// Returns a copy with another method.
    public func method(_ method: HTTPMethod) -> Self { changed { $0.method = method } }

    /// Returns a copy with another URL: absolute, or relative to the client's base URL.
    public func url(_ url: String) -> Self { changed { $0.url = url } }

    /// Returns a copy with another URL: absolute, or relative to the client's base URL.
    public func route(_ route: String) -> Self { changed { $0.url = route } }

    /// Returns a copy with another path; the rest of the URL stays the same.
    public func path(_ path: String) -> Self { changed { $0.path = path } }

    /// Returns a copy with another request target, which replaces the URL's path and query
    /// (``HTTPRequest/rawTarget``).
    public func rawTarget(_ target: String) -> Self { changed { $0.rawTarget = target } }

    // MARK: - Query

    /// Returns a copy with parameters added at the end of the query.
    ///
    ///     request.query(["type": "poi", "max": 5, "tags": ["a", "b"]])
    ///
    /// - Parameters:
    ///   - parameters: names and values in order; an empty array adds nothing.
    ///   - style: the format of arrays, Booleans and dates.
    /// - Returns: the copy. If a value has no text form, sending the request fails.
    public func query(
        _ parameters: HTTPParameters,
        style: HTTPParameterStyle = HTTPParameterStyle()
    ) -> Self {
        changed { $0.add(parameters: parameters, style: style) }
    }

    /// Returns a copy with parameters added at the end of the query, sorted by name.
    ///
    /// This overload takes a dictionary, which has no order. A literal is an ``HTTPParameters``, which
    /// keeps its order.
    @_disfavoredOverload
    public func query(
        _ parameters: [String: any HTTPParameterConvertible],
        style: HTTPParameterStyle = HTTPParameterStyle()
    ) -> Self {
        query(HTTPParameters(parameters), style: style)
    }

    /// Returns a copy with one parameter added at the end of the query.
    ///
    /// - Parameters:
    ///   - name: the name, percent-encoded as needed.
    ///   - value: the value; null and nil add the name alone.
    /// - Returns: the copy.
    public func query(_ name: String, _ value: some HTTPParameterConvertible) -> Self {
        query(HTTPParameters([HTTPParameters.Element(name, value.parameterValue)]))
    }

    /// Returns a copy with items added at the end of the query.
    public func query(_ items: [HTTPQueryItem]) -> Self {
        changed { $0.add(queryItems: items) }
    }

    // MARK: - Content

    /// Returns a copy with another body.
    public func body(_ body: HTTPBody) -> Self { changed { $0.body = body } }

    // MARK: - Timeouts, security and connection

    /// Returns a copy with another timeout for the whole call; the other timeouts stay the same.
    public func timeout(_ timeout: Duration) -> Self { changed { $0.timeout = timeout } }

    /// Returns a copy with changed timeouts; timeouts that the closure does not set stay the same.
    ///
    ///     request.timeouts { $0.connect = .seconds(1) }
    ///
    /// - Parameter change: receives the effective timeouts when the request is sent. Changes of earlier
    ///   calls are applied first.
    /// - Returns: the copy.
    public func timeouts(_ change: @escaping @Sendable (inout HTTPTimeouts) -> Void) -> Self {
        changed { request in
            let before = request.options.timeoutChange
            request.options.timeoutChange = { timeouts in
                before?(&timeouts)
                change(&timeouts)
            }
        }
    }

    /// Returns a copy with other TLS settings; nil means the client's settings.
    public func security(_ security: HTTPSecurity?) -> Self { changed { $0.security = security } }

    /// Returns a copy with another proxy setting; nil means the client's setting.
    public func proxy(_ proxy: HTTPProxySetting?) -> Self { changed { $0.proxy = proxy } }

    /// Returns a copy with other options for opening the connection; nil means the client's options.
    public func connectOptions(_ connectOptions: HTTPConnectOptions?) -> Self {
        changed { $0.connectOptions = connectOptions }
    }

    /// Returns a copy with another use of connections, shared or fresh.
    public func connection(_ use: HTTPRequest.ConnectionUse) -> Self {
        changed { $0.connection = use }
    }

    /// Returns a copy with another authentication setting.
    public func authentication(_ authentication: HTTPAuthentication) -> Self {
        changed { $0.authentication = authentication }
    }

    /// Returns a copy that handles redirects in another way.
    public func redirectMode(_ mode: HTTPRedirectMode) -> Self {
        changed { $0.redirectMode = mode }
    }

    /// Returns a copy with other retry options, such as `.standard` (``HTTPRequest/retries``).
    public func retries(_ retries: HTTPRetryOptions) -> Self { changed { $0.retries = retries } }

    /// Returns a copy with another number of retries allowed, not counting the first attempt
    /// (``HTTPRequest/maxRetries``).
    public func maxRetries(_ limit: Int) -> Self { changed { $0.maxRetries = limit } }

    /// Returns a copy that accepts other deviations from RFC 9112 in the response.
    ///
    ///     request.strictness(.strict)
    public func strictness(_ strictness: Strictness) -> Self {
        changed { $0.strictness = strictness }
    }

    /// Returns a copy with a validator added after the existing ones.
    public func validator(_ validator: some HTTPResponseValidator) -> Self {
        changed { $0.validators.append(validator) }
    }

    /// Returns a copy with an interceptor added inside the existing ones.
    public func interceptor(_ interceptor: some HTTPInterceptor) -> Self {
        changed { $0.interceptors.append(interceptor) }
    }

    /// Returns a copy with another priority for connections.
    public func priority(_ priority: HTTPPriority) -> Self { changed { $0.priority = priority } }

    // MARK: - Tags and the head modifier

    /// Returns a copy with a plain tag, which is never sent.
    public func tag(_ name: String, _ text: String) -> Self { changed { $0.tags[name] = text } }

    /// Returns a copy with a tag under a key that defines its type; the tag is never sent.
    public func tag<Key: HTTPTagKey>(_ key: Key.Type, _ value: Key.Value) -> Self {
        changed { $0.tags[key] = value }
    }

    /// Returns a copy with a closure that changes the head just before it is sent, after the closures of
    /// earlier calls (``HTTPRequest/headModifier``).
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

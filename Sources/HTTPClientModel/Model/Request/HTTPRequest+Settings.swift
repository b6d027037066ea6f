public import SocketTransport
public import Wire

// To add a setting, add the property, the modifier and the storage here. `hasPolicies` and `canUseCachedHead` must know
// a setting that changes a policy or the head. Most settings are read in `RequestPlanner` or `Call/Policies`.
// `ClientCore+Dialer` names those that another engine must not apply again, `CallDriver+Cache` those that change which
// response the request gets, `RedirectRules` those that end with a redirect, `CallDriver+Attempts` the target and the
// body that Digest signs, and `HTTPRequest+Curl` shows some. The tests are `HTTPRequestProtocolTests`, and those of the
// code that reads the setting.

extension HTTPRequest {
    /// The timeouts of this request; nil means the client's timeouts.
    ///
    /// These timeouts replace the client's as a whole. To change one timeout, use ``timeout`` or
    /// ``HTTPRequestProtocol/timeouts(_:)``. Setting this property discards the changes of the latter.
    public var timeouts: HTTPTimeouts? {
        get { optionsBox?.settings.timeouts }
        set {
            options.timeouts = newValue
            options.timeoutChange = nil
        }
    }

    /// The timeout of the whole call, from `send` to the last byte of the body.
    ///
    /// It replaces ``HTTPTimeouts/total`` alone; the other timeouts stay as they are. Nil means the value
    /// of ``timeouts`` or of the client.
    public var timeout: Duration? {
        get { optionsBox?.settings.timeout }
        set { options.timeout = newValue }
    }

    /// The options for opening this request's connection; nil means the client's options.
    ///
    /// These options replace the client's as a whole, including the ``AddressPolicy``. To change one
    /// option, start with a copy of ``HTTPClientSettings/connectOptions``.
    public var connectOptions: HTTPConnectOptions? {
        get { optionsBox?.settings.connectOptions }
        set { options.connectOptions = newValue }
    }

    /// The proxy setting of this request; nil means the client's setting.
    ///
    /// Copies of a request share connections through the same proxy, and so do requests with equal
    /// proxies.
    public var proxy: HTTPProxy.Setting? {
        get { optionsBox?.settings.proxy }
        set { options.proxy = newValue }
    }

    /// The TLS settings of this request: trust store, pins and client certificate.
    ///
    /// Nil means the client's settings. Requests with different settings never share connections or TLS
    /// sessions. Setting this property computes a hash of the settings. If many requests use the same
    /// settings, copy a request that already has them.
    public var security: HTTPSecurity? {
        get { optionsBox?.settings.settledSecurity?.security }
        set { options.settledSecurity = newValue.map { HashedSecurity($0) } }
    }

    /// The request target, replacing the URL's path and query; nil means path and query.
    ///
    /// The client sends it unchanged: it neither removes dot segments nor percent-encodes anything. The
    /// URL still determines the server and the Host field. `*` is valid for OPTIONS alone, and a complete
    /// URL is sent in absolute form. Any other target starts with a slash (RFC 9112 §3.2).
    ///
    /// A target with a space, a control character, a `#` or a byte outside ASCII is rejected, because it
    /// could end the request line early or be ambiguous. Such a request fails with
    /// `.invalidRequest(.refused(.invalidTarget(offset:)))`.
    public var rawTarget: String? {
        get { optionsBox?.settings.rawTarget }
        set { options.rawTarget = newValue }
    }

    /// A closure that changes the request head just before it is sent; nil changes nothing.
    ///
    /// The closure sees the head as the peer will: method, target, version and all header fields,
    /// including the client's. Credentials for a proxy's challenge are added afterwards.
    ///
    /// The closure must not change how the body is framed. If it changes Content-Length or
    /// Transfer-Encoding, the call throws `.invalidRequest(.framingField(…))`. If the head does not have
    /// exactly one Host field, the call throws `.invalidRequest(.refused(…))`. An ``HTTPError`` that the
    /// closure throws ends the call unchanged; any other error becomes `.invalidRequest(.headModifier(…))`.
    ///
    /// The closure runs in the task or thread that sends the request, once per attempt. It also runs for
    /// ``curlDescription(in:secrets:redacting:)``.
    public var headModifier: (@Sendable (inout RequestHead) throws -> Void)? {
        get { optionsBox?.settings.headModifier }
        set { options.headModifier = newValue }
    }

    /// A closure that is called with each 1xx response as it arrives; nil calls none.
    ///
    ///     request.onInformational = { head in
    ///         for link in head.earlyHints where link.hasRelation("preload") { preload(link.target) }
    ///     }
    ///
    /// The closure gets 103 (Early Hints), 102 (Processing) and every other 1xx response, also 100
    /// (Continue), with which a server answers `Expect: 100-continue`. It does not get 101 (Switching
    /// Protocols), which is the final response of an ``HTTPClient/upgrade(_:to:)``. Each attempt of the
    /// call can receive 1xx responses, up to ``WireLimits/informationalCount``; also one whose final
    /// response is a redirect or is retried.
    ///
    /// The client calls the closure on Swift's concurrent pool, in order and one call at a time, while the
    /// attempt runs. It delivers the final response when the closure has returned for all 1xx responses.
    /// The closure must not block. Blocking calls, dedicated connections and upgrades call it too.
    ///
    /// Without this closure, the heads are in ``HTTPResponse/informational``, together with the final
    /// response.
    public var onInformational: (@Sendable (ResponseHead) -> Void)? {
        get { optionsBox?.settings.onInformational }
        set { options.onInformational = newValue }
    }

    /// The maximum number of bytes per second of the call; nil means only the client's limit.
    ///
    ///     request.rateLimit = HTTPRateLimit(download: 1 << 20)
    ///
    /// If the client has a limit too (``HTTPClientConfiguration/rateLimit``), the slower one decides.
    public var rateLimit: HTTPRateLimit? {
        get { optionsBox?.settings.rateLimit }
        set { options.rateLimit = newValue }
    }

    /// A closure that is called with the progress of the call; nil calls none.
    ///
    ///     request.onProgress = { progress in print(progress.phase, progress.fraction ?? 0) }
    ///
    /// It gets what ``HTTPCall/onProgress(of:on:as:_:)`` describes, for every function that sends the request and
    /// follows redirects: also `stream`, blocking calls and downloads. For `stream`, it also gets the progress
    /// of the body while the caller reads it. Dedicated connections, tunnels and upgrades do not call it.
    ///
    /// The client calls the closure on Swift's concurrent pool, one call at a time. A slow closure misses
    /// outdated progress, but never the last one of a direction. A call returns its result when the closure
    /// has returned for the last progress, so the closure must not block. For `stream`, nothing waits for it.
    public var onProgress: (@Sendable (HTTPProgress) -> Void)? {
        get { optionsBox?.settings.onProgress }
        set { options.onProgress = newValue }
    }

    /// How this request authenticates to the server; nil means the client's setting.
    ///
    /// It is ignored if the request has an Authorization field or its URL has a user name.
    public var authentication: HTTPAuthentication? {
        get { optionsBox?.settings.authentication }
        set { options.authentication = newValue }
    }

    /// How redirects are handled; nil means the mode of the client's ``HTTPRedirectOptions``.
    public var redirectMode: HTTPRedirectOptions.Mode? {
        get { optionsBox?.settings.redirectMode }
        set { options.redirectMode = newValue }
    }

    /// The retry options of this request; nil means the client's ``HTTPClientSettings/retries``.
    ///
    ///     request.retries = .standard
    public var retries: HTTPRetryOptions? {
        get { optionsBox?.settings.retries }
        set { options.retries = newValue }
    }

    /// Retries allowed for the call, not counting the first attempt.
    ///
    /// Nil means ``HTTPRetryOptions/maxRetries``. With 5, the client sends the request up to six times.
    /// Validators decide which failures are retried. If this is 1 or more and neither the client nor the
    /// request has validators, ``HTTPDefaultValidator`` decides.
    public var maxRetries: Int? {
        get { optionsBox?.settings.maxRetries }
        set { options.maxRetries = newValue }
    }

    /// The deviations from RFC 9112 that are accepted in the response; nil means the client's
    /// ``HTTPClientSettings/strictness``.
    public var strictness: Strictness? {
        get { optionsBox?.settings.strictness }
        set { options.strictness = newValue }
    }

    /// The validators of this request, which run after the client's validators.
    public var validators: [any HTTPResponseValidator] {
        get { optionsBox?.settings.validators ?? [] }
        set { options.validators = newValue }
    }

    /// The interceptors of this request, which run inside the client's interceptors.
    public var interceptors: [any HTTPInterceptor] {
        get { optionsBox?.settings.interceptors ?? [] }
        set { options.interceptors = newValue }
    }

    /// Tags that the program attaches to the request; they are never sent.
    public var tags: HTTPTags {
        get { optionsBox?.settings.tags ?? HTTPTags() }
        set { options.tags = newValue }
    }
}

extension HTTPRequestProtocol {
    /// Returns a copy with another timeout for the whole call; the other timeouts stay the same.
    public func timeout(_ timeout: Duration) -> Self { with { $0.timeout = timeout } }

    /// Returns a copy with changed timeouts; timeouts that the closure does not set stay the same.
    ///
    ///     request.timeouts { $0.connect = .seconds(1) }
    ///
    /// - Parameter change: receives the effective timeouts when the request is sent. Changes of earlier
    ///   calls are applied first.
    /// - Returns: the copy.
    public func timeouts(_ change: @escaping @Sendable (inout HTTPTimeouts) -> Void) -> Self {
        with { request in
            let before = request.options.timeoutChange
            request.options.timeoutChange = { timeouts in
                before?(&timeouts)
                change(&timeouts)
            }
        }
    }

    /// Returns a copy with another authentication setting.
    public func authentication(_ authentication: HTTPAuthentication) -> Self {
        with { $0.authentication = authentication }
    }

    /// Returns a copy with other retry options, such as `.standard` (``HTTPRequest/retries``).
    public func retries(_ retries: HTTPRetryOptions) -> Self { with { $0.retries = retries } }

    /// Returns a copy with another number of retries allowed, not counting the first attempt
    /// (``HTTPRequest/maxRetries``).
    public func maxRetries(_ limit: Int) -> Self { with { $0.maxRetries = limit } }

    /// Returns a copy with a validator added after the existing ones.
    public func validator(_ validator: some HTTPResponseValidator) -> Self {
        with { $0.validators.append(validator) }
    }

    /// Returns a copy with an interceptor added inside the existing ones.
    public func interceptor(_ interceptor: some HTTPInterceptor) -> Self {
        with { $0.interceptors.append(interceptor) }
    }

    /// Returns a copy with a plain tag, which is never sent.
    public func tag(_ name: String, _ text: String) -> Self { with { $0.tags[name] = text } }

    /// Returns a copy with a tag under a key that defines its type; the tag is never sent.
    public func tag<Key: HTTPTags.TagKey>(_ key: Key.Type, _ value: Key.Value) -> Self {
        with { $0.tags[key] = value }
    }

    /// Returns a copy that also calls this closure with each 1xx response as it arrives
    /// (``HTTPRequest/onInformational``).
    ///
    ///     let page = try await HTTPRequest("https://example.com/")
    ///         .onInformational { head in print(head.status, head.earlyHints) }
    ///         .send()
    public func onInformational(_ body: @escaping @Sendable (ResponseHead) -> Void) -> Self {
        with { $0.onInformational = sequence($0.onInformational, body) }
    }

    /// Returns a copy that also calls this closure with the progress of the call (``HTTPRequest/onProgress``).
    ///
    ///     let page = try await HTTPRequest("https://example.com/")
    ///         .onProgress { progress in print(progress.phase, progress.completed) }
    ///         .send()
    ///
    /// - Parameters:
    ///   - direction: the direction whose progress the closure gets, such as `.upload` for the bar of an upload.
    ///     Default nil: both.
    ///   - body: the closure.
    /// - Returns: the copy.
    public func onProgress(
        of direction: HTTPProgress.Direction? = nil,
        _ body: @escaping @Sendable (HTTPProgress) -> Void
    ) -> Self {
        guard let direction else { return with { $0.onProgress = sequence($0.onProgress, body) } }
        return with {
            $0.onProgress = sequence($0.onProgress) { if $0.isOf(direction) { body($0) } }
        }
    }

    /// Returns a copy with a closure that changes the head just before it is sent, after the closures of
    /// earlier calls (``HTTPRequest/headModifier``).
    public func headModifier(
        _ modify: @escaping @Sendable (inout RequestHead) throws -> Void
    ) -> Self {
        with { request in
            let before = request.headModifier
            request.headModifier = { head in
                try before?(&head)
                try modify(&head)
            }
        }
    }
}

/// Returns a closure that calls both, one after the other.
private func sequence<Value>(
    _ first: (@Sendable (Value) -> Void)?,
    _ second: @escaping @Sendable (Value) -> Void
) -> @Sendable (Value) -> Void {
    guard let first else { return second }
    return { value in
        first(value)
        second(value)
    }
}

extension HTTPRequest {
    /// Lets all attempts of one call share its rate limit; call it when the call begins.
    package mutating func shareRateLimit() {
        guard let limit = rateLimit, optionsBox?.settings.sharedLimiter == nil else { return }
        options.sharedLimiter = RateLimiter(limit)
    }
}

/// The settings that few requests use, stored apart to keep requests small and cheap to copy.
package struct RequestOptions: Sendable {
    package var timeouts: HTTPTimeouts?
    /// A change to the effective timeouts, whether they are the request's or the client's.
    var timeoutChange: (@Sendable (inout HTTPTimeouts) -> Void)?
    /// The timeout of the whole call; nil leaves the total of the other timeouts.
    package var timeout: Duration?
    package var connectOptions: HTTPConnectOptions?
    package var proxy: HTTPProxy.Setting?
    package var settledSecurity: HashedSecurity?
    package var rawTarget: String?
    package var headModifier: (@Sendable (inout RequestHead) throws -> Void)?
    package var tags = HTTPTags()
    package var authentication: HTTPAuthentication?
    package var redirectMode: HTTPRedirectOptions.Mode?
    package var maxRetries: Int?
    package var strictness: Strictness?
    package var cacheMode: HTTPRequest.CacheMode?
    package var retries: HTTPRetryOptions?
    package var validators: [any HTTPResponseValidator] = []
    package var interceptors: [any HTTPInterceptor] = []
    package var onInformational: (@Sendable (ResponseHead) -> Void)?
    package var onProgress: (@Sendable (HTTPProgress) -> Void)?
    package var rateLimit: HTTPRateLimit?
    /// The limiter that all attempts of one call share; nil for a new one for each attempt.
    var sharedLimiter: RateLimiter?
    package var digestVerification: HTTPDigest.Verification?
    package var expectedDigest: HTTPDigest?
    /// The coding of the request body; nil sends it as it is.
    package var compression: HTTPRequest.Compression?
    /// Whether a redirect has led to another origin, where credentials of the client are not sent.
    package var hasCrossedOrigin = false

    /// Whether the request has policies that can affect how it is sent, beyond its contents.
    package var hasPolicies: Bool {
        authentication != nil || redirectMode != nil || maxRetries != nil || retries != nil
            || !validators.isEmpty || !interceptors.isEmpty || onInformational != nil
            || digestVerification != nil || expectedDigest != nil || compression != nil
            || onProgress != nil
    }

    /// The error in the template or the parameters of the URL.
    var urlError: HTTPError.InvalidRequestReason?
    /// The error in the credentials.
    var authorizationError: HTTPError.InvalidRequestReason?
    /// The errors in the numbers of header fields, one per field.
    var headerErrors: [HTTPError.InvalidRequestReason] = []

    /// The limiter of a call; nil without a limit.
    package var callLimiter: RateLimiter? { sharedLimiter ?? rateLimit.map { RateLimiter($0) } }

    /// Whether these settings leave the head unchanged.
    package var canUseCachedHead: Bool { rawTarget == nil && !hasCrossedOrigin }

    /// The error that the call throws before it sends anything.
    package var invalidReason: HTTPError.InvalidRequestReason? {
        urlError ?? authorizationError ?? headerErrors.first
    }

    /// Returns the timeouts of the request, or nil if the client's timeouts apply unchanged.
    package func timeouts(of client: HTTPTimeouts) -> HTTPTimeouts? {
        guard timeouts != nil || timeoutChange != nil || timeout != nil else { return nil }
        var result = timeouts ?? client
        timeoutChange?(&result)
        if let timeout { result.total = timeout }
        return result
    }

    /// Settings that copies of a request share; a changed copy gets its own box.
    package final class Box: Sendable {
        package let settings: RequestOptions

        package init(_ settings: RequestOptions) {
            self.settings = settings
        }
    }
}

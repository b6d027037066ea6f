internal import SocketTransport
internal import Wire

/// A pure function from a request and the client's configuration to a plan.
enum RequestPlanner {
    /// The values that requests share unless they set their own, computed once per configuration.
    struct Defaults: Sendable {
        let headers: HTTPHeaders
        let timeouts: PhaseTimeouts
        let shared: Plan.Shared
        let route: Result<ConnectionKey, ConnectionKey.OptionsError>
        /// The proxies; nil if all requests are direct.
        let proxies: ProxyResolver?
        /// The proxies, even if there are none.
        let allProxies: ProxyResolver
        /// The routes through proxies, also those of requests that have their own proxy.
        let routes: ProxyRoutes
        /// Whether the default headers contain Proxy-Authorization.
        let namesProxy: Bool
        /// The client's own value of Host, if it sets one.
        let host: String?
        /// A forbidden framing field in the default headers; every request then fails.
        let framingField: FieldName?
        /// Whether the client itself added Accept-Encoding to `headers`.
        let offersCodings: Bool
        /// Whether the default headers contain Range.
        let namesRange: Bool
        /// The number of bytes in the lines of `headers`.
        let lineBytes: Int
        /// The client's TLS settings if they differ from the pool's; otherwise nil.
        let security: HashedSecurity?
        /// The pool's TLS settings.
        let poolSecurity: HTTPSecurity
        /// The rate limit of the client, which all its transfers share; nil if there is none.
        let limiter: RateLimiter?
        /// The limiters of requests without a limit of their own.
        let limiters: RateLimiters?
        /// The header sections of requests without their own fields.
        let plain = RequestHeaderCache()

        /// - Parameters:
        ///   - configuration: the configuration of the client.
        ///   - pool: the configuration of the pool; the same unless the client is a derived one.
        ///   - routes: the routes of the pool.
        ///   - known: the proxies of a client with the same setting, so that the environment is
        ///     read once.
        ///   - limiter: the rate limit of the pool.
        init(
            _ configuration: HTTPClientConfiguration,
            in pool: HTTPClientConfiguration,
            _ routes: ProxyRoutes = ProxyRoutes(),
            proxies known: ProxyResolver? = nil,
            limiter: RateLimiter?
        ) {
            self.limiter = limiter
            limiters = RateLimiters(call: nil, client: limiter)
            var headers = configuration.settings.headers
            offersCodings =
                configuration.settings.decompression == .on && !headers.contains(.acceptEncoding)
            if offersCodings { headers.append(.acceptEncoding, ContentCoding.acceptEncoding) }
            namesRange = headers.contains(.range)
            self.headers = headers
            timeouts = PhaseTimeouts(configuration.settings.timeouts)
            shared = Plan.Shared(configuration)
            let connectOptions = configuration.settings.connectOptions
            route = Result { () throws(ConnectionKey.OptionsError) in
                try ConnectionKey(connectOptions)
            }
            self.routes = routes
            let proxies = known ?? ProxyResolver(configuration.settings.proxy, routes)
            allProxies = proxies
            self.proxies = proxies.isDirect ? nil : proxies
            namesProxy = headers.contains(.proxyAuthorization)
            host = headers[.host]
            framingField = RequestPlanner.framingField(of: headers)
            lineBytes = headers.lineBytes
            poolSecurity = pool.settings.security
            let own = configuration.settings.security
            security = own == poolSecurity ? nil : HashedSecurity(own)
        }
    }

    /// Returns a field that frames the body, which only the encoder may set.
    private static func framingField(of headers: HTTPHeaders) -> FieldName? {
        if headers.contains(.contentLength) { return .contentLength }
        return headers.contains(.transferEncoding) ? .transferEncoding : nil
    }

    /// Returns the plan of a request.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - configuration: the configuration of the client.
    ///   - defaults: the defaults of the same configuration.
    ///   - passing: how the request passes a proxy.
    ///   - keepsCoding: whether the body is delivered as received; the request still asks for content codings.
    /// - Returns: the plan.
    /// - Throws: `.invalidRequest`.
    static func plan(
        _ request: HTTPRequest,
        _ configuration: HTTPClientConfiguration,
        _ defaults: Defaults,
        _ passing: TunnelMode = .asConfigured,
        keepsCoding: Bool = false
    ) throws(HTTPError) -> Plan {
        if case .deferred = request.body.content {
            var settled = request
            settled.body = request.body.encoded(with: configuration.settings.coders)
            return try plan(settled, configuration, defaults, passing, keepsCoding: keepsCoding)
        }
        let options = request.optionsBox
        let url = try request.absoluteURL(below: configuration.settings.baseURL)
        // A dialer may answer from a recording that has URLs with `***`. A test may send such a URL.
        if SecretNames.common.isRedacted(url), configuration.settings.dialer == nil {
            throw HTTPError.invalid(.redactedURL(url.text), request.method, url.publicText)
        }
        guard let origin = url.origin else {
            throw HTTPError.invalid(
                url.isHostWithPort
                    ? .missingScheme(url.text) : .unsupportedScheme(url.scheme ?? ""),
                request.method,
                url.publicText
            )
        }
        var proxy: ProxyRoute?
        do {
            if let setting = options?.settings.proxy {
                proxy = try ProxyResolver(setting, defaults.routes).route(to: origin)
            } else if let proxies = defaults.proxies {
                proxy = try proxies.route(to: origin)
            }
        } catch {
            throw HTTPError.invalid(.proxy(error), request.method, url.publicText)
        }
        if let reason = proxy?.invalidReason {
            throw HTTPError.invalid(reason, request.method, url.publicText)
        }
        let streamedBody = try sizedBody(request, url)
        let isForwarded = passing == .asConfigured && proxy?.forwards(to: origin) ?? false
        let forwarder = isForwarded ? proxy : nil
        let rateLimiters = options == nil ? defaults.limiters : limiters(of: request, defaults)
        if let rateLimiters, let rate = rateLimiters.invalidRate {
            throw HTTPError.invalid(.rateLimit(rate), request.method, url.publicText)
        }
        return Plan(
            url: url,
            key: PoolKey(
                origin: forwarder?.endpoint ?? origin,
                route: try route(of: request, url, defaults),
                proxy: proxy,
                security: security(of: request, origin, defaults)
            ),
            head: try modified(
                try head(
                    of: request,
                    url,
                    origin,
                    configuration,
                    defaults,
                    forwarder,
                    bodyLength: streamedBody?.length
                ),
                by: options?.settings.headModifier,
                request,
                url,
                defaults
            ),
            body: request.body.bytes,
            streamedBody: streamedBody,
            timeouts: options?.settings.timeouts(of: configuration.settings.timeouts)
                .map { PhaseTimeouts($0) }
                ?? defaults.timeouts,
            decompression: keepsCoding ? .off : configuration.settings.decompression,
            keepsConnection: configuration.settings.connectionReuse == .on
                && request.connection == .shared,
            priority: request.priority.rawValue,
            strictness: options?.settings.strictness ?? configuration.settings.strictness,
            isForwarded: isForwarded,
            shared: defaults.shared,
            limiters: rateLimiters
        )
    }

    /// Returns the rate limits of a request with options of its own.
    private static func limiters(of request: HTTPRequest, _ defaults: Defaults) -> RateLimiters? {
        guard let own = request.optionsBox?.settings.callLimiter else { return defaults.limiters }
        return RateLimiters(call: own, client: defaults.limiter)
    }

    /// Determines the length of a body from a source; nil if the body is in memory.
    private static func sizedBody(
        _ request: HTTPRequest,
        _ url: URI
    ) throws(HTTPError) -> SizedBody? {
        guard case .source(let source) = request.body.content else { return nil }
        do throws(InvalidBodyError) {
            let body = try source.sized()
            guard body.isReadyToSend else { throw InvalidBodyError(.bodyAlreadyConsumed) }
            return body
        } catch {
            throw HTTPError.invalid(error.reason, request.method, url.publicText)
        }
    }

    private static func route(
        of request: HTTPRequest,
        _ url: URI,
        _ defaults: Defaults
    ) throws(HTTPError) -> ConnectionKey {
        do throws(ConnectionKey.OptionsError) {
            guard let connectOptions = request.optionsBox?.settings.connectOptions else {
                return try defaults.route.get()
            }
            return try ConnectionKey(connectOptions)
        } catch {
            throw HTTPError.invalid(error.invalidRequest, request.method, url.publicText)
        }
    }

    /// Returns the TLS settings of the request or the client, if they differ from the pool's.
    private static func security(
        of request: HTTPRequest,
        _ origin: Origin,
        _ defaults: Defaults
    ) -> HashedSecurity? {
        guard origin.scheme == .https else { return nil }
        guard let own = request.optionsBox?.settings.settledSecurity else {
            return defaults.security
        }
        return own.security == defaults.poolSecurity ? nil : own
    }

    private static func head(
        of request: HTTPRequest,
        _ url: URI,
        _ origin: Origin,
        _ configuration: HTTPClientConfiguration,
        _ settled: Defaults,
        _ forwarder: ProxyRoute?,
        bodyLength: Int?
    ) throws(HTTPError) -> RequestHead {
        guard forwarder == nil, request.headers.isEmpty, url.userinfo == nil,
            case .none = request.body.content, !expectsContent(request.method),
            request.connection == .shared, request.optionsBox?.settings.canUseCachedHead ?? true
        else {
            var head = try fullHead(of: request, url, origin, configuration, settled, forwarder)
            if case .source(let source) = request.body.content {
                announce(bodyLength, source.trailers, in: &head)
            }
            return head
        }
        if let headers = settled.plain.headers(for: origin) {
            return RequestHead(
                method: request.method,
                target: .origin(url.requestTarget),
                version: .http11,
                headers: headers
            )
        }
        let head = try fullHead(of: request, url, origin, configuration, settled, forwarder)
        settled.plain.store(head.headers, for: origin)
        return head
    }

    /// Adds the field that frames the body (RFC 9112 §6.2, §7.1), and the names of the trailers.
    private static func announce(
        _ length: Int?,
        _ trailers: BodyTrailers?,
        in head: inout RequestHead
    ) {
        if let names = trailers?.announcement, !head.headers.contains(.trailer) {
            head.headers.append(.trailer, names)
        }
        if let length {
            head.headers.append(.contentLength, String(length))
        } else {
            head.headers.append(.transferEncoding, "chunked")
        }
    }

    /// Returns whether requests with this method announce an empty body (RFC 9110 §8.6).
    private static func expectsContent(_ method: HTTPMethod) -> Bool {
        method != .get
            && (method == .post || method == .put || method == .patch || method == .query)
    }

    private static func fullHead(
        of request: HTTPRequest,
        _ url: URI,
        _ origin: Origin,
        _ configuration: HTTPClientConfiguration,
        _ settled: Defaults,
        _ forwarder: ProxyRoute?
    ) throws(HTTPError) -> RequestHead {
        let defaults = settled.headers
        if let name = framingField(of: request.headers) ?? settled.framingField {
            throw HTTPError.invalid(.framingField(name.rawName), request.method, url.publicText)
        }
        var headers = HTTPHeaders()
        let isAway = request.optionsBox?.settings.hasCrossedOrigin ?? false
        let host = request.headers[.host] ?? (isAway ? nil : settled.host) ?? origin.authority
        headers.reserve(
            fields: request.headers.count + defaults.count + 4,
            bytes: request.headers.lineBytes + settled.lineBytes + host.utf8.count + 128
        )
        headers.append(.host, host)
        headers.append(contentsOf: defaults, except: .host, replaced: request.headers)
        if isAway {
            for name in RedirectRules.credentialFields { headers.remove(name) }
        }
        headers.append(contentsOf: request.headers, except: .host)
        if settled.namesRange || request.headers.contains(.range) {
            refuseCodings(in: &headers, of: request, settled)
        }
        if let userinfo = url.userinfo, !headers.contains(.authorization) {
            headers.append(
                .authorization,
                BasicAuthentication.credentials(userinfo: userinfo)
            )
        }
        switch request.body.content {
        case .none:
            if expectsContent(request.method) { headers.append(.contentLength, "0") }
        case .bytes(let bytes):
            headers.append(.contentLength, String(bytes.count))
        case .source, .deferred: break
        case .invalid(let reason): throw HTTPError.invalid(reason, request.method, url.publicText)
        }
        if let type = request.body.contentType, !headers.contains(.contentType) {
            headers.append(.contentType, type.rawValue)
        }
        let isSingleUse =
            configuration.settings.connectionReuse == .off || request.connection == .fresh
        // `acceptTrailers()` adds TE, which does not decide how long the connection is kept.
        if isSingleUse, headers.values(.connection).allSatisfy({ $0 == "TE" }) {
            headers.append(.connection, "close")
        }
        var target = RequestTarget.origin(url.requestTarget)
        if let raw = request.optionsBox?.settings.rawTarget {
            target = rawTarget(raw, origin, isForwarded: forwarder != nil)
        } else if forwarder != nil {
            target = .absolute("\(origin)\(url.requestTarget)")
        }
        if let forwarder {
            headers.merge(forwarder.proxy.headers)
        } else if settled.namesProxy || request.headers.contains(.proxyAuthorization) {
            // Credentials for a proxy must not reach other servers.
            headers.remove(.proxyAuthorization)
        }
        return RequestHead(
            method: request.method,
            target: target,
            version: .http11,
            headers: headers
        )
    }

    /// Asks for a range without content codings, unless the caller has chosen codings.
    ///
    /// A part of a coded body cannot be decoded (RFC 9110 §14.1).
    private static func refuseCodings(
        in headers: inout HTTPHeaders,
        of request: HTTPRequest,
        _ settled: Defaults
    ) {
        guard settled.offersCodings, !request.headers.contains(.acceptEncoding) else { return }
        headers.replace(.acceptEncoding, with: "identity")
    }

    /// Returns the caller's target in the form that its first characters determine (RFC 9112 §3.2).
    private static func rawTarget(
        _ text: String,
        _ origin: Origin,
        isForwarded: Bool
    ) -> RequestTarget {
        let isRooted = text.utf8.first == UInt8(ascii: "/")
        // A proxy needs the absolute form. For the server as a whole, that is a URI without a path
        // (§3.2.4).
        if isForwarded, isRooted || text == "*" {
            return .absolute(isRooted ? "\(origin)\(text)" : "\(origin)")
        }
        if text == "*" { return .asterisk }
        return !isRooted && text.hasSubstring("://") ? .absolute(text) : .origin(text)
    }

    /// Lets the caller modify the head last, except for the framing fields and the number of Host fields.
    private static func modified(
        _ head: RequestHead,
        by modify: (@Sendable (inout RequestHead) throws -> Void)?,
        _ request: HTTPRequest,
        _ url: URI,
        _ defaults: Defaults
    ) throws(HTTPError) -> RequestHead {
        guard let modify else { return head }
        let method = head.method
        var head = head
        let framing = [FieldName.contentLength, .transferEncoding]
        let before = framing.map { head.headers.values($0) }
        let codings = head.headers.values(.acceptEncoding)
        do {
            try modify(&head)
        } catch let error as HTTPError {
            throw error.naming(method, url.publicText)
        } catch {
            throw HTTPError.invalid(.headModifier(reason: "\(error)"), method, url.publicText)
        }
        for (name, values) in zip(framing, before) where head.headers.values(name) != values {
            throw HTTPError.invalid(.framingField(name.rawName), method, url.publicText)
        }
        if head.headers.contains(.range), head.headers.values(.acceptEncoding) == codings {
            refuseCodings(in: &head.headers, of: request, defaults)
        }
        switch head.headers.values(.host).count {
        case 0: throw HTTPError.invalid(.refused(.missingHost), method, url.publicText)
        case 1: break
        default: throw HTTPError.invalid(.refused(.repeatedHost), method, url.publicText)
        }
        return head
    }
}

extension RequestPlanner {
    /// The way in which an HTTP proxy carries a request.
    enum TunnelMode {
        /// As configured for the proxy.
        case asConfigured
        /// Through a tunnel, because more than a request is sent.
        case tunneled
    }
}

/// A cache of the header section of requests without their own fields.
///
/// The section depends only on the client and the origin, so that consecutive requests to one
/// origin share it. No call waits for the lock: if it is taken, the call builds its own section.
final class RequestHeaderCache: Sendable {
    private let last = Locked<(origin: Origin, headers: HTTPHeaders)?>(nil)

    /// Returns the cached section if it is for this origin.
    func headers(for origin: Origin) -> HTTPHeaders? {
        let found = last.withLockIfAvailable { last -> HTTPHeaders? in
            guard let last, last.origin == origin else { return nil }
            return last.headers
        }
        return found ?? nil
    }

    /// Caches the section of a request to this origin.
    func store(_ headers: HTTPHeaders, for origin: Origin) {
        _ = last.withLockIfAvailable { $0 = (origin, headers) }
    }
}

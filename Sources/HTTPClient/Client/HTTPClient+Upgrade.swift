internal import SocketTransport
internal import Wire

extension HTTPClient {
    /// Asks a server to switch the connection to another protocol (RFC 9110 §7.8).
    ///
    ///     switch try await client.upgrade("https://example.com/chat", to: "websocket") {
    ///     case .upgraded(let stream): …
    ///     case .declined(let response): …
    ///     }
    ///
    /// The client adds the fields Upgrade and Connection. The request must have the other fields of
    /// the protocol, such as Sec-WebSocket-Key. Through an HTTP proxy the client uses a tunnel, for
    /// http URLs too, because the proxy would not forward the upgrade.
    ///
    /// Like a request on an ``HTTPDedicatedConnection``, an upgrade is a single exchange. The
    /// cookie jar, ``HTTPAuthentication``, redirects, retries and interceptors do not apply. Observers
    /// are notified.
    ///
    /// - Parameters:
    ///   - request: the request. Its body is sent before the protocol switch.
    ///   - name: the protocol, such as `websocket`. Several are separated by commas, in order of
    ///     preference.
    /// - Returns: the stream or the response of the server. The response's `informational` has the
    ///   interim responses.
    /// - Throws: the same errors as ``send(_:)-(HTTPRequest)``;
    ///   `.malformedResponse(.unofferedUpgrade)` if the server switches to a protocol that was not
    ///   offered.
    public func upgrade(
        _ request: some HTTPRequestConvertible,
        to name: String
    ) async throws(HTTPError) -> HTTPUpgrade {
        var request = request.httpRequest
        try core.completeQuery(of: &request)
        request.headers.replace(.upgrade, with: name)
        request.headers.replace(.connection, with: "upgrade")
        let exchange = try SingleExchange(request, core) { () throws(HTTPError) in
            let plan = try core.plan(request, .tunneled)
            try core.checkUsesNetwork(request, plan, for: .upgrade)
            return RequestAttempt(plan)
        }
        let attempt = exchange.attempt
        switch try await exchange.perform({ await $0.upgraded(attempt) }) {
        case .stream(let stream):
            exchange.end(with: stream)
            return .upgraded(stream)
        case .body(let body):
            try exchange.end { HTTPResponse(streaming: body) }
            let response = HTTPStreamedResponse(url: attempt.plan.url, source: body)
            exchange.observeEnd(of: body, response.bodySource)
            return .declined(response)
        }
    }

    /// Opens a tunnel to a host through the configured proxy, for any protocol.
    ///
    /// The client selects the proxy as for the URL `https://host:port/`, including the exceptions.
    /// It adds no TLS; the caller must run TLS in the tunnel if needed.
    ///
    /// - Parameters:
    ///   - host: a name or an address. The brackets of an IPv6 address are optional. Text that a
    ///     URL would parse as more than a host is rejected.
    ///   - port: the port, 1 to 65535.
    ///   - proxy: the proxy setting. Default nil: the client's setting.
    /// - Returns: the stream. Nothing but the proxy's response has been read from it.
    /// - Throws: `.proxyFailed`; `.invalidRequest(.noProxy)` if no proxy applies to the host;
    ///   `.invalidRequest(.url(…))` if the host is invalid or the port is out of range;
    ///   `.timedOut`, `.cancelled`, `.systemFailure`.
    public func tunnel(
        to host: String,
        port: Int,
        through proxy: HTTPProxy.Setting? = nil
    ) async throws(HTTPError) -> HTTPDuplexStream {
        var request = try Self.request(to: host, port)
        request.proxy = proxy
        let exchange = try SingleExchange(request, core, isTunnel: true) { () throws(HTTPError) in
            let plan = try core.plan(request, .tunneled)
            try core.checkUsesNetwork(request, plan, for: .tunnel)
            let attempt = RequestAttempt(plan)
            guard plan.key.proxy != nil else { throw attempt.error(.invalidRequest(.noProxy)) }
            return attempt
        }
        let attempt = exchange.attempt
        let stream = try await exchange.perform { await $0.tunneled(attempt) }
        exchange.end(with: stream)
        return stream
    }

    /// Creates a request to a host and port.
    ///
    /// - Throws: `.invalidRequest(.url(…))` if a URL built from them has another host or port, or
    ///   other parts.
    private static func request(to host: String, _ port: Int) throws(HTTPError) -> HTTPRequest {
        func refused(_ text: String, _ error: WireError) -> HTTPError {
            HTTPError(.invalidRequest(.url(text, error)), phase: .preparing)
        }
        guard 1...65_535 ~= port else {
            throw refused("\(host):\(port)", .invalidURI(.invalidPort, offset: host.utf8.count + 1))
        }
        let origin = Origin(scheme: .https, host: host, port: port)
        let text = "https://\(origin.hostText):\(port)/"
        let url: URI
        do {
            // `Origin` has converted the host to ASCII. If that was not possible, this throws the
            // precise error.
            url = try URI(encoding: text)
        } catch {
            throw refused(text, error)
        }
        guard url.origin == origin, url.userinfo == nil, url.path == "/", url.query == nil,
            url.fragment == nil
        else { throw refused(text, .invalidURI(.forbiddenByte, offset: 8)) }
        return HTTPRequest(text)
    }
}

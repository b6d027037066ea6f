internal import SocketTransport
internal import Wire

extension HTTPClient {
    /// Asks a server to speak another protocol on the connection (RFC 9110 §7.8).
    ///
    ///     switch try await client.upgrade("https://example.com/chat", to: "websocket") {
    ///     case .upgraded(let stream): …
    ///     case .declined(let response): …
    ///     }
    ///
    /// Adds the fields Upgrade and Connection; whatever else the protocol wants, such as
    /// Sec-WebSocket-Key, is the request's. An HTTP proxy is asked for a tunnel, also for http
    /// URLs: it would not pass the wish on. Like the requests of an ``HTTPDedicatedConnection``, it is one exchange,
    /// without a jar's cookies, ``HTTPAuthentication``, redirects, retries, interceptors and observers.
    ///
    /// - Parameters:
    ///   - request: its body is sent before the protocols switch.
    ///   - name: such as `websocket`; several by order of preference, separated by commas.
    /// - Returns: what the server made of it. Interim responses are in the response's
    ///   `informational`.
    /// - Throws: as ``send(_:)-(HTTPRequest)``; `.malformedResponse(.unofferedUpgrade)` when the server switches
    ///   to something else.
    public func upgrade(
        _ request: some HTTPRequestConvertible,
        to name: String
    ) async throws(HTTPError) -> HTTPUpgrade {
        var request = request.httpRequest
        try checkIsNotStubbed(request)
        request.headers.replace(.upgrade, with: name)
        request.headers.replace(.connection, with: "upgrade")
        let call = Attempt(try plan(request, .tunneled))
        let engine = engine
        let result = await withTaskCancellationHandler {
            await onLoop(engine.loop) { await engine.upgraded(call) }
        } onCancel: {
            call.cancel(on: engine.loop)
        }
        switch try result.get() {
        case .stream(let stream): return .upgraded(stream)
        case .body(let body):
            return .declined(HTTPStreamedResponse(url: call.plan.url, source: body))
        }
    }

    /// Opens a tunnel to a host through the proxy that is set for it, for any protocol.
    ///
    /// The exceptions and the choice of a proxy are those of the URL `https://host:port/`. Nothing
    /// is secured: what speaks TLS in the tunnel does it by itself.
    ///
    /// - Parameters:
    ///   - host: a name or an address, with or without the brackets of an IPv6 address. Text that a URL
    ///     would read as more than a host is refused.
    ///   - port: 1 to 65535.
    ///   - proxy: default nil: the client's setting.
    /// - Returns: the stream, of which nothing but the proxy's answer has been read.
    /// - Throws: `.proxyFailed`; `.invalidRequest(.noProxy)` when the host would be asked directly;
    ///   `.invalidRequest(.url(…))` when the host is none or the port is out of range; `.timedOut`,
    ///   `.cancelled`, `.systemFailure`.
    public func tunnel(
        to host: String,
        port: Int,
        through proxy: HTTPProxySetting? = nil
    ) async throws(HTTPError) -> HTTPDuplexStream {
        var request = try Self.request(to: host, port)
        request.proxy = proxy
        try checkIsNotStubbed(request)
        let call = Attempt(try plan(request, .tunneled))
        guard call.plan.key.proxy != nil else { throw call.error(.invalidRequest(.noProxy)) }
        let engine = engine
        let result = await withTaskCancellationHandler {
            await onLoop(engine.loop) { await engine.tunneled(call) }
        } onCancel: {
            call.cancel(on: engine.loop)
        }
        return try result.get()
    }

    /// Makes a request to a host and port.
    ///
    /// - Throws: `.invalidRequest(.url(…))` when a URL with them has another host or port, or more than
    ///   these.
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
            // The host is converted already, or has no form in ASCII and gives the precise error here.
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

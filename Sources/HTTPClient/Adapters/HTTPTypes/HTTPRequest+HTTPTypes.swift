#if HTTPTypes
public import HTTPTypes
public import Wire

extension HTTPMethod {
    /// Makes the method of one of swift-http-types.
    public init(_ method: HTTPTypes.HTTPRequest.Method) {
        self.init(method.rawValue)
    }
}

extension HTTPTypes.HTTPRequest.Method {
    /// Makes the method of swift-http-types; nil when it is no token, which HTTP does not allow.
    public init?(_ method: HTTPMethod) {
        self.init(method.rawValue)
    }
}

extension HTTPRequest {
    /// Makes a request of one of swift-http-types.
    ///
    ///     let response = try await client.send(HTTPClient.Request(theirs))
    ///
    /// Scheme, authority and path become the parts of the URL that they are there, and none can change another: a
    /// `#` in the path is sent as `%23`, and an authority that is more than a host and a port makes a request that
    /// fails when it is sent, `.invalidRequest(.url(…))`. Without an authority the URL is relative, and the client's
    /// base URL completes it; the path `*` becomes ``rawTarget``. A Content-Length among the fields fails when the
    /// request is sent, too: it follows from the body. `extendedConnectProtocol` is left behind, as HTTP/1.1 has
    /// ``HTTPClient/upgrade(_:to:)`` in its place.
    ///
    /// - Parameters:
    ///   - request: method, URL and fields.
    ///   - body: the content, which those types do not hold; default none.
    public init(_ request: HTTPTypes.HTTPRequest, body: HTTPBody = .empty) {
        self.init(
            "",
            method: HTTPMethod(request.method),
            headers: HTTPHeaders(request.headerFields),
            body: body
        )
        let path = request.path ?? ""
        let isAsterisk = path == "*"
        change { parts in
            if let authority = request.authority {
                parts.scheme = request.scheme
                parts.setAuthority(authority)
            }
            let target = Self.encoding("#", in: isAsterisk ? "/" : path)
            let pieces = target.split(
                separator: "?",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            parts.path = String(pieces[0])
            parts.query = pieces.count > 1 ? String(pieces[1]) : nil
        }
        if isAsterisk { rawTarget = path }
    }
}

extension HTTPTypes.HTTPRequest: HTTPRequestConvertible {
    /// The request of this module, without a body (``HTTPClient/HTTPRequest/init(_:body:)``).
    public var httpRequest: HTTPClient.HTTPRequest { HTTPClient.HTTPRequest(self) }
}

extension HTTPTypes.HTTPRequest {
    /// Makes the request of swift-http-types of one of ours.
    ///
    /// Scheme, host and port, path and query go over, or ``HTTPClient/HTTPRequest/rawTarget`` in
    /// place of the latter two, and the fields, whose order, spelling, repeats and bytes are kept.
    /// What a request there has no place for stays behind: the fragment and user name and password
    /// of the URL, the body, and all settings such as timeouts. An empty path becomes `/`, as it is
    /// when sent.
    ///
    /// - Throws: `.invalidRequest` when the URL does not parse, for a method that is no token, and
    ///   as `HTTPFields.init` does for fields. A relative URL has neither scheme nor authority.
    public init(_ request: HTTPClient.HTTPRequest) throws(HTTPError) {
        guard let method = Method(request.method) else {
            throw RequestPlanner.invalid(.refused(.invalidMethod), request.method, request.url)
        }
        let url: URI
        switch request.target {
        case .uri(let uri): url = uri
        case .invalid(_, let text, let error):
            throw RequestPlanner.invalid(.url(text, error), request.method, request.url)
        }
        self.init(
            method: method,
            scheme: url.scheme?.lowercased(),
            authority: url.origin?.authority,
            path: request.rawTarget ?? url.requestTarget,
            headerFields: try HTTPTypes.HTTPFields(request.headers)
        )
    }
}
#endif

#if HTTPTypes
public import HTTPTypes
public import Wire

extension HTTPMethod {
    /// Creates a method from one of swift-http-types.
    public init(_ method: HTTPTypes.HTTPRequest.Method) {
        self.init(method.rawValue)
    }
}

extension HTTPTypes.HTTPRequest.Method {
    /// Creates the method of swift-http-types; returns nil if it is not a token, which HTTP does
    /// not allow.
    public init?(_ method: HTTPMethod) {
        self.init(method.rawValue)
    }
}

extension HTTPClient::HTTPRequest {
    /// Creates a request from one of swift-http-types.
    ///
    ///     let response = try await client.send(HTTPClient.Request(theirs))
    ///
    /// Scheme, authority and path become the same parts of the URL, and none can change another. A
    /// `#` in the path is sent as `%23`. If the authority is more than a host and a port, sending
    /// the request throws `.invalidRequest(.url(…))`. Without an authority, the URL is relative to
    /// the client's base URL. The path `*` becomes ``rawTarget``.
    ///
    /// A Content-Length field also causes an error when the request is sent, because the body
    /// determines it. `extendedConnectProtocol` is dropped; in HTTP/1.1, use
    /// ``HTTPClient/upgrade(_:to:)`` instead.
    ///
    /// - Parameters:
    ///   - request: the method, URL and header fields.
    ///   - body: the body, which those types do not have. Default: none.
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
            let target = URLParts.encoding("#", in: isAsterisk ? "/" : path)
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
    /// The request converted to this module's type, without a body
    /// (``HTTPClient/HTTPRequest/init(_:body:)``).
    public var httpRequest: HTTPClient.HTTPRequest { HTTPClient.HTTPRequest(self) }
}

extension HTTPTypes.HTTPRequest {
    /// Creates the request of swift-http-types from one of this module.
    ///
    /// It keeps scheme, host, port, path, query and header fields.
    /// ``HTTPClient/HTTPRequest/rawTarget``, if set, replaces path and query. The order, spelling,
    /// repetition and bytes of fields are kept.
    ///
    /// It drops the fragment, the user name and password of the URL, the body, and all settings
    /// such as timeouts. An empty path becomes `/`, as when it is sent. For a relative URL, scheme
    /// and authority are nil.
    ///
    /// - Throws: `.invalidRequest` if the URL is invalid or the method is not a token; the errors
    ///   of `HTTPFields.init` for the fields.
    public init(_ request: HTTPClient.HTTPRequest) throws(HTTPError) {
        guard let method = Method(request.method) else {
            throw HTTPError.invalid(.refused(.invalidMethod), request.method, request.url)
        }
        let url: URI
        switch request.target {
        case .uri(let uri): url = uri
        case .invalid(_, let text, let error):
            throw HTTPError.invalid(.url(text, error), request.method, request.url)
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

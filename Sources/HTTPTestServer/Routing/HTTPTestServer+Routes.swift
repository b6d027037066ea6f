extension HTTPTestServer {
    /// Starts a server with built-in routes, as in httpbin, to which you can add your own routes.
    ///
    ///     let server = try await HTTPTestServer.start()
    ///     server.route(.get, "/users/{id}") { .json(#"{"id": "\#($0.parameters["id"] ?? "")"}"#) }
    ///
    /// The built-in routes are used if no added route matches:
    ///
    /// - `/anything` and all paths below it: the request as JSON, as ``Response/echo(_:)`` returns
    ///   it; `/get`, `/post`, `/put`, `/patch` and `/delete` for that method only, otherwise 405
    /// - `/status/{code}`; `/delay/{seconds}`, at most 10; `/bytes/{count}`, at most 1 MiB
    /// - `/stream/{count}`: this number of lines, each in its own chunk; `/gzip`: the echo, as gzip
    /// - `/redirect/{count}`: this number of redirects to `/anything`;
    ///   `/redirect-to?url=…&status_code=…`
    /// - `/cookies`: the cookies of the request; `/cookies/set?name=value` sets them and redirects
    ///   there
    /// - `/basic-auth/{user}/{password}`, `/bearer`: 401 without the credentials; `/bearer` accepts
    ///   any token
    /// - `/fault/close`, `/fault/reset`, `/fault/stall`, `/fault/truncated`, `/fault/malformed`
    ///
    /// All other requests are answered with 404.
    ///
    /// - Parameter tls: the TLS setting; off by default, which serves plain HTTP.
    /// - Returns: the listening server, which runs until it is released.
    /// - Throws: the same errors as ``start(tls:_:)``.
    public static func start(tls: TLS = .off) async throws(StartError) -> HTTPTestServer {
        try await start(tls: tls) { request in try await HTTPBinRoutes.answer(request) }
    }

    /// Adds a route, which takes precedence over earlier routes and the handler of the start.
    ///
    /// - Parameters:
    ///   - method: the method of the requests.
    ///   - path: a path such as `/users/{id}`, or `users/{id}`. `{id}` matches one segment, which
    ///     is stored in ``Request/parameters``. A last segment `*` matches any number of segments.
    ///     The query is ignored.
    ///   - handler: called once for each request.
    public func route(_ method: HTTPMethod, _ path: String, _ handler: @escaping Handler) {
        add(Route(method, path, handler))
    }

    /// Adds a route for any method; see ``route(_:_:_:)-(_,_,Handler)``.
    public func route(_ path: String, _ handler: @escaping Handler) {
        add(Route(nil, path, handler))
    }

    /// Adds a route with a fixed response; see ``route(_:_:_:)-(_,_,Handler)``.
    public func route(_ method: HTTPMethod, _ path: String, _ response: Response) {
        add(Route(method, path) { _ in response })
    }

    /// Returns the requests to a path, with any query, in the order of ``requests``.
    ///
    /// - Parameters:
    ///   - path: the path exactly as it was sent.
    ///   - method: the method; nil, the default, for any.
    /// - Returns: the requests received so far.
    public func requests(to path: String, _ method: HTTPMethod? = nil) -> [Request] {
        requests.filter { $0.path == path && (method == nil || $0.method == method) }
    }
}

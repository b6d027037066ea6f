extension HTTPTestServer {
    /// Starts a server that knows what people practise with, as httpbin does, and answers whatever
    /// routes are added to it.
    ///
    ///     let server = try await HTTPTestServer.start()
    ///     server.route(.get, "/users/{id}") { .json(#"{"id": "\#($0.parameters["id"] ?? "")"}"#) }
    ///
    /// Without a route of yours:
    ///
    /// - `/anything`, and what is below it: what the server saw, as ``Response/echo(_:)`` tells it;
    ///   `/get`, `/post`, `/put`, `/patch` and `/delete` with that method alone, else 405
    /// - `/status/{code}`; `/delay/{seconds}`, at most 10; `/bytes/{count}`, at most 1 MiB
    /// - `/stream/{count}`: so many lines, each in a chunk of its own; `/gzip`: the echo, as gzip
    /// - `/redirect/{count}`: so many steps to `/anything`; `/redirect-to?url=…&status_code=…`
    /// - `/cookies`: those of the request; `/cookies/set?name=value` sets them and leads there
    /// - `/basic-auth/{user}/{password}`, `/bearer`: 401 without the credentials, which for the
    ///   latter may be any
    /// - `/fault/close`, `/fault/reset`, `/fault/stall`, `/fault/truncated`, `/fault/malformed`
    ///
    /// Anything else is answered with 404.
    ///
    /// - Parameter tls: default none: plain http.
    /// - Returns: the server, listening; it lives as long as it is referred to.
    /// - Throws: as ``start(tls:_:)``.
    public static func start(tls: TLS = .off) async throws(StartError) -> HTTPTestServer {
        try await start(tls: tls) { request in try await HTTPBinRoutes.answer(request) }
    }

    /// Adds a route, which goes before those that were added earlier and before what the server was
    /// started with.
    ///
    /// - Parameters:
    ///   - method: of the request.
    ///   - path: such as `/users/{id}`, or `users/{id}`, where `{id}` is one segment, found in
    ///     ``Request/parameters``; a last segment `*` stands for any number of them. The query
    ///     plays no part.
    ///   - handler: called once for each request.
    public func route(_ method: HTTPMethod, _ path: String, _ handler: @escaping Handler) {
        add(Route(method, path, handler))
    }

    /// Adds a route for any method; as ``route(_:_:_:)-(_,_,Answer)``.
    public func route(_ path: String, _ handler: @escaping Handler) {
        add(Route(nil, path, handler))
    }

    /// Adds a route with a fixed answer; as ``route(_:_:_:)-(_,_,Answer)``.
    public func route(_ method: HTTPMethod, _ path: String, _ response: Response) {
        add(Route(method, path) { _ in response })
    }

    /// The requests to a path, of whatever query, in the order of ``requests``.
    ///
    /// - Parameters:
    ///   - path: exactly as it was sent.
    ///   - method: default nil: any.
    /// - Returns: those that were received so far.
    public func requests(to path: String, _ method: HTTPMethod? = nil) -> [Request] {
        requests.filter { $0.path == path && (method == nil || $0.method == method) }
    }
}

extension HTTPClient {
    /// Starts a request, or a GET of a URL, and returns its running execution.
    public func run(_ request: some HTTPRequestConvertible) -> HTTPCall<HTTPResponse> {
        run(HTTPEndpoint(request.httpRequest, .passthrough))
    }

    /// Starts an endpoint's request and returns its running execution.
    public func run<Value>(_ endpoint: HTTPEndpoint<Value>) -> HTTPCall<Value> {
        HTTPCall(in: core, of: endpoint.request) { [core] record in
            await core.run(endpoint, record)
        }
    }
}

extension HTTPEndpoint {
    /// Starts the request and returns its running execution.
    ///
    /// - Parameter client: default ``HTTPClient/shared``.
    /// - Returns: the running call.
    public func run(in client: HTTPClient = .shared) -> HTTPCall<Value> {
        client.run(self)
    }
}

extension HTTPRequest {
    /// Starts the request and returns its running execution.
    ///
    /// - Parameter client: default ``HTTPClient/shared``.
    /// - Returns: the running call. Any status is a response.
    public func run(in client: HTTPClient = .shared) -> HTTPCall<HTTPResponse> {
        client.run(self)
    }

    /// Starts the request and returns its running execution, which turns the response into a value.
    ///
    /// - Parameters:
    ///   - parser: the parser of the response, such as `.text`.
    ///   - client: default ``HTTPClient/shared``.
    /// - Returns: the running call.
    public func run<Value: Sendable>(
        _ parser: HTTPResponseParser<Value>,
        in client: HTTPClient = .shared
    ) -> HTTPCall<Value> {
        client.run(HTTPEndpoint(self, parser))
    }

    /// Starts the request and returns its running execution, which requires a 2xx status and turns
    /// the response into a value.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - client: default ``HTTPClient/shared``.
    /// - Returns: the running call.
    public func run<Value: HTTPDecodableResponse & Sendable>(
        _ type: Value.Type,
        in client: HTTPClient = .shared
    ) -> HTTPCall<Value> {
        run(.decodable(type), in: client)
    }
}

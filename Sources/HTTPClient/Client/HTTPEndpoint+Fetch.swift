extension HTTPClient {
    /// Sends an endpoint's request and makes its value of the response.
    ///
    /// - Throws: as ``send(_:)-(HTTPRequest)``; `.rejectedStatus` for a status that the parser does not expect;
    ///   what the parser throws.
    public func call<Value>(_ endpoint: HTTPEndpoint<Value>) async throws(HTTPError) -> Value {
        try endpoint.parser.parse(try await send(endpoint.sentRequest))
    }

    /// Sends a request, or a GET of a URL, requires a 2xx status, and makes a value that knows how to read responses.
    ///
    /// - Throws: as ``send(_:)-(HTTPRequest)``; `.rejectedStatus` and `.decodingFailed` too.
    public func fetch<Value: HTTPDecodableResponse>(
        _ type: Value.Type = Value.self,
        from request: some HTTPRequestConvertible
    ) async throws(HTTPError) -> Value {
        try await send(request.httpRequest.accepting(Value.accept)).requireSuccess().decode(type)
    }

    /// Sends an endpoint's request, and gives its value or what went wrong.
    public func result<Value>(of endpoint: HTTPEndpoint<Value>) async -> Result<Value, HTTPError> {
        do throws(HTTPError) {
            return .success(try await call(endpoint))
        } catch {
            return .failure(error)
        }
    }

    /// Sends a request, or a GET of a URL, and returns the collected response or the error.
    public func result(
        of request: some HTTPRequestConvertible
    ) async -> Result<HTTPResponse, HTTPError> {
        do throws(HTTPError) {
            return .success(try await send(request.httpRequest))
        } catch {
            return .failure(error)
        }
    }

    /// Sends an endpoint's request while the calling thread waits.
    ///
    /// - Throws: as ``sendBlocking(_:)-(HTTPRequest)``; `.rejectedStatus` for a status that the parser does not
    ///   expect; what the parser throws.
    public func callBlocking<Value>(
        _ endpoint: HTTPEndpoint<Value>
    ) throws(HTTPError) -> Value {
        try endpoint.parser.parse(try sendBlocking(endpoint.sentRequest))
    }
}

extension HTTPEndpoint {
    /// Sends the request and makes the value of the response.
    ///
    /// - Parameter client: default ``HTTPClient/shared``.
    /// - Returns: the value.
    /// - Throws: as ``HTTPClient/call(_:)``.
    public func fetch(in client: HTTPClient = .shared) async throws(HTTPError) -> Value {
        try await client.call(self)
    }

    /// Sends the request, and gives the value or what went wrong.
    ///
    /// - Parameter client: default ``HTTPClient/shared``.
    /// - Returns: what ``fetch(in:)`` returns or throws.
    public func result(in client: HTTPClient = .shared) async -> Result<Value, HTTPError> {
        await client.result(of: self)
    }

    /// Sends the request and makes the value while the calling thread waits.
    ///
    /// - Parameter client: default ``HTTPClient/shared``.
    /// - Returns: the value.
    /// - Throws: as ``HTTPClient/callBlocking(_:)``.
    public func runSync(in client: HTTPClient = .shared) throws(HTTPError) -> Value {
        try client.callBlocking(self)
    }
}

extension HTTPRequest {
    /// Sends the request and makes a value of the response.
    ///
    /// - Parameters:
    ///   - parser: what the response becomes, such as `.text`.
    ///   - client: default ``HTTPClient/shared``.
    /// - Returns: the value.
    /// - Throws: as ``HTTPClient/call(_:)``.
    public func fetch<Value: Sendable>(
        _ parser: HTTPResponseParser<Value>,
        in client: HTTPClient = .shared
    ) async throws(HTTPError) -> Value {
        try await client.call(HTTPEndpoint(self, parser))
    }

    /// Sends the request, requires a 2xx status and makes a value that knows how to read responses.
    ///
    /// - Parameters:
    ///   - type: the type; mostly found by itself.
    ///   - client: default ``HTTPClient/shared``.
    /// - Returns: the value.
    /// - Throws: as ``HTTPClient/send(_:)-(HTTPRequest)``; `.rejectedStatus` and `.decodingFailed` too.
    public func fetch<Value: HTTPDecodableResponse>(
        _ type: Value.Type,
        in client: HTTPClient = .shared
    ) async throws(HTTPError) -> Value {
        try await client.send(accepting(Value.accept)).requireSuccess().decode(type)
    }

    /// Sends the request and makes a value of the response while the calling thread waits.
    ///
    /// - Parameters:
    ///   - parser: what the response becomes, such as `.text`.
    ///   - client: default ``HTTPClient/shared``.
    /// - Returns: the value.
    /// - Throws: as ``HTTPClient/callBlocking(_:)``.
    public func runSync<Value: Sendable>(
        _ parser: HTTPResponseParser<Value>,
        in client: HTTPClient = .shared
    ) throws(HTTPError) -> Value {
        try client.callBlocking(HTTPEndpoint(self, parser))
    }

    /// Sends the request and makes a value that knows how to read responses, while the calling
    /// thread waits.
    ///
    /// - Parameters:
    ///   - type: the type; mostly found by itself.
    ///   - client: default ``HTTPClient/shared``.
    /// - Returns: the value.
    /// - Throws: as ``HTTPClient/sendBlocking(_:)-(HTTPRequest)``; `.rejectedStatus` and `.decodingFailed` too.
    public func runSync<Value: HTTPDecodableResponse>(
        _ type: Value.Type,
        in client: HTTPClient = .shared
    ) throws(HTTPError) -> Value {
        try client.sendBlocking(accepting(Value.accept)).requireSuccess().decode(type)
    }
}

extension HTTPRequest {
    /// Sends the request and collects the response.
    ///
    /// - Parameter client: default ``HTTPClient/shared``.
    /// - Returns: the complete response, whatever its status.
    /// - Throws: as ``HTTPClient/send(_:)-(HTTPRequest)``.
    public func fetch(in client: HTTPClient = .shared) async throws(HTTPError) -> HTTPResponse {
        try await client.send(self)
    }

    /// Sends the request and collects the response, and gives it or what went wrong.
    ///
    /// - Parameter client: default ``HTTPClient/shared``.
    /// - Returns: what ``fetch(in:)`` returns or throws.
    public func result(in client: HTTPClient = .shared) async -> Result<HTTPResponse, HTTPError> {
        await client.result(of: self)
    }

    /// Sends the request and collects the response while the calling thread waits.
    ///
    /// - Parameter client: default ``HTTPClient/shared``.
    /// - Returns: the complete response, whatever its status.
    /// - Throws: as ``HTTPClient/sendBlocking(_:)-(HTTPRequest)``.
    public func runSync(in client: HTTPClient = .shared) throws(HTTPError) -> HTTPResponse {
        try client.sendBlocking(self)
    }
}

extension HTTPClient {
    /// Sends the request of an endpoint and parses its response.
    ///
    /// - Throws: the same errors as ``send(_:)-(HTTPRequest)``; `.rejectedStatus` for a status that
    ///   the parser does not expect; the errors of the parser.
    public func call<Value>(_ endpoint: HTTPEndpoint<Value>) async throws(HTTPError) -> Value {
        try endpoint.parser.parse(try await send(endpoint.sentRequest))
    }

    /// Sends a request, or a GET of a URL, and decodes the response after requiring a 2xx status.
    ///
    /// - Throws: the same errors as ``send(_:)-(HTTPRequest)``; `.rejectedStatus`;
    ///   `.decodingFailed`.
    public func fetch<Value: HTTPDecodableResponse>(
        _ type: Value.Type = Value.self,
        from request: some HTTPRequestConvertible
    ) async throws(HTTPError) -> Value {
        try await send(request.httpRequest.accepting(Value.accept)).requireSuccess().decode(type)
    }

    /// Sends the request of an endpoint and returns its value or the error.
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

    /// Sends the request of an endpoint and parses its response, blocking the calling thread.
    ///
    /// - Throws: the same errors as ``sendBlocking(_:)-(HTTPRequest)``; `.rejectedStatus` for a
    ///   status that the parser does not expect; the errors of the parser.
    public func callBlocking<Value>(
        _ endpoint: HTTPEndpoint<Value>
    ) throws(HTTPError) -> Value {
        try endpoint.parser.parse(try sendBlocking(endpoint.sentRequest))
    }
}

extension HTTPEndpoint {
    /// Sends the request and parses the response.
    ///
    /// - Parameter client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the parsed value.
    /// - Throws: the same errors as ``HTTPClient/call(_:)``.
    public func fetch(in client: HTTPClient = .shared) async throws(HTTPError) -> Value {
        try await client.call(self)
    }

    /// Sends the request and returns the parsed value or the error.
    ///
    /// - Parameter client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the value or the error of ``fetch(in:)``.
    public func result(in client: HTTPClient = .shared) async -> Result<Value, HTTPError> {
        await client.result(of: self)
    }

    /// Sends the request and parses the response, blocking the calling thread.
    ///
    /// - Parameter client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the parsed value.
    /// - Throws: the same errors as ``HTTPClient/callBlocking(_:)``.
    public func runSync(in client: HTTPClient = .shared) throws(HTTPError) -> Value {
        try client.callBlocking(self)
    }
}

extension HTTPRequest {
    /// Sends the request and parses the response.
    ///
    /// - Parameters:
    ///   - parser: the parser of the response, such as `.text`.
    ///   - client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the parsed value.
    /// - Throws: the same errors as ``HTTPClient/call(_:)``.
    public func fetch<Value: Sendable>(
        _ parser: HTTPResponseParser<Value>,
        in client: HTTPClient = .shared
    ) async throws(HTTPError) -> Value {
        try await client.call(HTTPEndpoint(self, parser))
    }

    /// Sends the request, requires a 2xx status and decodes the response.
    ///
    /// - Parameters:
    ///   - type: the type to decode, usually inferred.
    ///   - client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the decoded value.
    /// - Throws: the same errors as ``HTTPClient/send(_:)-(HTTPRequest)``; `.rejectedStatus`;
    ///   `.decodingFailed`.
    public func fetch<Value: HTTPDecodableResponse>(
        _ type: Value.Type,
        in client: HTTPClient = .shared
    ) async throws(HTTPError) -> Value {
        try await client.send(accepting(Value.accept)).requireSuccess().decode(type)
    }

    /// Sends the request and parses the response, blocking the calling thread.
    ///
    /// - Parameters:
    ///   - parser: the parser of the response, such as `.text`.
    ///   - client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the parsed value.
    /// - Throws: the same errors as ``HTTPClient/callBlocking(_:)``.
    public func runSync<Value: Sendable>(
        _ parser: HTTPResponseParser<Value>,
        in client: HTTPClient = .shared
    ) throws(HTTPError) -> Value {
        try client.callBlocking(HTTPEndpoint(self, parser))
    }

    /// Sends the request, requires a 2xx status and decodes the response, blocking the calling
    /// thread.
    ///
    /// - Parameters:
    ///   - type: the type to decode, usually inferred.
    ///   - client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the decoded value.
    /// - Throws: the same errors as ``HTTPClient/sendBlocking(_:)-(HTTPRequest)``;
    ///   `.rejectedStatus`; `.decodingFailed`.
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
    /// - Parameter client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the complete response, whatever its status.
    /// - Throws: the same errors as ``HTTPClient/send(_:)-(HTTPRequest)``.
    public func fetch(in client: HTTPClient = .shared) async throws(HTTPError) -> HTTPResponse {
        try await client.send(self)
    }

    /// Sends the request and returns the collected response or the error.
    ///
    /// - Parameter client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the response or the error of ``fetch(in:)``.
    public func result(in client: HTTPClient = .shared) async -> Result<HTTPResponse, HTTPError> {
        await client.result(of: self)
    }

    /// Sends the request and collects the response, blocking the calling thread.
    ///
    /// - Parameter client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the complete response, whatever its status.
    /// - Throws: the same errors as ``HTTPClient/sendBlocking(_:)-(HTTPRequest)``.
    public func runSync(in client: HTTPClient = .shared) throws(HTTPError) -> HTTPResponse {
        try client.sendBlocking(self)
    }
}

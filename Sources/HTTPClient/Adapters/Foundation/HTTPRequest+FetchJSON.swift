#if Foundation
public import FoundationEssentials

extension HTTPClient {
    /// Sends a request, or a GET of a URL, requires a 2xx status and decodes the body as JSON.
    ///
    /// The client sends `Accept: application/json` unless the request has an Accept field.
    ///
    /// - Throws: the same errors as ``send(_:)-(HTTPRequest)``; `.rejectedStatus`;
    ///   `.decodingFailed`.
    public func fetch<Value: Decodable>(
        _ type: Value.Type = Value.self,
        from request: some HTTPRequestConvertible,
        decoder: JSONDecoder? = nil
    ) async throws(HTTPError) -> Value {
        try await send(request.httpRequest.accepting(HTTPRequest.jsonAccept)).requireSuccess()
            .decode(
                type,
                decoder: decoder
            )
    }

    /// Sends a request, or a GET of a URL, requires a 2xx status and decodes the response with the
    /// type's own method.
    ///
    /// This overload takes precedence over decoding as JSON.
    ///
    /// - Throws: the same errors as ``send(_:)-(HTTPRequest)``; `.rejectedStatus`;
    ///   `.decodingFailed`.
    public func fetch<Value: Decodable & HTTPDecodableResponse>(
        _ type: Value.Type = Value.self,
        from request: some HTTPRequestConvertible
    ) async throws(HTTPError) -> Value {
        try await send(request.httpRequest.accepting(Value.accept)).requireSuccess().decode(type)
    }
}

extension HTTPRequest {
    /// Sends the request, requires a 2xx status and decodes the body as JSON.
    ///
    /// The client sends `Accept: application/json` unless the request has an Accept field.
    ///
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - client: the client to use. Default ``HTTPClient/shared``.
    ///   - decoder: the decoder. Default nil: the client's (``HTTPClientSettings/jsonDecoder``).
    /// - Returns: the decoded value.
    /// - Throws: the same errors as ``HTTPClient/send(_:)-(HTTPRequest)``; `.rejectedStatus`;
    ///   `.decodingFailed`.
    public func fetch<Value: Decodable>(
        _ type: Value.Type,
        in client: HTTPClient = .shared,
        decoder: JSONDecoder? = nil
    ) async throws(HTTPError) -> Value {
        try await client.fetch(type, from: self, decoder: decoder)
    }

    /// Sends the request, requires a 2xx status and decodes the response with the type's own
    /// method.
    ///
    /// This overload takes precedence over decoding as JSON.
    ///
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the decoded value.
    /// - Throws: the same errors as ``HTTPClient/send(_:)-(HTTPRequest)``; `.rejectedStatus`;
    ///   `.decodingFailed`.
    public func fetch<Value: Decodable & HTTPDecodableResponse>(
        _ type: Value.Type,
        in client: HTTPClient = .shared
    ) async throws(HTTPError) -> Value {
        try await client.send(accepting(Value.accept)).requireSuccess().decode(type)
    }

    /// Sends the request, requires a 2xx status and decodes the body as JSON, blocking the calling
    /// thread.
    ///
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - client: the client to use. Default ``HTTPClient/shared``.
    ///   - decoder: the decoder. Default nil: the client's (``HTTPClientSettings/jsonDecoder``).
    /// - Returns: the decoded value.
    /// - Throws: the same errors as ``HTTPClient/sendBlocking(_:)-(HTTPRequest)``;
    ///   `.rejectedStatus`; `.decodingFailed`.
    public func runSync<Value: Decodable>(
        _ type: Value.Type,
        in client: HTTPClient = .shared,
        decoder: JSONDecoder? = nil
    ) throws(HTTPError) -> Value {
        try client.sendBlocking(accepting(Self.jsonAccept))
            .requireSuccess().decode(type, decoder: decoder)
    }

    /// Sends the request, requires a 2xx status and decodes the response with the type's own
    /// method, blocking the calling thread.
    ///
    /// This overload takes precedence over decoding as JSON.
    ///
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the decoded value.
    /// - Throws: the same errors as ``HTTPClient/sendBlocking(_:)-(HTTPRequest)``;
    ///   `.rejectedStatus`; `.decodingFailed`.
    public func runSync<Value: Decodable & HTTPDecodableResponse>(
        _ type: Value.Type,
        in client: HTTPClient = .shared
    ) throws(HTTPError) -> Value {
        try client.sendBlocking(accepting(Value.accept)).requireSuccess().decode(type)
    }

    /// Starts the request and returns the running call.
    ///
    /// The call requires a 2xx status and decodes the body as JSON.
    ///
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - client: the client to use. Default ``HTTPClient/shared``.
    ///   - decoder: the decoder. Default nil: the client's (``HTTPClientSettings/jsonDecoder``).
    /// - Returns: the running call.
    public func run<Value: Decodable & Sendable>(
        _ type: Value.Type,
        in client: HTTPClient = .shared,
        decoder: JSONDecoder? = nil
    ) -> HTTPCall<Value> {
        run(.json(type, decoder: decoder), in: client)
    }

    /// Starts the request and returns the running call.
    ///
    /// The call requires a 2xx status and decodes the response with the type's own method. This
    /// overload takes precedence over decoding as JSON.
    ///
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - client: the client to use. Default ``HTTPClient/shared``.
    /// - Returns: the running call.
    public func run<Value: Decodable & HTTPDecodableResponse & Sendable>(
        _ type: Value.Type,
        in client: HTTPClient = .shared
    ) -> HTTPCall<Value> {
        run(.decodable(type), in: client)
    }
}
#endif

#if Foundation
public import FoundationEssentials

extension HTTPClient {
    /// Sends a request, or a GET of a URL, requires a 2xx status, and decodes the body as JSON.
    ///
    /// Asks for `application/json` unless the request has an Accept field.
    ///
    /// - Throws: as ``send(_:)-(HTTPRequest)``; `.rejectedStatus` and `.decodingFailed` too.
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

    /// Sends a request, or a GET of a URL, requires a 2xx status, and makes a value in its own way, though it could
    /// be decoded as JSON too.
    ///
    /// - Throws: as ``send(_:)-(HTTPRequest)``; `.rejectedStatus` and `.decodingFailed` too.
    public func fetch<Value: Decodable & HTTPDecodableResponse>(
        _ type: Value.Type = Value.self,
        from request: some HTTPRequestConvertible
    ) async throws(HTTPError) -> Value {
        try await send(request.httpRequest.accepting(Value.accept)).requireSuccess().decode(type)
    }
}

extension HTTPRequest {
    /// Sends the request, requires a 2xx status, and decodes the body as JSON.
    ///
    /// Asks for `application/json` unless the request has an Accept field.
    ///
    /// - Parameters:
    ///   - type: what to decode.
    ///   - client: default ``HTTPClient/shared``.
    ///   - decoder: default nil: the client's (``HTTPClient/Settings/jsonDecoder``).
    /// - Returns: the value.
    /// - Throws: as ``HTTPClient/send(_:)-(HTTPRequest)``; `.rejectedStatus` and `.decodingFailed` too.
    public func fetch<Value: Decodable>(
        _ type: Value.Type,
        in client: HTTPClient = .shared,
        decoder: JSONDecoder? = nil
    ) async throws(HTTPError) -> Value {
        try await client.fetch(type, from: self, decoder: decoder)
    }

    /// Sends the request, requires a 2xx status, and makes a value in its own way, though it could
    /// be decoded as JSON too.
    ///
    /// - Parameters:
    ///   - type: what to make.
    ///   - client: default ``HTTPClient/shared``.
    /// - Returns: the value.
    /// - Throws: as ``HTTPClient/send(_:)-(HTTPRequest)``; `.rejectedStatus` and `.decodingFailed` too.
    public func fetch<Value: Decodable & HTTPDecodableResponse>(
        _ type: Value.Type,
        in client: HTTPClient = .shared
    ) async throws(HTTPError) -> Value {
        try await client.send(accepting(Value.accept)).requireSuccess().decode(type)
    }

    /// Sends the request, requires a 2xx status, and decodes the body as JSON, while the calling
    /// thread waits.
    ///
    /// - Parameters:
    ///   - type: what to decode.
    ///   - client: default ``HTTPClient/shared``.
    ///   - decoder: default nil: the client's (``HTTPClient/Settings/jsonDecoder``).
    /// - Returns: the value.
    /// - Throws: as ``HTTPClient/sendBlocking(_:)-(HTTPRequest)``; `.rejectedStatus` and `.decodingFailed` too.
    public func runSync<Value: Decodable>(
        _ type: Value.Type,
        in client: HTTPClient = .shared,
        decoder: JSONDecoder? = nil
    ) throws(HTTPError) -> Value {
        try client.sendBlocking(accepting(Self.jsonAccept))
            .requireSuccess().decode(type, decoder: decoder)
    }

    /// Sends the request, requires a 2xx status, and makes a value in its own way, though it could
    /// be decoded as JSON too, while the calling thread waits.
    ///
    /// - Parameters:
    ///   - type: what to make.
    ///   - client: default ``HTTPClient/shared``.
    /// - Returns: the value.
    /// - Throws: as ``HTTPClient/sendBlocking(_:)-(HTTPRequest)``; `.rejectedStatus` and `.decodingFailed` too.
    public func runSync<Value: Decodable & HTTPDecodableResponse>(
        _ type: Value.Type,
        in client: HTTPClient = .shared
    ) throws(HTTPError) -> Value {
        try client.sendBlocking(accepting(Value.accept)).requireSuccess().decode(type)
    }

    /// Starts the request and returns its running execution, which requires a 2xx status and decodes
    /// the body as JSON.
    ///
    /// - Parameters:
    ///   - type: what to decode.
    ///   - client: default ``HTTPClient/shared``.
    ///   - decoder: default nil: the client's (``HTTPClient/Settings/jsonDecoder``).
    /// - Returns: the call, which is under way.
    public func run<Value: Decodable & Sendable>(
        _ type: Value.Type,
        in client: HTTPClient = .shared,
        decoder: JSONDecoder? = nil
    ) -> HTTPCall<Value> {
        run(.json(type, decoder: decoder), in: client)
    }

    /// Starts the request and returns its running execution, which requires a 2xx status and makes a
    /// value in its own way, though it could be decoded as JSON too.
    ///
    /// - Parameters:
    ///   - type: what to make.
    ///   - client: default ``HTTPClient/shared``.
    /// - Returns: the call, which is under way.
    public func run<Value: Decodable & HTTPDecodableResponse & Sendable>(
        _ type: Value.Type,
        in client: HTTPClient = .shared
    ) -> HTTPCall<Value> {
        run(.decodable(type), in: client)
    }
}
#endif

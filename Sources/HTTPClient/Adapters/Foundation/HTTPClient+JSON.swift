#if Foundation
public import FoundationEssentials

// Without a decoder argument, a type that is HTTPDecodableResponse uses its own method: the overloads for such types
// take precedence over these.

extension HTTPClient {
    /// Sends a request, or a GET of a URL, requires a 2xx status and decodes the body as JSON.
    ///
    /// The client sends `Accept: application/json` unless the request has an Accept field. Without a
    /// decoder argument, a type that is ``HTTPDecodableResponse`` uses its own method instead.
    ///
    /// - Parameters:
    ///   - type: the type to decode, usually inferred.
    ///   - request: the request. A URL is sent as a GET.
    ///   - decoder: the decoder. Default nil: the client's (``HTTPClientSettings/jsonDecoder``).
    /// - Returns: the decoded value.
    /// - Throws: the same errors as ``send(_:)-(HTTPRequest)``; `.rejectedStatus`;
    ///   `.decodingFailed`.
    @_disfavoredOverload
    public func fetch<Value: Decodable>(
        _ type: Value.Type = Value.self,
        from request: some HTTPRequestConvertible,
        decoder: JSONDecoder? = nil
    ) async throws(HTTPError) -> Value {
        try await send(request.httpRequest.accepting(HTTPRequest.jsonAccept)).requireSuccess()
            .decode(type, decoder: decoder)
    }
}

extension HTTPClient.Blocking {
    /// Sends a request, or a GET of a URL, requires a 2xx status and decodes the body as JSON.
    ///
    /// The client sends `Accept: application/json` unless the request has an Accept field. Without a
    /// decoder argument, a type that is ``HTTPDecodableResponse`` uses its own method instead.
    ///
    /// - Parameters:
    ///   - type: the type to decode, usually inferred.
    ///   - request: the request. A URL is sent as a GET.
    ///   - decoder: the decoder. Default nil: the client's (``HTTPClientSettings/jsonDecoder``).
    /// - Returns: the decoded value.
    /// - Throws: the same errors as ``send(_:)-(HTTPRequest)``; `.rejectedStatus`;
    ///   `.decodingFailed`.
    @_disfavoredOverload
    public func fetch<Value: Decodable>(
        _ type: Value.Type = Value.self,
        from request: some HTTPRequestConvertible,
        decoder: JSONDecoder? = nil
    ) throws(HTTPError) -> Value {
        try send(request.httpRequest.accepting(HTTPRequest.jsonAccept)).requireSuccess()
            .decode(type, decoder: decoder)
    }
}

extension HTTPRequest {
    /// Sends the request, requires a 2xx status and decodes the body as JSON.
    ///
    /// The client sends `Accept: application/json` unless the request has an Accept field. Without a
    /// decoder argument, a type that is ``HTTPDecodableResponse`` uses its own method instead.
    ///
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - client: the client to use. Default ``HTTPClient/shared``.
    ///   - decoder: the decoder. Default nil: the client's (``HTTPClientSettings/jsonDecoder``).
    /// - Returns: the decoded value.
    /// - Throws: the same errors as ``HTTPClient/send(_:)-(HTTPRequest)``; `.rejectedStatus`;
    ///   `.decodingFailed`.
    @_disfavoredOverload
    public func fetch<Value: Decodable>(
        _ type: Value.Type,
        in client: HTTPClient = .shared,
        decoder: JSONDecoder? = nil
    ) async throws(HTTPError) -> Value {
        try await client.fetch(type, from: self, decoder: decoder)
    }
}
#endif

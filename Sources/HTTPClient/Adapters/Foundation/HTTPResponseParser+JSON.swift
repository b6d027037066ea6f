#if Foundation
public import FoundationEssentials
public import Wire

extension HTTPResponseParser where Value: Decodable {
    /// Returns a parser that decodes the body as JSON.
    ///
    /// - Parameters:
    ///   - type: the type to decode, usually inferred.
    ///   - statuses: the expected statuses. Default 2xx.
    ///   - decoder: the decoder. Default nil: the client's (``HTTPClientSettings/jsonDecoder``).
    /// - Returns: a parser that sends `Accept: application/json`.
    public static func json(
        _ type: Value.Type = Value.self,
        expecting statuses: HTTPStatusSet = .successful,
        decoder: JSONDecoder? = nil
    ) -> HTTPResponseParser<Value> {
        HTTPResponseParser(accept: HTTPRequest.jsonAccept, expecting: statuses) { response in
            try response.decode(type, decoder: decoder)
        }
    }
}

extension HTTPResponseParser {
    /// Returns a parser that decodes the body of a rejected response as JSON of one of these types.
    ///
    /// - Parameters:
    ///   - types: the types, tried in order; see ``HTTPError/failureBody(as:)``.
    ///   - decoder: the decoder. Default nil: the client's (``HTTPClientSettings/jsonDecoder``).
    /// - Returns: a copy that tries the types of earlier calls first.
    public func orError(
        _ types: any (Decodable & Sendable).Type...,
        decoder: JSONDecoder? = nil
    ) -> HTTPResponseParser {
        types.reduce(self) { parser, type in
            parser.orError(reading: { response in
                let decoder = JSONCoders.decoder(decoder, response.coders)
                return try decoder.decode(type, from: response.data)
            })
        }
    }
}

extension HTTPEndpoint where Value: Decodable {
    /// Creates an endpoint that decodes a JSON body and expects a 2xx status.
    public init(
        _ request: HTTPRequest,
        _ type: Value.Type = Value.self,
        decoder: JSONDecoder? = nil
    ) {
        self.init(request, .json(type, decoder: decoder))
    }

    /// Creates an endpoint that decodes a JSON body and expects a 2xx status.
    public init(
        _ method: HTTPMethod,
        _ url: String,
        _ type: Value.Type = Value.self,
        decoder: JSONDecoder? = nil
    ) {
        self.init(method, url, .json(type, decoder: decoder))
    }
}

extension HTTPEndpoint where Value: Decodable & HTTPDecodableResponse {
    /// Creates an endpoint that decodes the response with the type's own method and expects a 2xx
    /// status.
    ///
    /// This overload takes precedence over decoding as JSON.
    public init(_ request: HTTPRequest, _ type: Value.Type = Value.self) {
        self.init(request, .decodable(type))
    }

    /// Creates an endpoint that decodes the response with the type's own method and expects a 2xx
    /// status.
    ///
    /// This overload takes precedence over decoding as JSON.
    public init(_ method: HTTPMethod, _ url: String, _ type: Value.Type = Value.self) {
        self.init(method, url, .decodable(type))
    }
}
#endif

#if Foundation
public import FoundationEssentials
public import Wire

extension HTTPResponseParser where Value: Decodable {
    /// The body as JSON.
    ///
    /// - Parameters:
    ///   - type: the type; mostly found by itself.
    ///   - statuses: with which there is such a body. Default 2xx.
    ///   - decoder: default nil: the client's (``HTTPClient/Settings/jsonDecoder``).
    /// - Returns: a parser that asks for `application/json`.
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
    /// Returns a parser that reads the body of a refused response as JSON of one of these types.
    ///
    /// - Parameters:
    ///   - types: tried in order; see ``HTTPError/failureBody(as:)``.
    ///   - decoder: default nil: the client's (``HTTPClient/Settings/jsonDecoder``).
    /// - Returns: a copy; it asks the readers of earlier calls first.
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
    /// Makes the endpoint of a value in JSON; 2xx is expected.
    public init(
        _ request: HTTPRequest,
        _ type: Value.Type = Value.self,
        decoder: JSONDecoder? = nil
    ) {
        self.init(request, .json(type, decoder: decoder))
    }

    /// Makes the endpoint of a value in JSON; 2xx is expected.
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
    /// Makes the endpoint of a value that knows how to read responses, though it could be decoded
    /// as JSON too; 2xx is expected.
    public init(_ request: HTTPRequest, _ type: Value.Type = Value.self) {
        self.init(request, .decodable(type))
    }

    /// Makes the endpoint of a value that knows how to read responses, though it could be decoded
    /// as JSON too; 2xx is expected.
    public init(_ method: HTTPMethod, _ url: String, _ type: Value.Type = Value.self) {
        self.init(method, url, .decodable(type))
    }
}
#endif

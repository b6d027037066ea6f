#if Foundation
public import FoundationEssentials
public import Wire

extension HTTPResponse {
    /// The response body.
    public var data: Data { Data(body) }

    /// Decodes the body as JSON.
    ///
    /// An optional is nil for statuses 204 and 205, which have no content. Without a decoder
    /// argument, a type that is ``HTTPDecodableResponse`` uses its own method instead. For example, a `String`
    /// is the text of the body, and `[UInt8]` and `Data` are its bytes.
    ///
    /// - Parameters:
    ///   - type: the type to decode, usually inferred.
    ///   - decoder: the decoder. Default nil: that of the client that received the response
    ///     (``HTTPClientSettings/jsonDecoder``).
    /// - Returns: the decoded value.
    /// - Throws: `.decodingFailed` with the path of the invalid key and the start of the body.
    @_disfavoredOverload
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        decoder: JSONDecoder? = nil
    ) throws(HTTPError) -> Value {
        if let absence = noContentValue(of: type) { return absence }
        do {
            return try JSONCoders.decoder(decoder, coders).decode(type, from: data)
        } catch {
            throw HTTPError(error, reading: self)
        }
    }
}

extension Data: HTTPDecodableResponse {
    /// Returns the body after content decoding.
    public static func decode(_ response: HTTPResponse) throws -> Data { response.data }
}

extension HTTPError {
    /// Decodes the body of a rejected response as JSON.
    ///
    ///     if let problem = try? error.decode(Problem.self) { … }
    ///
    /// To try several types, call the method once for each.
    /// ``HTTPResponseParser/orError(_:decoder:)`` does so for an endpoint.
    ///
    /// - Parameters:
    ///   - type: the type to decode, usually inferred.
    ///   - decoder: the decoder. Default nil: the client's (``HTTPClientSettings/jsonDecoder``).
    /// - Returns: the decoded value.
    /// - Throws: `.decodingFailed` with the path of the invalid key and the start of the body. Its
    ///   ``underlying`` is the error of the decoder.
    public func decode<Body: Decodable>(
        _ type: Body.Type = Body.self,
        decoder: JSONDecoder? = nil
    ) throws(HTTPError) -> Body {
        do {
            let decoder = JSONCoders.decoder(decoder, info.coders)
            return try decoder.decode(type, from: Data(partialBody))
        } catch {
            throw undecodable(error)
        }
    }
}

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
    /// - Returns: a copy of the parser. It first tries the types of earlier calls of this method.
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
    ///
    /// Without a decoder argument, a type that is ``HTTPDecodableResponse`` uses its own method instead.
    @_disfavoredOverload
    public init(
        _ request: HTTPRequest,
        _ type: Value.Type = Value.self,
        decoder: JSONDecoder? = nil
    ) {
        self.init(request, .json(type, decoder: decoder))
    }

    /// Creates an endpoint that decodes a JSON body and expects a 2xx status.
    ///
    /// Without a decoder argument, a type that is ``HTTPDecodableResponse`` uses its own method instead.
    @_disfavoredOverload
    public init(
        _ method: HTTPMethod,
        _ url: String,
        _ type: Value.Type = Value.self,
        decoder: JSONDecoder? = nil
    ) {
        self.init(method, url, .json(type, decoder: decoder))
    }
}
#endif

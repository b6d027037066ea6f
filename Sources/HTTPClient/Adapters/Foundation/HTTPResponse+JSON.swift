#if Foundation
public import FoundationEssentials

extension HTTPResponse {
    /// The response body.
    public var data: Data { Data(body) }

    /// Decodes the body as JSON.
    ///
    /// An optional is nil for statuses 204 and 205, which have no content. Without a decoder
    /// argument, `String`, `[UInt8]` and `Data` are the text and the bytes of the body, not JSON.
    ///
    /// - Parameters:
    ///   - type: the type to decode, usually inferred.
    ///   - decoder: the decoder. Default nil: that of the client that received the response
    ///     (``HTTPClientSettings/jsonDecoder``).
    /// - Returns: the decoded value.
    /// - Throws: `.decodingFailed` with the path of the invalid key and the start of the body.
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

    /// Decodes the response with the type's own method.
    ///
    /// This overload takes precedence over decoding as JSON.
    ///
    /// - Throws: an ``HTTPError`` that `Value.decode` threw. Any other error becomes
    ///   `.decodingFailed` with that error and the start of the body, and for a `DecodingError`
    ///   with its path.
    public func decode<Value: Decodable & HTTPDecodableResponse>(
        _ type: Value.Type = Value.self
    ) throws(HTTPError) -> Value {
        do {
            return try Value.decode(self)
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
#endif

#if Foundation
public import FoundationEssentials

extension HTTPResponse {
    /// The body.
    public var data: Data { Data(body) }

    /// Decodes the body as JSON.
    ///
    /// An optional is nil for 204 and 205, which have no content. `String`, `[UInt8]` and `Data` are
    /// text and bytes, not JSON, unless a decoder is given.
    ///
    /// - Parameters:
    ///   - type: what to decode; mostly found by itself.
    ///   - decoder: default nil: the one of the client that got the response
    ///     (``HTTPClient/Settings/jsonDecoder``).
    /// - Returns: the value.
    /// - Throws: `.decodingFailed` with the path of the key at fault and the start of the body.
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

    /// Makes a value in its own way, though it could be decoded as JSON too.
    ///
    /// - Throws: `.decodingFailed` with what `Value.decode` threw, the path in it if it is a
    ///   `DecodingError`, and the start of the body; an ``HTTPError`` as it is.
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
    /// Takes the body as it is, decoded from its content coding.
    public static func decode(_ response: HTTPResponse) throws -> Data { response.data }
}

extension HTTPError {
    /// Decodes what came of the body of a response that was refused, as JSON.
    ///
    ///     if let problem = try? error.decode(Problem.self) { … }
    ///
    /// To try several types, ask for one after the other; ``HTTPResponseParser/orError(_:decoder:)``
    /// does it for a whole endpoint.
    ///
    /// - Parameters:
    ///   - type: what to decode; mostly found by itself.
    ///   - decoder: default nil: the client's (``HTTPClient/Settings/jsonDecoder``).
    /// - Returns: the value.
    /// - Throws: `.decodingFailed` with the path of the key at fault and the start of the body; its
    ///   ``underlying`` is what `decoder` threw.
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

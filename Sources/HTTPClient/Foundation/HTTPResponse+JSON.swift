#if Foundation
public import FoundationEssentials

extension HTTPResponse {
    /// The body.
    public var data: Data { Data(body) }

    /// Decodes the body as JSON.
    ///
    /// - Throws: `.decodingFailed` with the path of the key at fault and the start of the body.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        decoder: JSONDecoder = JSONDecoder()
    ) throws(HTTPError) -> Value {
        do {
            return try decoder.decode(type, from: data)
        } catch {
            throw self.error(.decodingFailed(reason: reason(error))).changed {
                $0.underlying = error
            }
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

extension HTTPError {
    /// Decodes what came of the body of a response that was refused, as JSON.
    ///
    ///     if let problem = try? error.decode(Problem.self) { … }
    ///
    /// To try several types, ask for one after the other; ``HTTPResponseParser/orError(_:decoder:)``
    /// does it for a whole endpoint.
    ///
    /// - Throws: what `decoder` throws.
    public func decode<Body: Decodable>(
        _ type: Body.Type = Body.self,
        decoder: JSONDecoder = JSONDecoder()
    ) throws -> Body {
        try decoder.decode(type, from: Data(partialBody))
    }
}
#endif

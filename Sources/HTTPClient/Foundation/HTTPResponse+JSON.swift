#if Foundation
public import FoundationEssentials

extension HTTPResponse {
    /// Decodes the body as JSON.
    ///
    /// - Throws: `.decodingFailed` with the path of the key at fault and the start of the body.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        decoder: JSONDecoder = JSONDecoder()
    ) throws(HTTPError) -> Value {
        do {
            return try decoder.decode(type, from: Data(body))
        } catch {
            throw HTTPError(
                .decodingFailed(reason: Self.reason(error, body)),
                phase: .decoding,
                request: url.publicText,
                metrics: metrics,
                head: head,
                partialBody: body
            )
        }
    }

    private static func reason(_ error: any Error, _ body: [UInt8]) -> String {
        let start = String(decoding: body.prefix(80), as: UTF8.self)
        guard let error = error as? DecodingError else { return "\(error), in \"\(start)\"" }
        let context: DecodingError.Context
        switch error {
        case .typeMismatch(_, let found), .valueNotFound(_, let found), .keyNotFound(_, let found),
            .dataCorrupted(let found):
            context = found
        @unknown default: return "\(error), in \"\(start)\""
        }
        let path = context.codingPath.map { key in
            key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)"
        }
        return "\(context.debugDescription) at $\(path.joined()), in \"\(start)\""
    }
}

extension HTTPClient {
    /// Sends a request, requires a 2xx status, and decodes the body as JSON.
    ///
    /// - Throws: as ``send(_:)``; `.rejectedStatus` and `.decodingFailed` too.
    public func fetch<Value: Decodable>(
        _ type: Value.Type = Value.self,
        from request: HTTPRequest,
        decoder: JSONDecoder = JSONDecoder()
    ) async throws(HTTPError) -> Value {
        try await send(request).requireSuccess().decode(type, decoder: decoder)
    }
}
#endif

#if Foundation
public import FoundationEssentials
internal import Wire

extension HTTPClient {
    /// Reads server-sent events whose data is JSON, each decoded as a value; see ``events(_:options:)``.
    ///
    ///     for try await chunk in client.events(chat, as: Chunk.self, until: "[DONE]") {
    ///         print(chunk.text, terminator: "")
    ///     }
    ///
    /// - Parameters:
    ///   - request: the request. A URL is sent as a GET.
    ///   - type: the type of each value.
    ///   - lastData: the data of the event that ends the stream, which is not decoded. Default nil: the server ends
    ///     the stream.
    ///   - options: the limits and delays of reconnects. Default: 10 reconnects in a row.
    ///   - decoder: the decoder. Default nil: the client's (``HTTPClientSettings/jsonDecoder``).
    /// - Returns: a stream of values; its ``HTTPRecordStream/blocking`` is for threads without a task. Reading
    ///   throws the errors of ``events(_:options:)``. It also throws `.decodingFailed` for data that does not
    ///   match the type, with the number of the event, counted from 1; ``HTTPError/partialBody`` is the data. The
    ///   values after it can still be read.
    @_disfavoredOverload
    public func events<Value: Decodable & Sendable>(
        _ request: some HTTPRequestConvertible,
        as type: Value.Type,
        until lastData: String? = nil,
        options: HTTPEventOptions = HTTPEventOptions(),
        decoder: JSONDecoder? = nil
    ) -> HTTPRecordStream<Value> {
        let decoder = JSONCoders.decoder(decoder, core.configuration.settings.coders)
        return decodedEvents(request.httpRequest, until: lastData, options) { bytes in
            try decoder.decode(Value.self, from: Data(bytes))
        }
    }
}
#endif

#if Foundation
public import FoundationEssentials
internal import Wire

extension HTTPStreamedResponse {
    /// Returns the JSON values of the body, such as those of NDJSON, each decoded as a value.
    ///
    ///     for try await user in response.jsonRecords(User.self) { print(user.name) }
    ///
    /// The values are decoded as they arrive, so a body without end can be read too. With an iterator, a loop
    /// can skip values that do not match the type:
    ///
    ///     var users = response.jsonRecords(User.self).makeAsyncIterator()
    ///     let first = try? await users.next()
    ///
    /// - Parameters:
    ///   - type: the type of each value.
    ///   - format: the way in which the body contains several values. Default nil: a JSON text sequence if
    ///     Content-Type is `application/json-seq`, otherwise a value in each line.
    ///   - maxLength: the maximum number of bytes in a value. Default 10 MiB, as for
    ///     ``HTTPBodyStream/collect(upTo:)``. A longer value throws `.recordFailed(.lineTooLong)` or
    ///     `.recordFailed(.recordTooLong)`.
    ///   - decoder: the decoder. Default nil: that of the client that received the response
    ///     (``HTTPClientSettings/jsonDecoder``).
    /// - Returns: a stream of values. Call this function once for a response. A value that cannot be decoded
    ///   throws `.decodingFailed` with the number of the value, counted from 1; ``HTTPError/partialBody`` is
    ///   its bytes. The values after it can still be read.
    @_disfavoredOverload
    public func jsonRecords<Record: Decodable & Sendable>(
        _ type: Record.Type = Record.self,
        format: HTTPJSON.RecordFormat? = nil,
        maxLength: Int = 10 << 20,
        decoder: JSONDecoder? = nil
    ) -> HTTPRecordStream<Record> {
        let decoder = JSONCoders.decoder(decoder, bodySource.coders)
        return jsonRecords(format, maxLength) { bytes in
            try decoder.decode(Record.self, from: Data(bytes))
        }
    }
}
#endif

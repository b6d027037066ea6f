public import Wire

extension HTTPStreamedResponse {
    /// Returns the lines of the body as text.
    ///
    ///     for try await line in response.lines() { print(line) }
    ///
    /// A line ends with LF or CRLF, which are not part of it. A CR without LF after it is part of its line.
    /// The last line needs no end. A byte order mark at the start of the body is removed.
    ///
    /// The charset is that of Content-Type, or UTF-8 if it has none. Lines in UTF-16 are not supported:
    /// reading them throws `.undecodableText(.unknownCharset)`.
    ///
    /// - Parameters:
    ///   - maxLength: the maximum number of bytes in a line. Default 10 MiB, as for
    ///     ``HTTPBodyStream/collect(upTo:)``. A longer line throws `.recordFailed(.lineTooLong)`.
    ///   - malformedText: the action for bytes that are not valid in the charset. Default `.replace`, so
    ///     that one invalid byte does not end a long stream. An unknown charset is then read as UTF-8.
    /// - Returns: a stream of lines. Call this function once for a response: the stream keeps the bytes
    ///   that it has received but not returned.
    public func lines(
        maxLength: Int = 10 << 20,
        malformedText: HTTPCharset.MalformedTextAction = .replace
    ) -> HTTPRecordStream<String> {
        let charset = contentType?.charset
        return records(TextLineParser(charset: charset, malformedText, maxLength: maxLength))
    }

    /// Returns the JSON values of the body, such as those of NDJSON, with any shape.
    ///
    ///     for try await entry in response.jsonRecords() { print(entry["name"].string ?? "") }
    ///
    /// With the trait Foundation, ``jsonRecords(_:format:maxLength:decoder:)`` decodes them as another type.
    ///
    /// - Parameters:
    ///   - type: the type, usually inferred.
    ///   - format: the way in which the body contains several values. Default nil: a JSON text sequence if
    ///     Content-Type is `application/json-seq`, otherwise a value in each line.
    ///   - maxLength: the maximum number of bytes in a value. Default 10 MiB, as for
    ///     ``HTTPBodyStream/collect(upTo:)``. A longer value throws `.recordFailed(.lineTooLong)` or
    ///     `.recordFailed(.recordTooLong)`.
    /// - Returns: a stream of values. Call this function once for a response. A value that is not valid
    ///   JSON throws `.decodingFailed` with the number of the value, counted from 1; ``HTTPError/partialBody``
    ///   is its bytes. The values after it can still be read.
    public func jsonRecords(
        _ type: HTTPJSON.Type = HTTPJSON.self,
        format: HTTPJSON.RecordFormat? = nil,
        maxLength: Int = 10 << 20
    ) -> HTTPRecordStream<HTTPJSON> {
        jsonRecords(format, maxLength) { try HTTPJSON(reading: $0) }
    }

    /// Returns the JSON values of the body, decoded by a closure.
    func jsonRecords<Record: Sendable>(
        _ format: HTTPJSON.RecordFormat?,
        _ maxLength: Int,
        decode: @escaping @Sendable ([UInt8]) throws -> Record
    ) -> HTTPRecordStream<Record> {
        let format = format ?? HTTPJSON.RecordFormat(contentType)
        return records(JSONRecordParser(format, maxLength: maxLength, decode: decode))
    }

    /// Returns the events of the body (Server-Sent Events, WHATWG HTML §9.2).
    ///
    ///     for try await event in response.events() { print(event.type, event.data) }
    ///
    /// The stream ends with the body. An event that is incomplete then is discarded, as the standard
    /// requires. Bytes that are not valid UTF-8 become U+FFFD.
    ///
    /// - Parameter maxLength: the maximum number of bytes in the data of an event, and in each of its
    ///   lines. Default 10 MiB, as for ``HTTPBodyStream/collect(upTo:)``. A longer event throws
    ///   `.recordFailed(.eventTooLong)`.
    /// - Returns: a stream of events. Call this function once for a response.
    public func events(maxLength: Int = 10 << 20) -> HTTPRecordStream<HTTPServerSentEvent> {
        records(EventParser(maxLength: maxLength))
    }

    /// Returns the records that a parser finds in the body.
    func records<Parser: RecordParser>(_ parser: Parser) -> HTTPRecordStream<Parser.Record> {
        HTTPRecordStream(RecordReader(BodyRecordSource(bodySource, parser)))
    }
}

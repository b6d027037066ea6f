public import Wire

extension HTTPClient {
    /// Reads server-sent events, and reconnects when the connection ends (WHATWG HTML §9.2).
    ///
    ///     for try await event in client.events("https://example.com/prices") {
    ///         print(event.type, event.data)
    ///     }
    ///
    /// The request is sent when the first event is requested. It asks for `text/event-stream`, with the
    /// client's policies: cookies, authentication, redirects, retries, interceptors and timeouts. The
    /// response must have status 200 and the media type `text/event-stream`. With status 204 the server ends
    /// the stream.
    ///
    /// A GET or another safe method is repeated when the server ends the response, when the connection is
    /// lost, and when the server is silent for ``HTTPTimeouts/readIdle``. The request then has the ID of the
    /// last event in Last-Event-ID, so that the server can continue after it. The delay before is that of the
    /// server (`retry`) or of ``HTTPEventOptions``. A failure of the first request is thrown at once; its
    /// retries are those of the client. ``HTTPTimeouts/total`` limits the whole stream, with all its requests and
    /// the delays between them.
    ///
    /// A POST or another method that is not safe is never repeated, because it could have its effect twice. Its stream
    /// ends with the response.
    ///
    /// - Parameters:
    ///   - request: the request, usually a GET. A URL is sent as a GET.
    ///   - options: the limits and delays of reconnects. Default: 10 reconnects in a row.
    /// - Returns: a stream of events. When the last reference to it is gone, the connection is closed.
    ///   Reading throws the errors of ``stream(_:)`` and of reading a body. It also throws `.rejectedStatus`,
    ///   and `.recordFailed` with ``HTTPRecordError/notEventStream(contentType:)``,
    ///   ``HTTPRecordError/eventTooLong(limit:)``, ``HTTPRecordError/tooManyReconnects(limit:)`` or
    ///   ``HTTPRecordError/unsendableEventID``. Each of them ends the stream.
    public func events(
        _ request: some HTTPRequestConvertible,
        options: HTTPEventOptions = HTTPEventOptions()
    ) -> HTTPRecordStream<HTTPServerSentEvent> {
        eventStream(core, request, options)
    }

    /// Reads server-sent events whose data is JSON; see ``events(_:options:)``.
    ///
    ///     for try await chunk in client.events(chat, as: HTTPJSON.self, until: "[DONE]") {
    ///         print(chunk["delta"]["text"].string ?? "", terminator: "")
    ///     }
    ///
    /// With the trait Foundation, ``events(_:as:until:options:decoder:)`` decodes another type.
    ///
    /// - Parameters:
    ///   - request: the request. A URL is sent as a GET.
    ///   - type: the type.
    ///   - lastData: the data of the event that ends the stream, which is not decoded. Default nil: the server ends
    ///     the stream.
    ///   - options: the limits and delays of reconnects. Default: 10 reconnects in a row.
    /// - Returns: a stream of values. Reading throws the errors of ``events(_:options:)``. It also throws
    ///   `.decodingFailed` for data that is not JSON, with the number of the event, counted from 1;
    ///   ``HTTPError/partialBody`` is the data. The values after it can still be read.
    public func events(
        _ request: some HTTPRequestConvertible,
        as type: HTTPJSON.Type,
        until lastData: String? = nil,
        options: HTTPEventOptions = HTTPEventOptions()
    ) -> HTTPRecordStream<HTTPJSON> {
        decodedEvents(request.httpRequest, until: lastData, options) { try HTTPJSON(reading: $0) }
    }

    func decodedEvents<Value: Sendable>(
        _ request: HTTPRequest,
        until lastData: String?,
        _ options: HTTPEventOptions,
        decode: @escaping @Sendable ([UInt8]) throws -> Value
    ) -> HTTPRecordStream<Value> {
        let events = ReconnectingEventSource(core, request, options)
        let values = DecodedEventSource(events, until: lastData, decode: decode)
        return HTTPRecordStream(RecordReader(values))
    }
}

extension HTTPClient.Blocking {
    /// Reads server-sent events, and reconnects when the connection ends; see
    /// ``HTTPClient/events(_:options:)``.
    ///
    ///     let events = client.blocking.events("https://example.com/prices")
    ///     while let event = try events.next() { print(event.type, event.data) }
    ///
    /// - Parameters:
    ///   - request: the request, usually a GET. A URL is sent as a GET.
    ///   - options: the limits and delays of reconnects. Default: 10 reconnects in a row.
    /// - Returns: a stream of events, which blocks the calling thread.
    public func events(
        _ request: some HTTPRequestConvertible,
        options: HTTPEventOptions = HTTPEventOptions()
    ) -> HTTPRecordStream<HTTPServerSentEvent>.Blocking {
        eventStream(core, request, options).blocking
    }
}

private func eventStream(
    _ core: ClientCore,
    _ request: some HTTPRequestConvertible,
    _ options: HTTPEventOptions
) -> HTTPRecordStream<HTTPServerSentEvent> {
    HTTPRecordStream(RecordReader(ReconnectingEventSource(core, request.httpRequest, options)))
}

internal import Wire

/// The values in the data of events; it ends at an event with a certain text.
final class DecodedEventSource<Value: Sendable>: RecordSource, @unchecked Sendable {
    // `@unchecked Sendable`: only an admitted read uses the variables.
    private let events: any RecordSource<HTTPServerSentEvent>
    private let lastData: String?
    private let decode: @Sendable ([UInt8]) throws -> Value
    /// The events that are not decoded yet, the next one last.
    private var pending: [HTTPServerSentEvent] = []
    private var failure: HTTPError?
    private var isAtEnd = false
    /// The number of decoded events.
    private var count = 0

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - events: what finds the events; nothing else may use it.
    ///   - lastData: the data of the event that ends the stream; nil if only the server ends it.
    ///   - decode: decodes the data of an event.
    init(
        _ events: any RecordSource<HTTPServerSentEvent>,
        until lastData: String?,
        decode: @escaping @Sendable ([UInt8]) throws -> Value
    ) {
        self.events = events
        self.lastData = lastData
        self.decode = decode
    }

    var engine: Engine { events.engine }
    var request: (method: HTTPMethod, url: String) { events.request }

    func parse(into batch: inout [Value]) throws(HTTPError) {
        if pending.isEmpty, !isAtEnd, failure == nil {
            do throws(HTTPError) {
                try events.parse(into: &pending)
            } catch {
                failure = error
            }
        }
        defer { batch.reverse() }
        while let event = pending.popLast() {
            if event.data == lastData {
                end()
                return
            }
            batch.append(try value(of: event))
        }
        if let failure = failure.take() { throw failure }
    }

    func fill() async throws(HTTPError) -> Bool {
        if isAtEnd { return false }
        return try await events.fill()
    }

    func cancel() { events.cancel() }

    private func end() {
        isAtEnd = true
        pending = []
        failure = nil
        events.finish()
    }

    private func value(of event: HTTPServerSentEvent) throws(HTTPError) -> Value {
        count += 1
        let data = Array(event.data.utf8)
        do {
            return try decode(data)
        } catch {
            let reason = DecodingErrorDescription.reason(
                error,
                in: data,
                absence: "the event has no data"
            )
            throw HTTPError(
                .decodingFailed(reason: "event \(count): \(reason)"),
                phase: .decoding,
                request: HTTPError.summary(request.method, request.url),
                partialBody: data,
                underlying: error
            )
        }
    }
}

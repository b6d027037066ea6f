internal import HTTPClient

// Bodies that are written as lines or events.
extension Transfer {
    /// Writes the lines of a body, each as soon as it is complete.
    mutating func writeLines(_ response: HTTPStreamedResponse) async throws(FetchError) {
        try await write(response.lines()) { $0 }
        record.update(from: response.metrics)
    }

    /// Sends a request for events, and writes the data of each event on a line.
    mutating func writeEvents(of request: HTTPRequest) async throws(FetchError) {
        var request = request
        // A client of events asks for their type. curl's default is only meant for other bodies.
        if request.headers[.accept] == "*/*" { request.headers[.accept] = "text/event-stream" }
        try await write(client.events(request)) { $0.data }
        try destination.finish()
    }

    /// Writes each record as text with a line end.
    private mutating func write<Record: Sendable>(
        _ stream: HTTPRecordStream<Record>,
        _ text: (Record) -> String
    ) async throws(FetchError) {
        var records = stream.makeAsyncIterator()
        while true {
            let record: Record?
            do throws(HTTPError) {
                record = try await records.next()
            } catch {
                throw failure(error)
            }
            guard let record else { return }
            let line = Array(text(record).utf8) + [0x0A]
            self.record.downloadedBytes += line.count
            if let maximum = settings.maxFileSize, self.record.downloadedBytes > maximum {
                throw FetchError(.tooLarge, "Maximum file size exceeded")
            }
            try destination.write(line)
        }
    }
}

internal import SocketTransport

/// Sending of responses; this code runs on the loop, except the closures of streamed bodies.
extension ServedConnection {
    nonisolated(nonsending) func send(
        _ response: HTTPTestServer.Response,
        to request: RequestHead
    ) async throws(TransportError) -> ConnectionDisposition {
        switch response.content {
        case .bytes(let bytes):
            return try await send(response, to: request, bytes, sent: bytes.count)
        case .truncated(let bytes, let sent):
            return try await send(response, to: request, bytes, sent: sent)
        case .stream(let body):
            return try await sendStream(response, to: request, body)
        case .raw(let bytes):
            try await write(bytes)
            return .close
        case .closedAbruptly(let bytes, let plaintext):
            try await write(bytes)
            if !plaintext.isEmpty { _ = try socket.send(plaintext.span) }
            socket.close()
            throw .cancelled
        case .close:
            return .close
        case .reset:
            socket.closeWithReset()
            throw .cancelled
        case .stall:
            let end = deadline(Self.stallTimeout)
            while try await fill(until: end) { input.consume(input.count) }
            return .close
        }
    }

    private nonisolated(nonsending) func send(
        _ response: HTTPTestServer.Response,
        to request: RequestHead,
        _ bytes: [UInt8],
        sent: Int
    ) async throws(TransportError) -> ConnectionDisposition {
        var head = ResponseHead(status: response.status, headers: response.headers)
        let hasBody = head.canHaveBody(to: request.method)
        let isFramedByUser = head.isFramed
        if !isFramedByUser, head.canHaveContentLength {
            head.headers.append(.contentLength, "\(bytes.count)")
        }
        var isKept = decidePersistence(&head, request, .length(bytes.count))
        // After a wrong length the client can no longer find the next response; the same is true of
        // a truncated body.
        if isFramedByUser, (try? BodyFraming.contentLength(head.headers)) != bytes.count {
            isKept = false
        }
        if sent < bytes.count { isKept = false }
        var output: [UInt8] = []
        do {
            try ResponseHeadEncoder.encode(head, into: &output)
        } catch {
            return try await sendServerError(error)
        }
        if hasBody { output += bytes[..<sent] }
        try await write(output)
        return isKept ? .keepAlive : .close
    }

    private nonisolated(nonsending) func sendStream(
        _ response: HTTPTestServer.Response,
        to request: RequestHead,
        _ body: @escaping @concurrent @Sendable (HTTPTestServer.BodyWriter) async throws -> Void
    ) async throws(TransportError) -> ConnectionDisposition {
        var head = ResponseHead(status: response.status, headers: response.headers)
        if !head.isFramed, request.version >= .http11, head.canHaveContentLength {
            head.headers.append(.transferEncoding, "chunked")
        }
        usesChunkedCoding = head.headers.containsToken("chunked", in: .transferEncoding)
        let isKept = decidePersistence(&head, request, usesChunkedCoding ? .chunked : .untilClose)
        var output: [UInt8] = []
        do {
            try ResponseHeadEncoder.encode(head, into: &output)
        } catch {
            return try await sendServerError(error)
        }
        try await write(output)
        guard head.canHaveBody(to: request.method) else { return isKept ? .keepAlive : .close }
        let (connection, loop) = (LoopBound(self, on: service.loop), service.loop)
        let writer = HTTPTestServer.BodyWriter { bytes in
            await withTaskExecutorPreference(loop) {
                await Self.sendPiece(bytes, on: connection, loop)
            }
        }
        let isComplete = await withTaskExecutorPreference(globalConcurrentExecutor) {
            await Self.write(body, to: writer)
        }
        guard isComplete, service.loop.isCurrent else { return .close }
        if usesChunkedCoding { try await write(Array("0\r\n\r\n".utf8)) }
        return isKept ? .keepAlive : .close
    }

    /// Calls the user's closure to write the body; returns false if it threw.
    ///
    /// Concurrent, because only such a function follows a task's executor preference.
    @concurrent private static func write(
        _ body: @concurrent @Sendable (HTTPTestServer.BodyWriter) async throws -> Void,
        to writer: HTTPTestServer.BodyWriter
    ) async -> Bool {
        do {
            try await body(writer)
            return true
        } catch {
            return false
        }
    }

    /// Sends one piece of a streamed body; returns false if the connection is lost.
    @concurrent static func sendPiece(
        _ bytes: [UInt8],
        on connection: LoopBound<ServedConnection>,
        _ loop: EventLoop
    ) async -> Bool {
        // A stopped server has no thread, so this code may run on another one, and all sockets are
        // closed.
        guard loop.isCurrent else { return false }
        guard !bytes.isEmpty else { return true }
        do throws(TransportError) {
            try await connection.value.writePiece(bytes)
            return true
        } catch {
            return false
        }
    }

    private nonisolated(nonsending) func writePiece(
        _ bytes: [UInt8]
    ) async throws(TransportError) {
        guard usesChunkedCoding else {
            try await write(bytes)
            return
        }
        var output: [UInt8] = []
        ChunkedEncoder.encode(bytes.span, into: &output)
        try await write(output)
    }

    /// Decides whether the connection stays open, and adds `Connection: close` if it does not.
    private func decidePersistence(
        _ head: inout ResponseHead,
        _ request: RequestHead,
        _ framing: BodyFraming
    ) -> Bool {
        let reason = ConnectionPersistence.closeReason(
            request: request,
            response: head,
            framing: framing
        )
        guard reason == nil else {
            if !head.headers.contains(.connection) { head.headers.append(.connection, "close") }
            return false
        }
        if request.version < .http11 { head.headers.append(.connection, "keep-alive") }
        return true
    }

    /// Sends an error with the reason why the user's response is invalid.
    private nonisolated(nonsending) func sendServerError(
        _ error: WireError
    ) async throws(TransportError) -> ConnectionDisposition {
        let text = "the response cannot be sent: \(error)\n"
        var output: [UInt8] = []
        try? ResponseHeadEncoder.encode(.internalServerError, into: &output) { fields in
            fields.append(.contentLength, text.utf8.count)
            fields.append(.connection, "close")
        }
        try await write(output + text.utf8)
        return .close
    }

    /// Sends all of `bytes`; each wait without progress has a timeout.
    nonisolated(nonsending) func write(_ bytes: [UInt8]) async throws(TransportError) {
        var sent = 0
        while sent < bytes.count {
            let taken = try stream.send(bytes.span.extracting(sent..<bytes.count))
            sent += taken
            if taken == 0 {
                try await stream.wait(for: .writable, until: deadline(Self.ioTimeout))
            }
        }
        while try !stream.flush() {
            try await stream.wait(for: .writable, until: deadline(Self.ioTimeout))
        }
    }
}

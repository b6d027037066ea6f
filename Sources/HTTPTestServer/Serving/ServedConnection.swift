internal import SocketTransport

/// A connection that is served one request after the other; loop-confined.
///
/// Receiving is in `ServedConnection+Receiving`, sending in `ServedConnection+Sending`.
final class ServedConnection {
    let number: Int
    let service: Service
    let socket: SocketStream
    let tlsStream: TLSStream?
    let stream: any ByteStream

    /// The received bytes that were not processed yet; heads are copied, because the log keeps them.
    var input = InputBuffer(fields: 0)
    /// Whether the current streamed body uses chunked transfer coding.
    var usesChunkedCoding = false

    init(_ socket: SocketStream, number: Int, service: Service) {
        self.number = number
        self.service = service
        self.socket = socket
        var tlsStream: TLSStream?
        if let context = service.security {
            // Fails only if memory is exhausted; without an engine the connection is closed at
            // once.
            tlsStream = (try? TLSEngine(context: context, role: .server)).map {
                TLSStream(engine: $0, over: socket)
            }
            if tlsStream == nil { socket.close() }
        }
        self.tlsStream = tlsStream
        stream = tlsStream ?? socket
    }

    /// The state of the connection after an exchange.
    enum ConnectionDisposition {
        case keepAlive
        /// Close it; the request was read completely.
        case close
        /// Close it, although the client may still be sending.
        case rejected
    }

    nonisolated(nonsending) func serve() async {
        do throws(TransportError) {
            try await tlsStream?.handshake(until: deadline(Self.ioTimeout))
            var disposition = ConnectionDisposition.keepAlive
            while disposition == .keepAlive { disposition = try await exchange() }
            try await linger(after: disposition)
        } catch {
            // The client is gone or too slow, or the server stops: no response can be sent.
        }
        // After a stop this code may run on another thread, and the socket is already closed.
        if service.loop.isCurrent { stream.close() }
    }

    private nonisolated(nonsending) func exchange() async throws(TransportError)
        -> ConnectionDisposition
    {
        switch try await receive() {
        case .endOfStream:
            return .close
        case .rejected(let status, let reason):
            var refusal = HTTPTestServer.Response.text("\(reason)\n", status: status)
            refusal.headers[.connection] = "close"
            _ = try await send(refusal, to: RequestHead(method: .get, target: .asterisk))
            return .rejected
        case .request(let request, let head):
            let response = await answer(request)
            guard service.loop.isCurrent else { return .close }
            return try await send(response, to: head)
        }
    }

    /// Calls the user's handler, off the loop, because it may take long.
    private nonisolated(nonsending) func answer(
        _ request: HTTPTestServer.Request
    ) async -> HTTPTestServer.Response {
        var request = request
        let handler = service.handler(for: &request)
        let received = request
        service.record(received)
        return await withTaskExecutorPreference(globalConcurrentExecutor) {
            await Self.invoke(handler, received)
        }
    }

    /// Concurrent, because only such a function follows a task's executor preference.
    @concurrent private static func invoke(
        _ handler: HTTPTestServer.Handler,
        _ request: HTTPTestServer.Request
    ) async -> HTTPTestServer.Response {
        do {
            let response = try await handler(request)
            if response.delay > .zero { try await Task.sleep(for: response.delay) }
            return response
        } catch {
            return .text("\(error)\n", status: .internalServerError)
        }
    }

    /// Waits up to one second for the client to close.
    ///
    /// A close while the client still sends would reset the connection, and the client might lose
    /// the response (RFC 9112 §9.6).
    private nonisolated(nonsending) func linger(
        after disposition: ConnectionDisposition
    ) async throws(TransportError) {
        if tlsStream == nil {
            socket.closeWrite()
        } else if disposition != .rejected {
            return
        }
        let end = deadline(.seconds(1))
        while try await fill(until: end) { input.consume(input.count) }
    }

    func deadline(_ duration: Duration) -> Deadline {
        .now().advanced(by: duration)
    }

    /// The timeout for a handshake, a head, and each read or write that makes progress.
    ///
    /// It is far above what loopback needs, and below the timeout of a test.
    static let ioTimeout = Duration.seconds(30)
    /// The timeout for the next request.
    ///
    /// It is longer than the 30 s after which HTTPClient closes idle connections.
    static let idleTimeout = Duration.seconds(60)
    /// The time that the server waits for a client to leave a stalled response.
    static let stallTimeout = Duration.seconds(600)
    /// The maximum size of a request body in bytes.
    static let maxBodyBytes = 64 << 20
}

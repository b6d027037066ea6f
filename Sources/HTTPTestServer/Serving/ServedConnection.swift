internal import SocketTransport

/// Serves one connection, request after request; loop-confined.
///
/// Receiving is in `ServedConnection+Receiving`, sending in `ServedConnection+Sending`.
final class ServedConnection {
    let number: Int
    let service: Service
    let socket: SocketStream
    let tlsStream: TLSStream?
    let stream: any ByteStream

    var input = ReceivedBytes()
    var headDecoder = RequestHeadDecoder()
    /// Frames the streamed body under way; nil when it is sent as it is.
    var usesChunkedCoding = false

    init(_ socket: SocketStream, number: Int, service: Service) {
        self.number = number
        self.service = service
        self.socket = socket
        var tlsStream: TLSStream?
        if let context = service.security {
            // Fails when memory does; without an engine the connection is closed at once.
            tlsStream = (try? TLSEngine(context: context, role: .server)).map {
                TLSStream(engine: $0, over: socket)
            }
            if tlsStream == nil { socket.close() }
        }
        self.tlsStream = tlsStream
        stream = tlsStream ?? socket
    }

    /// What is to become of the connection after an exchange.
    enum ConnectionDisposition {
        case keepAlive
        /// Closed; the request was read to its end.
        case close
        /// Closed, although the client may still be sending.
        case rejected
    }

    nonisolated(nonsending) func serve() async {
        do throws(TransportError) {
            try await tlsStream?.handshake(until: deadline(Self.ioTimeout))
            var disposition = ConnectionDisposition.keepAlive
            while disposition == .keepAlive { disposition = try await exchange() }
            try await linger(after: disposition)
        } catch {
            // The client is gone or too slow, or the server stops: there is nobody to tell.
        }
        // After the server has stopped, this may be another thread, and the socket is closed.
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

    /// Asks the user's code, off the loop: it may take its time.
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

    /// Waits a moment for the client to close: closing while it still sends would reset the
    /// connection, and it might lose the response (RFC 9112 §9.6).
    private nonisolated(nonsending) func linger(
        after disposition: ConnectionDisposition
    ) async throws(TransportError) {
        if tlsStream == nil {
            socket.closeWrite()
        } else if disposition != .rejected {
            return
        }
        let end = deadline(.seconds(1))
        while try await fill(until: end) { input.bytes.removeAll() }
    }

    func deadline(_ duration: Duration) -> Deadline {
        .now().advanced(by: duration)
    }

    /// For a handshake, a head, and each read or write that makes progress: far above what
    /// loopback needs, below the time-out of a test.
    static let ioTimeout = Duration.seconds(30)
    /// For the next request; above the 30 s after which our client closes idle connections.
    static let idleTimeout = Duration.seconds(60)
    /// For a client to leave a server that never answers.
    static let stallTimeout = Duration.seconds(600)
    /// Bytes of a request's body.
    static let maxBodyBytes = 64 << 20
}

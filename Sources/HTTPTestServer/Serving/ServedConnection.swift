internal import SocketTransport

/// Serves one connection, request after request; loop-confined.
///
/// Receiving is in `ServedConnection+Receiving`, sending in `ServedConnection+Sending`.
final class ServedConnection {
    let number: Int
    let service: Service
    let socket: SocketStream
    let secured: TLSStream?
    let stream: any ByteStream

    var input = ReceivedOctets()
    var heads = RequestHeadDecoder()
    /// Frames the streamed body under way; nil when it is sent as it is.
    var isChunking = false

    init(_ socket: SocketStream, number: Int, service: Service) {
        self.number = number
        self.service = service
        self.socket = socket
        var secured: TLSStream?
        if let context = service.security {
            // Fails when memory does; without an engine the connection is closed at once.
            secured = (try? TLSEngine(context: context, role: .server)).map {
                TLSStream(engine: $0, over: socket)
            }
            if secured == nil { socket.close() }
        }
        self.secured = secured
        stream = secured ?? socket
    }

    /// What is to become of the connection after an exchange.
    enum Fate {
        case kept
        /// Closed; the request was read to its end.
        case closed
        /// Closed, although the client may still be sending.
        case refused
    }

    nonisolated(nonsending) func serve() async {
        do throws(TransportError) {
            try await secured?.handshake(until: deadline(Self.patience))
            var fate = Fate.kept
            while fate == .kept { fate = try await exchange() }
            try await linger(after: fate)
        } catch {
            // The client is gone or too slow, or the server stops: there is nobody to tell.
        }
        // After the server has stopped, this may be another thread, and the socket is closed.
        if service.loop.isCurrent { stream.close() }
    }

    private nonisolated(nonsending) func exchange() async throws(TransportError) -> Fate {
        switch try await receive() {
        case .ended:
            return .closed
        case .refused(let status, let reason):
            var refusal = HTTPTestServer.Response.text("\(reason)\n", status: status)
            refusal.headers[.connection] = "close"
            _ = try await send(refusal, to: RequestHead(method: .get, target: .asterisk))
            return .refused
        case .request(let request, let head):
            let response = await answer(request)
            guard service.loop.isCurrent else { return .closed }
            return try await send(response, to: head)
        }
    }

    /// Asks the user's code, off the loop: it may take its time.
    private nonisolated(nonsending) func answer(
        _ request: HTTPTestServer.Request
    ) async -> HTTPTestServer.Response {
        var request = request
        let answer = service.answer(to: &request)
        let asked = request
        service.record(asked)
        return await withTaskExecutorPreference(globalConcurrentExecutor) {
            await Self.ask(answer, asked)
        }
    }

    /// Concurrent, because only such a function follows a task's executor preference.
    @concurrent private static func ask(
        _ answer: HTTPTestServer.Answer,
        _ request: HTTPTestServer.Request
    ) async -> HTTPTestServer.Response {
        do {
            let response = try await answer(request)
            if response.delay > .zero { try await Task.sleep(for: response.delay) }
            return response
        } catch {
            return .text("\(error)\n", status: .internalServerError)
        }
    }

    /// Waits a moment for the client to close: closing while it still sends would reset the
    /// connection, and it might lose the response (RFC 9112 §9.6).
    private nonisolated(nonsending) func linger(after fate: Fate) async throws(TransportError) {
        if secured == nil {
            socket.endSending()
        } else if fate != .refused {
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
    static let patience = Duration.seconds(30)
    /// For the next request; above the 30 s after which our client closes idle connections.
    static let idlePatience = Duration.seconds(60)
    /// For a client to leave a server that never answers.
    static let stallPatience = Duration.seconds(600)
    /// Octets of a request's body.
    static let bodyMaximum = 64 << 20
}

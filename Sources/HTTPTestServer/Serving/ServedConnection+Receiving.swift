internal import SocketTransport

/// Receiving of requests; all of this code runs on the loop.
extension ServedConnection {
    /// The outcome of a wait for a request.
    enum Received {
        case request(HTTPTestServer.Request, RequestHead)
        /// The client violated the protocol or a limit.
        case rejected(HTTPStatus, String)
        /// The client closed the connection, between two requests or within one.
        case endOfStream
    }

    nonisolated(nonsending) func receive() async throws(TransportError) -> Received {
        var exchange = ServerExchange(limits: Self.limits)
        var end = deadline(Self.idleTimeout)
        var head: RequestHead?
        var isInsideHead = false
        var body: [UInt8] = []
        while true {
            let event: RequestEvent
            do {
                event = try exchange.receive(from: &input, appendingBodyTo: &body)
            } catch {
                return .rejected(error.responseStatus ?? .badRequest, "\(error)")
            }
            switch event {
            case .head(let received, _):
                head = received
                var interim: [UInt8] = []
                exchange.sendContinue(into: &interim)
                try await write(interim)
            case .needMore, .body:
                if head != nil || !isInsideHead && !input.isEmpty {
                    isInsideHead = true
                    end = deadline(Self.ioTimeout)
                }
                guard try await fill(until: end) else { return .endOfStream }
            case .end(let trailers):
                guard let head else { preconditionFailure("a request ends after its head") }
                let request = HTTPTestServer.Request(
                    method: head.method,
                    target: head.target.text,
                    headers: head.headers,
                    body: body,
                    trailers: trailers,
                    connection: number
                )
                return .request(request, head)
            }
        }
    }

    private static let limits = {
        var limits = WireLimits()
        limits.requestLineBytes = limits.headBytes
        limits.requestBodyBytes = maxBodyBytes
        return limits
    }()

    /// Waits for bytes and appends them to `input`.
    ///
    /// - Returns: false at the end of the stream.
    nonisolated(nonsending) func fill(until end: Deadline) async throws(TransportError) -> Bool {
        while true {
            var outcome = ReceiveOutcome.wouldBlock
            try input.fill(atMost: 16 << 10) { output throws(TransportError) in
                outcome = try stream.receive(appendingTo: &output)
            }
            switch outcome {
            case .bytes:
                return true
            case .wouldBlock:
                try await stream.wait(for: .readable, until: end)
            case .end, .truncated:
                return false
            }
        }
    }
}

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
            let step: RequestStep
            do {
                step = try exchange.receive(input.bytes.span)
            } catch {
                return rejection(error)
            }
            if case .body(let range) = step.event { body += input.bytes[range] }
            input.bytes.removeFirst(step.consumed)
            switch step.event {
            case .head(let received, _):
                head = received
                var interim: [UInt8] = []
                exchange.sendContinue(into: &interim)
                try await write(interim)
            case .body:
                continue
            case .needMore:
                if head != nil || !isInsideHead && !input.bytes.isEmpty {
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

    private func rejection(_ error: WireError) -> Received {
        let status: HTTPStatus
        switch error {
        case .limitExceeded(.headBytes), .limitExceeded(.fieldCount),
            .limitExceeded(.requestLineBytes):
            status = .requestHeaderFieldsTooLarge
        case .limitExceeded(.requestBodyBytes): status = .contentTooLarge
        case .unknownTransferCoding: status = .notImplemented
        case .unsupportedVersion: status = .httpVersionNotSupported
        default: status = .badRequest
        }
        return .rejected(status, "\(error)")
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
            switch try input.fill(from: stream) {
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

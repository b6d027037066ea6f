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
        var end = deadline(Self.idleTimeout)
        var isInsideHead = false
        while true {
            let step: RequestHeadDecoder.Step
            do {
                step = try headDecoder.decode(input.bytes.span)
            } catch {
                return rejection(error)
            }
            if let head = step.head {
                input.bytes.removeFirst(step.consumed)
                return try await receiveBody(of: head)
            }
            if !isInsideHead, !input.bytes.isEmpty {
                isInsideHead = true
                end = deadline(Self.ioTimeout)
            }
            guard try await fill(until: end) else { return .endOfStream }
        }
    }

    private nonisolated(nonsending) func receiveBody(
        of head: RequestHead
    ) async throws(TransportError) -> Received {
        guard head.version < .http11 || head.headers.values(.host).count == 1 else {
            return .rejected(.badRequest, "a request has exactly one Host field (RFC 9112 3.2)")
        }
        let framing: BodyFraming
        do {
            framing = try BodyFraming.ofRequest(version: head.version, headers: head.headers)
        } catch {
            return rejection(error)
        }
        if case .length(let length) = framing, length > Self.maxBodyBytes {
            return tooLarge
        }
        if framing != .noBody, head.headers.containsToken("100-continue", in: .expect) {
            try await write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        var decoder = BodyDecoder(framing)
        var body: [UInt8] = []
        while true {
            let event: BodyEvent
            do {
                let step = try decoder.decode(input.bytes.span)
                event = step.event
                if case .body(let range) = event { body += input.bytes[range] }
                input.bytes.removeFirst(step.consumed)
            } catch {
                return rejection(error)
            }
            guard body.count <= Self.maxBodyBytes else { return tooLarge }
            switch event {
            case .body:
                continue
            case .needMore:
                guard try await fill(until: deadline(Self.ioTimeout)) else { return .endOfStream }
            case .end(let trailers):
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
        case .limitExceeded(.headBytes), .limitExceeded(.fieldCount):
            status = .requestHeaderFieldsTooLarge
        case .unknownTransferCoding: status = .notImplemented
        case .unsupportedVersion: status = .httpVersionNotSupported
        default: status = .badRequest
        }
        return .rejected(status, "\(error)")
    }

    private var tooLarge: Received {
        .rejected(.contentTooLarge, "a body has at most \(Self.maxBodyBytes) bytes here")
    }

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

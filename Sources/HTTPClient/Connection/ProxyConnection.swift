internal import SocketTransport
internal import Wire

/// A connection to a proxy during CONNECT or a SOCKS5 handshake.
///
/// It sends and receives bytes for a state machine.
///
/// Loop-confined. Every failure closes the socket.
final class ProxyConnection {
    /// A proxy's response to CONNECT.
    struct Reply {
        let outcome: ConnectResponseReader.Outcome
        let head: ResponseHead
        let body: [UInt8]
        /// The deviations that were accepted in the head.
        let diagnostics: [Diagnostic]
    }

    let socket: SocketStream
    private let deadline: Deadline
    private let attempt: RequestAttempt
    private var input: ReceiveBuffer

    init(_ socket: SocketStream, until deadline: Deadline, _ attempt: RequestAttempt) {
        self.socket = socket
        self.deadline = deadline
        self.attempt = attempt
        // A head of the maximum size must fit; one more byte shows that a head is too large.
        let room = min(
            max(attempt.plan.limits.headBytes, attempt.plan.limits.trailerBytes),
            .max - 1
        )
        input = ReceiveBuffer(maximum: room + 1)
    }

    /// Returns the bytes received after the proxy's response; call it once.
    func takeUnread() -> [UInt8] {
        var unread: [UInt8] = []
        input.append(0..<input.count, to: &unread)
        input.consume(unread.count)
        return unread
    }

    /// Sends CONNECT and reads the response.
    nonisolated(nonsending) func sendConnect(
        _ head: RequestHead
    ) async throws(ExchangeError) -> Reply {
        var bytes: [UInt8] = []
        do {
            try RequestHeadEncoder.encode(head, into: &bytes)
        } catch {
            socket.close()
            throw .wire(error)
        }
        return try await guarded { () async throws(ExchangeError) in
            try await send(bytes)
            return try await receive(makeAnswer(to: head))
        }
    }

    /// Performs a SOCKS5 handshake.
    nonisolated(nonsending) func perform(
        _ handshake: SOCKS5Handshake
    ) async throws(ExchangeError) {
        do throws(ExchangeError) {
            try await guarded { () async throws(ExchangeError) in try await run(handshake) }
        } catch {
            guard case .proxy(.connectionLost) = error else { throw error }
            throw .proxy(.socks(.closed))
        }
    }

    // MARK: - Helpers

    private nonisolated(nonsending) func run(
        _ handshake: SOCKS5Handshake
    ) async throws(ExchangeError) {
        var handshake = handshake
        try await send(handshake.begin())
        while true {
            switch try step(&handshake) {
            case .opened: return
            case .send(let bytes): try await send(bytes)
            case .needMore:
                guard try await fill() else { throw .proxy(.socks(.closed)) }
            }
        }
    }

    private nonisolated(nonsending) func receive(
        _ answer: consuming ConnectResponseReader
    ) async throws(ExchangeError) -> Reply {
        var answer = answer
        while true {
            var outcome = try step(&answer)
            if case .needMore = outcome {
                do throws(ExchangeError) {
                    if try await fill() { continue }
                    outcome = try end(&answer)
                } catch {
                    // The proxy has refused the tunnel, even if its response body is truncated.
                    guard answer.head != nil, !attempt.scope.isCancelled else { throw error }
                    outcome = .refused(canReuseConnection: false)
                }
            }
            guard let head = answer.head else { preconditionFailure("answers have heads") }
            return Reply(
                outcome: outcome,
                head: head,
                body: answer.body,
                diagnostics: answer.diagnostics
            )
        }
    }

    private func makeAnswer(to head: RequestHead) -> ConnectResponseReader {
        ConnectResponseReader(
            to: head,
            limits: attempt.plan.limits,
            strictness: attempt.plan.strictness
        )
    }

    private func step(
        _ answer: inout ConnectResponseReader
    ) throws(ExchangeError) -> ConnectResponseReader.Outcome {
        do {
            let step = try input.withBytes { bytes throws(WireError) in try answer.receive(bytes) }
            input.consume(step.consumed)
            return step.outcome
        } catch {
            input.withBytes { attempt.recordRejection(error, of: $0, at: attempt.plan.strictness) }
            throw .proxy(.malformedResponse(error))
        }
    }

    private func end(
        _ answer: inout ConnectResponseReader
    ) throws(ExchangeError) -> ConnectResponseReader.Outcome {
        do throws(WireError) {
            return try answer.receiveEndOfStream()
        } catch {
            throw .proxy(.malformedResponse(error))
        }
    }

    private func step(
        _ handshake: inout SOCKS5Handshake
    ) throws(ExchangeError) -> SOCKS5Handshake.Event {
        do {
            let step = try input.withBytes { bytes throws(HTTPError.SOCKS5Error) in
                try handshake.receive(bytes)
            }
            input.consume(step.consumed)
            return step.event
        } catch {
            throw .proxy(.socks(error))
        }
    }

    private nonisolated(nonsending) func send(_ bytes: [UInt8]) async throws(ExchangeError) {
        do throws(TransportError) {
            var offset = 0
            while true {
                guard deadline == .never || .now() < deadline else {
                    throw TransportError.timedOut(.write)
                }
                offset += try socket.send(bytes.span.extracting(offset...))
                if offset == bytes.count { return }
                try await socket.wait(for: .writable, until: deadline)
            }
        } catch {
            throw ExchangeError(lossOfProxy: error)
        }
    }

    /// Waits for bytes; returns false at the end of stream.
    private nonisolated(nonsending) func fill() async throws(ExchangeError) -> Bool {
        do throws(TransportError) {
            while true {
                // If bytes are always ready, the wait itself never reaches the deadline.
                guard deadline == .never || .now() < deadline else {
                    throw TransportError.timedOut(.read)
                }
                try await socket.wait(for: .readable, until: deadline)
                switch try input.fill(from: socket) {
                case .bytes: return true
                case .wouldBlock: continue
                case .end, .truncated: return false
                }
            }
        } catch {
            throw ExchangeError(lossOfProxy: error)
        }
    }

    /// Sets the phase, connects cancellation to the socket, and closes the socket after a failure.
    private nonisolated(nonsending) func guarded<Value>(
        _ operation: () async throws(ExchangeError) -> Value
    ) async throws(ExchangeError) -> Value {
        attempt.phase = .proxyHandshake
        do throws(TransportError) {
            try attempt.scope.enter(socket)
        } catch {
            socket.close()
            throw .transport(error)
        }
        defer { attempt.scope.leave() }
        do throws(ExchangeError) {
            return try await operation()
        } catch {
            socket.close()
            throw error
        }
    }
}

extension ExchangeError {
    /// Distinguishes a lost connection to a proxy from one to an origin.
    fileprivate init(lossOfProxy error: TransportError) {
        switch error {
        case .readFailed(let errno), .writeFailed(let errno), .closedByPeer(let errno):
            self = .proxy(.connectionLost(reason: errno.description))
        default: self = .transport(error)
        }
    }
}

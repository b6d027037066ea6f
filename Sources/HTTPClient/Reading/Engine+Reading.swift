internal import SocketTransport
internal import Wire

/// The outcome of a request to switch protocols.
enum UpgradeOutcome: Sendable {
    case stream(HTTPDuplexStream)
    case body(StreamingBody)
}

extension Engine {
    /// Runs the attempt up to the head of the final response; call on the loop.
    ///
    /// The body is read through the result.
    nonisolated(nonsending) func opened(
        _ attempt: RequestAttempt
    ) async -> Result<StreamingBody, HTTPError> {
        if attempt.scope.isCancelled { return .failure(attempt.error(HTTPError.Kind.cancelled)) }
        do throws(HTTPError) {
            let connection = try await begin(attempt)
            guard let head = attempt.received.head else {
                preconditionFailure("an attempt whose head arrived has it")
            }
            return .success(
                StreamingBody(engine: self, connection: connection, attempt: attempt, head: head)
            )
        } catch {
            return .failure(error)
        }
    }

    /// Runs an attempt that requests another protocol; call on the loop.
    ///
    /// If the server switches protocols, the connection leaves the pool.
    nonisolated(nonsending) func upgraded(
        _ attempt: RequestAttempt
    ) async -> Result<UpgradeOutcome, HTTPError> {
        let body: StreamingBody
        switch await opened(attempt) {
        case .success(let open): body = open
        case .failure(let error): return .failure(error)
        }
        guard body.head.status == .switchingProtocols else { return .success(.body(body)) }
        let connection = body.source.value.connection
        body.source.value.isFinished = true
        do throws(ExchangeError) {
            guard case .end = try connection.nextBodyPart(),
                connection.exchange.protocolSwitch != nil
            else { preconditionFailure("a 101 response without content switches protocols") }
        } catch {
            abandon(connection, attempt)
            return .failure(HTTPError(error, attempt))
        }
        let unread = detach(connection, attempt)
        let source = DuplexSource(
            socket: connection.socket,
            secured: connection.secured,
            unread: unread
        )
        return .success(.stream(HTTPDuplexStream(engine: self, source: source, attempt: attempt)))
    }

    /// Opens a tunnel for an attempt whose plan has a proxy; call on the loop.
    nonisolated(nonsending) func tunneled(
        _ attempt: RequestAttempt
    ) async -> Result<HTTPDuplexStream, HTTPError> {
        do throws(ExchangeError) {
            let proxyTunnel = try await openProxyTunnel(attempt)
            attempt.trace.metrics.peer = proxyTunnel.socket.peerAddress
            attempt.trace.metrics.local = proxyTunnel.socket.localAddress
            attempt.trace.metrics.endMark = .now()
            attempt.trace.metrics.ending = .upgraded
            let source = DuplexSource(
                socket: proxyTunnel.socket,
                secured: nil,
                unread: proxyTunnel.unread
            )
            return .success(HTTPDuplexStream(engine: self, source: source, attempt: attempt))
        } catch {
            return .failure(HTTPError(error, attempt))
        }
    }
}

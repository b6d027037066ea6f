internal import SocketTransport
internal import Wire

/// The outcome of a request to switch protocols.
enum UpgradeOutcome: Sendable {
    case stream(HTTPDuplexStream)
    case body(StreamingBody)
}

extension Engine {
    /// Runs a call that requests another protocol; call on the loop.
    ///
    /// If the server switches protocols, the connection leaves the pool.
    nonisolated(nonsending) func upgraded(
        _ attempt: Attempt
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

    /// Opens a tunnel for a call whose plan has a proxy; call on the loop.
    nonisolated(nonsending) func tunneled(
        _ attempt: Attempt
    ) async -> Result<HTTPDuplexStream, HTTPError> {
        do throws(ExchangeError) {
            let proxyTunnel = try await openProxyTunnel(attempt)
            attempt.metrics.peer = proxyTunnel.socket.peerAddress
            attempt.metrics.local = proxyTunnel.socket.localAddress
            attempt.metrics.endMark = .now()
            attempt.metrics.ending = .upgraded
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

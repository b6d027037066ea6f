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
        _ call: Attempt
    ) async -> Result<UpgradeOutcome, HTTPError> {
        let body: StreamingBody
        switch await opened(call) {
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
            abandon(connection, call)
            return .failure(HTTPError(error, call))
        }
        let unread = detach(connection, call)
        let source = DuplexSource(
            socket: connection.socket,
            secured: connection.secured,
            unread: unread
        )
        return .success(.stream(HTTPDuplexStream(engine: self, source: source, call: call)))
    }

    /// Opens a tunnel for a call whose plan has a proxy; call on the loop.
    nonisolated(nonsending) func tunneled(
        _ call: Attempt
    ) async -> Result<HTTPDuplexStream, HTTPError> {
        do throws(ExchangeError) {
            let proxyTunnel = try await openProxyTunnel(call)
            call.metrics.peer = proxyTunnel.socket.peerAddress
            call.metrics.local = proxyTunnel.socket.localAddress
            call.metrics.endMark = .now()
            call.metrics.ending = .upgraded
            let source = DuplexSource(
                socket: proxyTunnel.socket,
                secured: nil,
                unread: proxyTunnel.unread
            )
            return .success(HTTPDuplexStream(engine: self, source: source, call: call))
        } catch {
            return .failure(HTTPError(error, call))
        }
    }
}

internal import SocketTransport
internal import Wire

/// Opens connections: finds addresses, connects to one, asks a proxy for the way, and shakes hands.
///
/// Loop-confined. Each step notes its phase and its mark in the call.
final class Dialer {
    /// A connection that is ready to carry exchanges.
    struct Dialed {
        let socket: SocketStream
        /// TLS over ``socket``; nil for http.
        let secured: TLSStream?
    }

    let loop: EventLoop
    private let security: TLSContexts
    let hostResolver: HostResolver

    init(loop: EventLoop, configuration: HTTPClient.Configuration, _ hostResolver: HostResolver) {
        self.loop = loop
        security = TLSContexts(configuration.settings.security)
        self.hostResolver = hostResolver
    }

    /// Opens a connection for the call's plan.
    ///
    /// - Throws: what the step that failed throws; `phase` of the call says which.
    nonisolated(nonsending) func dial(_ call: Attempt) async throws(ExchangeError) -> Dialed {
        beginEstablishing(call)
        let dialed: Dialed
        if let proxy = call.plan.key.proxy {
            dialed = try await dial(call, through: proxy)
        } else {
            dialed = try await dialDirectly(call)
        }
        // A wait for what is ready already ends well, whatever its deadline.
        guard call.establishDeadline == .never || .now() < call.establishDeadline else {
            if let secured = dialed.secured { secured.close() } else { dialed.socket.close() }
            throw .transport(.timedOut(.connect))
        }
        call.establishDeadline = .never
        return dialed
    }

    /// Sets the bound of all steps together; a second try has what the first one left.
    func beginEstablishing(_ call: Attempt) {
        guard call.establishDeadline == .never else { return }
        call.establishDeadline = Deadline.now().advanced(
            byNanoseconds: call.plan.timeouts.establish
        )
    }

    private nonisolated(nonsending) func dialDirectly(
        _ call: Attempt
    ) async throws(ExchangeError) -> Dialed {
        let origin = call.plan.key.origin
        let socket: SocketStream
        do throws(TransportError) {
            socket = try await connect(to: origin.host, origin.port, call)
        } catch {
            throw .transport(error)
        }
        guard origin.scheme == .https else { return Dialed(socket: socket, secured: nil) }
        let secured = try await secure(socket, over: socket, call)
        return Dialed(socket: socket, secured: secured)
    }

    /// Shakes hands over `lower`, which is `socket` or lies over it.
    nonisolated(nonsending) func secure(
        _ socket: SocketStream,
        over lower: any ByteStream,
        _ call: Attempt
    ) async throws(ExchangeError) -> TLSStream {
        call.phase = .tlsHandshake
        var opened: TLSStream?
        do throws(TransportError) {
            let stream = TLSStream(
                engine: try tlsEngine(for: call.plan.key),
                over: lower,
                on: loop
            )
            opened = stream
            try call.scope.enter(stream)
            try await stream.handshake(until: call.deadline(call.plan.timeouts.tlsHandshake))
            call.scope.leave()
            call.metrics.securedMark = .now()
            return stream
        } catch {
            call.scope.leave()
            // What came of the handshake says more about its failure than the failure alone.
            if let opened { call.metrics.tls = TLSSessionInfo(opened.negotiated) }
            call.metrics.local = socket.localAddress
            socket.close()
            throw .transport(error)
        }
    }

    private func tlsEngine(for key: PoolKey) throws(TransportError) -> TLSEngine {
        do {
            let context = try security.context(for: key.security)
            return try TLSEngine(context: context, role: .client(host: key.origin.host))
        } catch {
            throw .tls(error)
        }
    }
}

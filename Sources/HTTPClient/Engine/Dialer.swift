internal import SocketTransport
internal import Wire

/// Opens connections: finds addresses, connects to one, and shakes hands.
///
/// Loop-confined. Each step notes its phase and its mark in the call.
final class Dialer {
    /// A connection that is ready to carry exchanges.
    struct Dialed {
        let socket: SocketStream
        /// TLS over ``socket``; nil for http.
        let secured: TLSStream?
    }

    private let loop: EventLoop
    private let security: TLSContexts
    private let overrides: [String: [String]]

    init(loop: EventLoop, configuration: HTTPClient.Configuration) {
        self.loop = loop
        security = TLSContexts(configuration.security)
        overrides = configuration.resolveOverrides
    }

    /// Opens a connection for the call's plan.
    ///
    /// - Throws: what the step that failed throws; `phase` of the call says which.
    nonisolated(nonsending) func dial(_ call: Call) async throws(TransportError) -> Dialed {
        let origin = call.plan.key.origin
        let socket = try await connect(to: origin, call)
        guard origin.scheme == .https else { return Dialed(socket: socket, secured: nil) }
        call.phase = .tlsHandshake
        let secured = try await secure(socket, call)
        call.metrics.securedMark = .now()
        return Dialed(socket: socket, secured: secured)
    }

    private nonisolated(nonsending) func connect(
        to origin: Origin,
        _ call: Call
    ) async throws(TransportError) -> SocketStream {
        call.phase = .resolve
        var addresses: [SocketAddress] = []
        for name in overrides["\(origin.host):\(origin.port)"] ?? [origin.host] {
            addresses += try await Resolver.shared.resolve(
                name,
                port: origin.port,
                on: loop,
                until: call.deadline(call.plan.bounds.resolve),
                in: call.scope
            )
        }
        call.metrics.resolvedMark = .now()
        call.phase = .connect
        let socket = try await Connector.connect(
            to: addresses,
            on: loop,
            until: call.deadline(call.plan.bounds.connect),
            in: call.scope
        )
        call.metrics.connectedMark = .now()
        return socket
    }

    private nonisolated(nonsending) func secure(
        _ socket: SocketStream,
        _ call: Call
    ) async throws(TransportError) -> TLSStream {
        var opened: TLSStream?
        do {
            let stream = TLSStream(
                engine: try tlsEngine(for: call.plan.key),
                over: socket,
                on: loop
            )
            opened = stream
            try call.scope.enter(stream)
            try await stream.handshake(until: call.deadline(call.plan.bounds.tlsHandshake))
            call.scope.leave()
            return stream
        } catch {
            call.scope.leave()
            // What came of the handshake says more about its failure than the failure alone.
            if let opened { call.metrics.tls = HTTPTLSFacts(opened.facts) }
            socket.close()
            throw error
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

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
    private let security: TLSConfiguration
    private let overrides: [String: [String]]
    private var context: TLSContext?

    init(loop: EventLoop, configuration: HTTPClient.Configuration) {
        self.loop = loop
        security = configuration.security.transport
        overrides = configuration.resolveOverrides
    }

    /// Opens a connection for the call's plan.
    ///
    /// - Throws: what the step that failed throws; `phase` of the call says which.
    nonisolated(nonsending) func dial(_ call: Call) async throws(ExchangeFailure) -> Dialed {
        let origin = call.plan.key.origin
        if let proxy = call.plan.key.proxy { return try await dial(call, through: proxy) }
        let socket: SocketStream
        do throws(TransportError) {
            let addresses = try await addresses(of: origin.host, port: origin.port, call)
            socket = try await connect(to: addresses, until: connectDeadline(call), call)
        } catch {
            throw .transport(error)
        }
        guard origin.scheme == .https else { return Dialed(socket: socket, secured: nil) }
        let secured = try await secure(socket, over: socket, host: origin.host, call)
        return Dialed(socket: socket, secured: secured)
    }

    // MARK: - Steps

    /// When the connection must stand that begins now; with a proxy, when it must lead through.
    func connectDeadline(_ call: Call) -> Deadline {
        call.deadline(call.plan.bounds.connect)
    }

    /// Finds the addresses of a host, or those that are to be used instead.
    nonisolated(nonsending) func addresses(
        of host: String,
        port: UInt16,
        _ call: Call
    ) async throws(TransportError) -> [SocketAddress] {
        call.phase = .resolve
        var addresses: [SocketAddress] = []
        for name in overrides["\(host):\(port)"] ?? [host] {
            addresses += try await Resolver.shared.resolve(
                name,
                port: port,
                on: loop,
                until: call.deadline(call.plan.bounds.resolve),
                in: call.scope
            )
        }
        call.metrics.resolvedMark = .now()
        return addresses
    }

    /// Opens a TCP connection to the first of the addresses that answers.
    nonisolated(nonsending) func connect(
        to addresses: [SocketAddress],
        until deadline: Deadline,
        _ call: Call
    ) async throws(TransportError) -> SocketStream {
        call.phase = .connect
        let socket = try await Connector.connect(
            to: addresses,
            on: loop,
            until: deadline,
            in: call.scope
        )
        call.metrics.connectedMark = .now()
        return socket
    }

    /// Shakes hands over `lower`, which is `socket` or lies over it.
    nonisolated(nonsending) func secure(
        _ socket: SocketStream,
        over lower: any ByteStream,
        host: String,
        _ call: Call
    ) async throws(ExchangeFailure) -> TLSStream {
        call.phase = .tlsHandshake
        do throws(TransportError) {
            let stream = TLSStream(engine: try tlsEngine(for: host), over: lower)
            try call.scope.enter(stream)
            try await stream.handshake(until: call.deadline(call.plan.bounds.tlsHandshake))
            call.scope.leave()
            call.metrics.securedMark = .now()
            return stream
        } catch {
            call.scope.leave()
            socket.close()
            throw .transport(error)
        }
    }

    private func tlsEngine(for host: String) throws(TransportError) -> TLSEngine {
        do {
            let context: TLSContext
            if let known = self.context {
                context = known
            } else {
                context = try TLSContext(client: security)
                self.context = context
            }
            return try TLSEngine(context: context, role: .client(host: host))
        } catch {
            throw .tls(error)
        }
    }
}

extension HTTPSecurity {
    /// The same, in the transport's words.
    var transport: TLSConfiguration {
        var result = TLSConfiguration()
        switch trust {
        case .system: result.trust = .system
        case .file(let path): result.trust = .file(path)
        case .pem(let text): result.trust = .certificates(pem: text)
        }
        switch verification {
        case .full: result.verification = .full
        case .acceptAnyone: result.verification = .none
        }
        return result
    }
}

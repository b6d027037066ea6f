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

    let loop: EventLoop
    private let security: TLSConfiguration
    let addressBook: AddressBook
    private var context: TLSContext?

    init(loop: EventLoop, configuration: HTTPClient.Configuration, _ addressBook: AddressBook) {
        self.loop = loop
        security = configuration.security.transport
        self.addressBook = addressBook
    }

    /// Opens a connection for the call's plan.
    ///
    /// - Throws: what the step that failed throws; `phase` of the call says which.
    nonisolated(nonsending) func dial(_ call: Call) async throws(TransportError) -> Dialed {
        let origin = call.plan.key.origin
        if call.establishDeadline == .never {
            let bound = call.plan.bounds.establish
            call.establishDeadline = Deadline.now().advanced(byNanoseconds: bound)
        }
        let socket = try await connect(to: origin.host, origin.port, call)
        guard origin.scheme == .https else {
            call.establishDeadline = .never
            return Dialed(socket: socket, secured: nil)
        }
        call.phase = .tlsHandshake
        let secured = try await secure(socket, host: origin.host, call)
        call.metrics.securedMark = .now()
        call.establishDeadline = .never
        return Dialed(socket: socket, secured: secured)
    }

    private nonisolated(nonsending) func secure(
        _ socket: SocketStream,
        host: String,
        _ call: Call
    ) async throws(TransportError) -> TLSStream {
        do {
            let stream = TLSStream(engine: try tlsEngine(for: host), over: socket)
            try call.scope.enter(stream)
            try await stream.handshake(until: call.deadline(call.plan.bounds.tlsHandshake))
            call.scope.leave()
            return stream
        } catch {
            call.scope.leave()
            socket.close()
            throw error
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

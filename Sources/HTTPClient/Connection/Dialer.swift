internal import SocketTransport
internal import Wire

/// A dialer that opens connections: name lookup, TCP connect, proxy handshake and TLS handshake.
///
/// Loop-confined. Each step records its phase and its time in the attempt.
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

    init(loop: EventLoop, configuration: HTTPClientConfiguration, _ hostResolver: HostResolver) {
        self.loop = loop
        security = TLSContexts(configuration.settings.security)
        self.hostResolver = hostResolver
    }

    /// Returns what happened to the TLS contexts since the last call.
    func takeSecurityEvents() -> [RotatingContext.Event] { security.takeEvents() }

    /// Opens a connection for the attempt's plan.
    ///
    /// - Throws: the error of the step that failed, which is the attempt's `phase`.
    nonisolated(nonsending) func dial(
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> Dialed {
        beginEstablishing(attempt)
        let dialed: Dialed
        if let proxy = attempt.plan.key.proxy {
            dialed = try await dial(attempt, through: proxy)
        } else {
            dialed = try await dialDirectly(attempt)
        }
        // A wait for a stream that is already ready succeeds, even after its deadline.
        guard
            attempt.limits.establishDeadline == .never || .now() < attempt.limits.establishDeadline
        else {
            if let secured = dialed.secured { secured.close() } else { dialed.socket.close() }
            throw .transport(.timedOut(.connect))
        }
        attempt.limits.establishDeadline = .never
        return dialed
    }

    /// Sets the deadline of all steps together; a second dial of the attempt keeps the deadline of the first.
    func beginEstablishing(_ attempt: RequestAttempt) {
        guard attempt.limits.establishDeadline == .never else { return }
        attempt.limits.establishDeadline = Deadline.now().advanced(
            byNanoseconds: attempt.plan.timeouts.establish
        )
    }

    private nonisolated(nonsending) func dialDirectly(
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> Dialed {
        let origin = attempt.plan.key.origin
        let socket: SocketStream
        do throws(TransportError) {
            socket = try await connect(to: origin.host, origin.port, attempt)
        } catch {
            throw .transport(error)
        }
        guard origin.scheme == .https else { return Dialed(socket: socket, secured: nil) }
        let secured = try await secure(socket, over: socket, attempt)
        return Dialed(socket: socket, secured: secured)
    }

    /// Performs the TLS handshake over `lower`, which is `socket` or a layer over it.
    nonisolated(nonsending) func secure(
        _ socket: SocketStream,
        over lower: any ByteStream,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> TLSStream {
        attempt.phase = .tlsHandshake
        var opened: TLSStream?
        do throws(TransportError) {
            let stream = TLSStream(
                engine: try tlsEngine(for: attempt.plan.key),
                over: lower,
                on: loop
            )
            opened = stream
            try attempt.scope.enter(stream)
            try await stream.handshake(until: attempt.deadline(attempt.plan.timeouts.tlsHandshake))
            {
                attempt.report(.challenged(.trust($0)))
            }
            attempt.scope.leave()
            attempt.trace.metrics.securedMark = .now()
            return stream
        } catch {
            attempt.scope.leave()
            // The negotiated values so far explain the failure better than the error alone.
            if let opened { attempt.trace.metrics.tls = opened.sessionInfo }
            attempt.trace.metrics.local = socket.localAddress
            socket.close()
            throw .transport(error)
        }
    }

    private func tlsEngine(for key: PoolKey) throws(TransportError) -> TLSEngine {
        do {
            let context = try security.context(for: key.security)
            let role = TLSEngine.Role.client(host: key.origin.host, port: key.origin.port)
            return try TLSEngine(context: context, role: role)
        } catch {
            throw .tls(error)
        }
    }
}

/// Name lookup and TCP connect.
extension Dialer {
    /// Connects to a host and port, or to the address configured in their place.
    ///
    /// This is the only function that connects, so every address passes the address policy here.
    ///
    /// - Throws: `.connectFailed` without an entry if the policy refused all addresses, which are
    ///   recorded in the attempt; otherwise the errors of resolving and connecting.
    nonisolated(nonsending) func connect(
        to host: String,
        _ port: Int,
        _ attempt: RequestAttempt
    ) async throws(TransportError) -> SocketStream {
        let route = attempt.plan.key.route
        if let unix = route.unix { return try await connect(to: unix, attempt) }
        let target = route.target(for: host, port)
        let addresses = try await permittedAddresses(of: target.host, target.port, attempt)
        var tries: [ConnectAttempt] = []
        defer {
            attempt.trace.failedAddresses += tries.compactMap {
                $0.failure.map { HTTPError.FailedAddress($0) }
            }
            attempt.trace.metrics.record(tries)
        }
        do {
            let deadline = try connectDeadline(attempt)
            let socket = try await Connector.connect(
                to: addresses,
                route.connectOptions.socketOptions,
                on: loop,
                until: deadline,
                in: attempt.scope,
                recording: &tries
            )
            return try inTime(socket, deadline)
        } catch {
            if case .connectFailed = error {
                hostResolver.invalidate(
                    HostQuery(host: target.host, family: route.connectOptions.addressFamily)
                )
            }
            throw error
        }
    }

    /// Returns the addresses of a host that the policy permits.
    ///
    /// - Throws: `.connectFailed` without an entry if the policy refuses all of them; the errors of
    ///   resolving.
    nonisolated(nonsending) func permittedAddresses(
        of host: String,
        _ port: UInt16,
        _ attempt: RequestAttempt
    ) async throws(TransportError) -> [SocketAddress] {
        attempt.phase = .resolve
        let found = try await addresses(of: host, port, attempt)
        attempt.trace.metrics.resolvedMark = .now()
        attempt.phase = .connect
        let addresses = permitted(found, port, attempt)
        guard !addresses.isEmpty else { throw .connectFailed([]) }
        return addresses
    }

    private nonisolated(nonsending) func addresses(
        of host: String,
        _ port: UInt16,
        _ attempt: RequestAttempt
    ) async throws(TransportError) -> [IPAddress] {
        let route = attempt.plan.key.route
        guard let set = route.addresses(of: host, port) else {
            return try await hostResolver.addresses(
                of: HostQuery(host: host, family: route.connectOptions.addressFamily),
                on: loop,
                until: attempt.deadline(attempt.plan.timeouts.resolve),
                in: attempt.scope
            )
        }
        let fitting = set.filter { route.connectOptions.addressFamily.includes($0) }
        guard !fitting.isEmpty else { throw .noAddressInFamily(host: host) }
        return fitting
    }

    /// Returns the deadline for a connection that is opened now.
    ///
    /// - Throws: `.timedOut` if the deadline has passed; then not even a TCP handshake begins.
    private func connectDeadline(_ attempt: RequestAttempt) throws(TransportError) -> Deadline {
        let now = Deadline.now()
        let deadline = attempt.deadline(attempt.plan.timeouts.connect, from: now)
        guard now < deadline else { throw .timedOut(.connect) }
        return deadline
    }

    /// Closes a connection that was opened after the deadline.
    ///
    /// A wait for a stream that is already ready succeeds, even after its deadline.
    private func inTime(
        _ socket: SocketStream,
        _ deadline: Deadline
    ) throws(TransportError) -> SocketStream {
        guard deadline == .never || .now() < deadline else {
            socket.close()
            throw .timedOut(.connect)
        }
        return socket
    }

    /// Removes the addresses that the policy refuses, and records them.
    private func permitted(
        _ hosts: [IPAddress],
        _ port: UInt16,
        _ attempt: RequestAttempt
    ) -> [SocketAddress] {
        let policy = attempt.plan.key.route.connectOptions.addressPolicy
        attempt.trace.refusedAddresses = []
        var addresses: [SocketAddress] = []
        for host in hosts {
            let address = SocketAddress(host: host, port: port)
            if let refused = policy.refusal(of: host) {
                attempt.trace.refusedAddresses.append(refused)
                attempt.trace.failedAddresses.append(HTTPError.FailedAddress(refused, at: address))
            } else {
                addresses.append(address)
            }
        }
        return addresses
    }

    private nonisolated(nonsending) func connect(
        to unix: UnixAddress,
        _ attempt: RequestAttempt
    ) async throws(TransportError) -> SocketStream {
        attempt.phase = .connect
        var failure: Errno?
        let start = Deadline.now()
        defer {
            if let failure {
                let name = attempt.plan.key.route.connectOptions.unixSocket?.description ?? "unix"
                let failed = HTTPError.FailedAddress(failure, at: name)
                attempt.trace.failedAddresses.append(failed)
                attempt.trace.metrics.record(failed, since: start, at: .now())
            }
        }
        let deadline = try connectDeadline(attempt)
        let opened = try await Connector.connect(
            to: unix,
            on: loop,
            until: deadline,
            in: attempt.scope,
            recording: &failure
        )
        let socket = try inTime(opened, deadline)
        attempt.trace.metrics.connectMark = start
        attempt.trace.metrics.connectedMark = .now()
        return socket
    }
}

extension HostResolver {
    /// Creates the resolver of a client.
    convenience init(_ configuration: HTTPClientConfiguration) {
        guard let resolver = configuration.resolver else {
            self.init(cache: configuration.dnsCache)
            return
        }
        self.init(cache: configuration.dnsCache) { name, completion in
            let task = Task(executorPreference: globalConcurrentExecutor) {
                completion(await Self.answer(resolver, name))
            }
            return { .cancelled { task.cancel() } }
        }
    }

    private static func answer(
        _ resolver: any HTTPResolver,
        _ name: HostQuery
    ) async -> GetaddrinfoResolver.LookupResult {
        do {
            let hosts = try await resolver.addresses(of: name.host)
            let fitting = hosts.filter { name.family.includes($0) }
            guard fitting.isEmpty else { return .success(fitting) }
            guard hosts.isEmpty else { return .failure(.noAddressInFamily(host: name.host)) }
            let reason = "the resolver found no address"
            return .failure(.resolverFailed(host: name.host, reason: reason))
        } catch {
            return .failure(.resolverFailed(host: name.host, reason: "\(error)"))
        }
    }
}

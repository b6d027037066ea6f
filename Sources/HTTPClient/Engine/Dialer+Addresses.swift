internal import SocketTransport

/// Finding addresses and connecting to one: what a dialer does before anybody speaks.
extension Dialer {
    /// Connects to a host and port, or to where the route leads instead.
    ///
    /// Every address passes the route's policy here or is not dialled: this is the only place that
    /// connects.
    ///
    /// - Throws: `.connectFailed` without an entry when the policy refused all addresses, which are
    ///   noted in the call; else what resolving and connecting throw.
    nonisolated(nonsending) func connect(
        to host: String,
        _ port: Int,
        _ call: Attempt
    ) async throws(TransportError) -> SocketStream {
        let route = call.plan.key.route
        if let unix = route.unix { return try await connect(to: unix, call) }
        let target = route.target(for: host, port)
        let addresses = try await permittedAddresses(of: target.host, target.port, call)
        var tries: [ConnectAttempt] = []
        defer {
            call.failedAddresses += tries.compactMap { $0.failure.map { FailedAddress($0) } }
            call.metrics.record(tries)
        }
        do {
            let deadline = try connectDeadline(call)
            let socket = try await Connector.connect(
                to: addresses,
                route.options,
                on: loop,
                until: deadline,
                in: call.scope,
                recording: &tries
            )
            return try inTime(socket, deadline)
        } catch {
            if case .connectFailed = error {
                hostResolver.invalidate(HostQuery(host: target.host, family: route.family))
            }
            throw error
        }
    }

    /// Finds the addresses of a host that may be dialled.
    ///
    /// - Throws: `.connectFailed` without an entry when the policy refuses all of them; what
    ///   resolving throws.
    nonisolated(nonsending) func permittedAddresses(
        of host: String,
        _ port: UInt16,
        _ call: Attempt
    ) async throws(TransportError) -> [SocketAddress] {
        call.phase = .resolve
        let found = try await addresses(of: host, port, call)
        call.metrics.resolvedMark = .now()
        call.phase = .connect
        let addresses = permitted(found, port, call)
        guard !addresses.isEmpty else { throw .connectFailed([]) }
        return addresses
    }

    private nonisolated(nonsending) func addresses(
        of host: String,
        _ port: UInt16,
        _ call: Attempt
    ) async throws(TransportError) -> [SocketAddress.Host] {
        let route = call.plan.key.route
        guard let set = route.addresses(of: host, port) else {
            return try await hostResolver.addresses(
                of: HostQuery(host: host, family: route.family),
                on: loop,
                until: call.deadline(call.plan.timeouts.resolve),
                in: call.scope
            )
        }
        let fitting = set.filter { route.family.includes($0) }
        guard !fitting.isEmpty else { throw .noAddressInFamily(host: host) }
        return fitting
    }

    /// When a connection that is opened now must be open.
    ///
    /// - Throws: `.timedOut` when that has passed: not even a handshake of TCP is begun then.
    private func connectDeadline(_ call: Attempt) throws(TransportError) -> Deadline {
        let now = Deadline.now()
        let deadline = call.deadline(call.plan.timeouts.connect, from: now)
        guard now < deadline else { throw .timedOut(.connect) }
        return deadline
    }

    /// Closes a connection that was opened too late: a wait for what is ready already ends well, whatever
    /// its deadline.
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

    /// Leaves out what the policy refuses, and notes it.
    private func permitted(
        _ hosts: [SocketAddress.Host],
        _ port: UInt16,
        _ call: Attempt
    ) -> [SocketAddress] {
        let policy = call.plan.key.route.connectOptions.addressPolicy
        call.refusedAddresses = []
        var addresses: [SocketAddress] = []
        for host in hosts {
            let address = SocketAddress(host: host, port: port)
            if let refused = policy.refusal(of: IPAddress(host)) {
                call.refusedAddresses.append(refused)
                call.failedAddresses.append(FailedAddress(refused, at: address))
            } else {
                addresses.append(address)
            }
        }
        return addresses
    }

    private nonisolated(nonsending) func connect(
        to unix: UnixAddress,
        _ call: Attempt
    ) async throws(TransportError) -> SocketStream {
        call.phase = .connect
        var failure: Errno?
        let start = Deadline.now()
        defer {
            if let failure {
                let name = call.plan.key.route.connectOptions.unixSocket?.description ?? "unix"
                let failed = FailedAddress(failure, at: name)
                call.failedAddresses.append(failed)
                call.metrics.record(failed, since: start, at: .now())
            }
        }
        let deadline = try connectDeadline(call)
        let opened = try await Connector.connect(
            to: unix,
            on: loop,
            until: deadline,
            in: call.scope,
            recording: &failure
        )
        let socket = try inTime(opened, deadline)
        call.metrics.connectMark = start
        call.metrics.connectedMark = .now()
        return socket
    }
}

extension FailedAddress {
    init(_ failure: ConnectFailure) {
        self.init(failure.errno, at: failure.address.description)
    }

    init(_ errno: Errno, at address: String) {
        self.address = address
        self.errno = errno.rawValue
        reason = errno.description
    }

    init(_ refused: RefusedAddress, at address: SocketAddress) {
        self.address = address.description
        errno = 0
        reason = "refused by the address policy: \(refused.reason)"
    }
}

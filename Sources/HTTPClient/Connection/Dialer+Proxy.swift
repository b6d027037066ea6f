internal import SocketTransport
internal import Wire

/// A connection to the origin that a proxy has opened.
struct ProxyTunnel {
    let socket: SocketStream
    /// The origin's bytes that arrived with the proxy's response.
    let unread: [UInt8]
}

extension Dialer {
    /// Opens a connection through a proxy.
    nonisolated(nonsending) func dial(
        _ attempt: RequestAttempt,
        through route: ProxyRoute
    ) async throws(ExchangeError) -> Dialed {
        let origin = attempt.plan.key.origin
        if attempt.plan.forwarder != nil {
            return Dialed(socket: try await connectToProxy(route, attempt), secured: nil)
        }
        let proxyTunnel = try await proxyTunnel(to: origin, through: route, attempt)
        let socket = proxyTunnel.socket
        guard origin.scheme == .https else {
            guard proxyTunnel.unread.isEmpty else {
                socket.close()
                throw .proxy(.unsolicitedBytes)
            }
            return Dialed(socket: socket, secured: nil)
        }
        // Bytes that arrived with the proxy's response are the origin's, so TLS must read them.
        let lower: any ByteStream =
            proxyTunnel.unread.isEmpty ? socket : PrefixedStream(proxyTunnel.unread, over: socket)
        let secured = try await secure(socket, over: lower, attempt)
        return Dialed(socket: socket, secured: secured)
    }

    /// Opens a tunnel to an origin, for any protocol.
    nonisolated(nonsending) func proxyTunnel(
        to origin: Origin,
        through route: ProxyRoute,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> ProxyTunnel {
        beginEstablishing(attempt)
        let proxyTunnel: ProxyTunnel
        switch route.proxy.scheme {
        case .http: proxyTunnel = try await tunnel(to: origin, through: route, attempt)
        case .socks5h:
            let target = attempt.plan.key.route.target(for: origin.host, origin.port)
            let host = SOCKS5Handshake.Destination(target.host)
            proxyTunnel = try await socks(
                host,
                target.port,
                route,
                connectDeadline(attempt),
                attempt
            )
        case .socks5: proxyTunnel = try await socksByAddress(to: origin, through: route, attempt)
        }
        attempt.trace.metrics.tunneledMark = .now()
        return proxyTunnel
    }

    // MARK: - Connecting to the proxy

    /// Returns the deadline for opening a connection through the proxy, from now.
    private func connectDeadline(_ attempt: RequestAttempt) -> Deadline {
        attempt.deadline(attempt.plan.timeouts.connect)
    }

    private nonisolated(nonsending) func connectToProxy(
        _ route: ProxyRoute,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> SocketStream {
        do throws(TransportError) {
            return try await connect(to: route.proxy.host, route.proxy.port, attempt)
        } catch {
            switch error {
            case .resolveFailed(let host, let code):
                let reason = TransportError.resolveReason(code)
                throw .proxy(.unresolved(host: host, reason: reason))
            case .resolverFailed(let host, let reason):
                throw .proxy(.unresolved(host: host, reason: reason))
            case .connectFailed(let failures) where !failures.isEmpty:
                throw .proxy(.unreachable(failures.map { HTTPError.FailedAddress($0) }))
            default:
                throw .transport(error)
            }
        }
    }

    // MARK: - CONNECT

    /// Requests a tunnel from an HTTP proxy, with credentials if the proxy requires them.
    private nonisolated(nonsending) func tunnel(
        to origin: Origin,
        through route: ProxyRoute,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> ProxyTunnel {
        let deadline = connectDeadline(attempt)
        let target = "\(origin.hostText):\(origin.port)"
        let request = ProtectedRequest(method: "CONNECT", target: target)
        var authorization = route.preempt(request)
        var connection: ProxyConnection?
        // A further CONNECT is not another attempt of the call: no byte of its request has been sent. The
        // route limits the number of answers to challenges.
        while true {
            let present: ProxyConnection
            if let open = connection {
                present = open
            } else {
                let socket = try await connectToProxy(route, attempt)
                present = ProxyConnection(socket, until: deadline, attempt)
            }
            let head = attempt.plan.connectHead(target, route.proxy, authorization?.value)
            let reply = try await present.sendConnect(head)
            attempt.received.proxyHeads.append(reply.head)
            attempt.record(reply.diagnostics, in: .proxyHead(attempt.received.proxyHeads.count - 1))
            switch reply.outcome {
            case .needMore: preconditionFailure("replies are complete")
            case .opened:
                return ProxyTunnel(socket: present.socket, unread: present.takeUnread())
            case .refused(let canReuseConnection):
                let refusal = HTTPError.ProxyRejection(head: reply.head, body: reply.body)
                if let challenge = HTTPStep.Challenge(reply.head) {
                    attempt.report(.challenged(challenge))
                }
                guard
                    let next = route.answer(
                        reply.head,
                        to: request,
                        sentWith: authorization?.sent ?? .nothing
                    )
                else {
                    present.socket.close()
                    throw .proxy(.refused(refusal))
                }
                authorization = next
                connection = canReuseConnection ? present : nil
                if !canReuseConnection { present.socket.close() }
            }
        }
    }

    // MARK: - SOCKS5

    /// Tries the origin's addresses one after the other, until the proxy connects to one.
    private nonisolated(nonsending) func socksByAddress(
        to origin: Origin,
        through route: ProxyRoute,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> ProxyTunnel {
        let targets: [SocketAddress]
        do throws(TransportError) {
            let target = attempt.plan.key.route.target(for: origin.host, origin.port)
            targets = try await permittedAddresses(of: target.host, target.port, attempt)
        } catch {
            throw .transport(error)
        }
        let deadline = connectDeadline(attempt)
        for (index, target) in targets.enumerated() {
            let destination = SOCKS5Handshake.Destination.address(target.host.bytes)
            do throws(ExchangeError) {
                return try await socks(destination, target.port, route, deadline, attempt)
            } catch {
                guard case .proxy(.socks(.refused(let reply))) = error, reply.concernsAddress,
                    index < targets.count - 1
                else { throw error }
            }
        }
        throw .transport(.connectFailed([]))
    }

    private nonisolated(nonsending) func socks(
        _ destination: SOCKS5Handshake.Destination,
        _ port: UInt16,
        _ route: ProxyRoute,
        _ deadline: Deadline,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> ProxyTunnel {
        let handshake: SOCKS5Handshake
        do {
            handshake = try SOCKS5Handshake(
                to: destination,
                port: port,
                credentials: route.proxy.credentials
            )
        } catch {
            attempt.phase = .proxyHandshake
            throw .proxy(.socks(error))
        }
        let socket = try await connectToProxy(route, attempt)
        let connection = ProxyConnection(socket, until: deadline, attempt)
        try await connection.perform(handshake)
        return ProxyTunnel(socket: socket, unread: connection.takeUnread())
    }
}

extension SOCKS5Handshake.Destination {
    /// Creates an address if the host is one, so that the proxy need not parse it.
    init(_ host: String) {
        if let address = IPAddress(literal: host) {
            self = .address(address.bytes)
        } else {
            self = .name(host)
        }
    }
}

extension HTTPError.SOCKS5Error.Reply {
    /// Whether another address of the same host may succeed.
    var concernsAddress: Bool {
        switch self {
        case .networkUnreachable, .hostUnreachable, .connectionRefused, .timeToLiveExpired,
            .addressTypeNotSupported:
            true
        default: false
        }
    }
}

extension Origin {
    /// The host as written in an authority: an IPv6 address in brackets.
    var hostText: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host }
}

extension Plan {
    /// Returns the head of CONNECT, which takes only User-Agent from the request.
    func connectHead(
        _ target: String,
        _ proxy: HTTPProxy,
        _ authorization: String?
    ) -> RequestHead {
        var headers: HTTPHeaders = [.host: target]
        if let authorization { headers.append(.proxyAuthorization, authorization) }
        if let agent = head.headers[.userAgent] { headers.append(.userAgent, agent) }
        headers.merge(proxy.headers)
        return RequestHead(method: .connect, target: .authority(target), headers: headers)
    }
}

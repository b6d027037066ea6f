private import Glibc

/// Opens TCP connections: drives a ``ConnectRace`` over real sockets.
///
/// Runs on the loop.
package enum Connector {
    /// Connects to the first of `addresses` that answers.
    ///
    /// - Throws: `.connectFailed` with one entry per address, `.timedOut(.connect)`, `.cancelled`,
    ///   `.descriptorsExhausted`.
    package static nonisolated(nonsending) func connect(
        to addresses: [SocketAddress],
        on loop: EventLoop,
        until deadline: Deadline,
        in scope: CancellationScope
    ) async throws(TransportError) -> SocketStream {
        let suspension = Suspension<Void>(on: loop, phase: .connect)
        try scope.enter(suspension)
        defer { scope.leave() }
        var race = ConnectRace(addresses)
        var attempts: [(index: Int, attempt: ConnectAttempt)] = []
        defer {
            for entry in attempts { entry.attempt.close() }
        }
        while true {
            switch race.next(at: .now()) {
            case .fail:
                throw .connectFailed(race.failures)
            case .start(let index):
                let attempt: ConnectAttempt
                do {
                    attempt = try ConnectAttempt(
                        to: race.addresses[index],
                        on: loop,
                        ended: suspension
                    )
                } catch {
                    switch error {
                    case .processFilesExhausted, .systemFilesExhausted:
                        throw .descriptorsExhausted(error)
                    default:
                        race.attemptFailed(index, error)
                        continue
                    }
                }
                attempts.append((index, attempt))
            case .wait(let stagger):
                do {
                    try await suspension.wait(until: min(stagger, deadline))
                } catch {
                    // The stagger has passed, not the deadline: time for the next address.
                    guard case .timedOut = error, .now() < deadline else { throw error }
                }
            }
            var stillOpen: [(index: Int, attempt: ConnectAttempt)] = []
            var winner: ConnectAttempt?
            for entry in attempts {
                switch entry.attempt.outcome {
                case .connected where winner == nil: winner = entry.attempt
                case .failed(let errno):
                    race.attemptFailed(entry.index, errno)
                    entry.attempt.close()
                default: stillOpen.append(entry)
                }
            }
            attempts = stillOpen
            if let winner { return try winner.takeStream() }
        }
    }
}

/// Connects one socket; closes it unless ``takeStream()`` took it.
///
/// Loop-confined.
private final class ConnectAttempt: PollTarget {
    enum Outcome {
        case pending
        case connected
        case failed(Errno)
    }

    private(set) var outcome = Outcome.pending
    private let address: SocketAddress
    private let loop: EventLoop
    private var descriptor: Descriptor?
    private var registration: Registration?
    private var events: PollEvents = []
    private let ended: Suspension<Void>

    init(to address: SocketAddress, on loop: EventLoop, ended: Suspension<Void>) throws(Errno) {
        self.address = address
        self.loop = loop
        self.ended = ended
        let socket = try Syscalls.tcpSocket(ipv6: address.isIPv6)
        let raw = socket.rawValue
        try Syscalls.setNoDelay(raw)
        // Registered after the call: before it epoll would report a hang-up.
        let isConnected = try Syscalls.connect(raw, to: address)
        descriptor = consume socket
        registration = try loop.register(raw, self)
        if isConnected { outcome = .connected }
    }

    func becameReady(_ events: PollEvents) {
        self.events.formUnion(events)
        guard case .pending = outcome, let raw = descriptor.number else { return }
        if let errno = Syscalls.pendingError(raw) {
            outcome = .failed(errno)
        } else if events.contains(.writable) {
            outcome = .connected
        } else {
            return
        }
        ended.resume(returning: ())
    }

    func loopStopped() {
        close()
        ended.cancelWait()
    }

    /// Hands the connected socket over.
    func takeStream() throws(TransportError) -> SocketStream {
        guard let registration, let owned = descriptor.take() else { throw .cancelled }
        self.registration = nil
        return SocketStream(
            loop: loop,
            descriptor: owned,
            registration: registration,
            peer: address,
            seen: events
        )
    }

    func close() {
        if let registration {
            loop.unregister(registration)
            self.registration = nil
        }
        descriptor = nil
    }
}
